"""A scratch checkout, on a machine where every tool that installs something only writes down its call."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]

# The ordinary tools that the scripts use; nothing else of this machine is on their path.
REAL = (
    "bash",
    "cat",
    "chmod",
    "cp",
    "cut",
    "dirname",
    "env",
    "flock",
    "grep",
    "head",
    "mkdir",
    "mv",
    "rm",
    "sed",
    "sh",
    "sha256sum",
    "tail",
)

JAR = b"a jar"
JAR_NAME = "elasticmq-server_2.13-1.7.1.jar"

#: brings what lies in ``$ARCHIVES``; ``$OTHER`` names one that is not as it was pinned
MAVEN_OF_ARCHIVES = """
record
for argument; do case $argument in -DoutputDirectory=*) out=${argument#*=} ;; esac; done
mkdir -p "$out"
cp "$ARCHIVES"/* "$out"
[ -z "${OTHER:-}" ] || echo more >>"$out/$OTHER"
"""
# Stands for every Python: `-m venv` copies it, so that the environment's calls are written down as well.
PYTHON = """
case "$*" in
  --version) echo "Python ${FAKE_PYTHON:-3.11.2}" ;;
  *"sys.version_info < (3, 11)"*) [ "${FAKE_PYTHON:-3.11.2}" != 3.9.2 ] ;;
  *"import ensurepip"*) [ -z "${NO_ENSUREPIP:-}" ] ;;
  *"import infra.app"*) echo "No module named '${APP_LACKS:-}'"; [ -z "${APP_LACKS:-}" ] ;;
  "-m venv"*) record; mkdir -p "${!#}/bin"; cp "$0" "${!#}/bin/python"; cp "$0" "${!#}/bin/pip" ;;
  "-m pip"*) record; echo "what pip says"; [ -z "${PIP_FAILS:-}" ] ;;
esac
"""
MAVEN = f"""
record
for argument; do case $argument in -DoutputDirectory=*) out=${{argument#*=}} ;; esac; done
mkdir -p "$out"
printf %s "${{JAR_TEXT:-{JAR.decode()}}}" >"$out/{JAR_NAME}"
"""
# In web/ it leaves a bundler, whose bundle is what it was called with.
NPM = """
record
case "$*" in
  "--prefix web"*) mkdir -p web/node_modules/.bin; tool=web/node_modules/.bin/esbuild
    echo 'for argument; do case $argument in --outfile=*) echo "$*" >"${argument#*=}" ;; esac; done' >$tool
    chmod +x $tool ;;
  *) mkdir -p node_modules ;;
esac
"""
STUBS = {
    "python3": PYTHON,
    "mvn": MAVEN,
    "java": """echo 'openjdk version "17.0.15" 2025-04-15' >&2""",
    "node": "",
    "npm": NPM,
    "id": "echo 1000",
    "sudo": "exit 1",
    "apt-get": "record",
    "chromium-headless-shell": "",
    "shellcheck": "",
    "ip": "",
}


class Machine:
    """Runs the set-up scripts of a scratch checkout with stub tools.

    ``calls`` are those that would have installed something, as ``name arguments``, oldest first.
    """

    def __init__(self, folder: Path) -> None:
        self.root, self._tools, self._calls = folder / "checkout", folder / "bin", folder / "calls"
        self.root.mkdir()
        for name in ("setup", "requirements", "queries"):
            shutil.copytree(ROOT / name, self.root / name)
        shutil.copytree(ROOT / "web", self.root / "web", ignore=shutil.ignore_patterns("node_modules"))
        for name in ("pyproject.toml", "package.json", "package-lock.json"):
            shutil.copy(ROOT / name, self.root)
        digest = hashlib.sha256(JAR).hexdigest()
        (self.root / "setup" / "elasticmq" / "jars.sha256").write_text(f"{digest}  {JAR_NAME}\n")
        self._tools.mkdir()
        for name in REAL:
            (self._tools / name).symlink_to(shutil.which(name) or "missing")
        for name, body in STUBS.items():
            self.stub(name, body)

    def stub(self, name: str, body: str) -> None:
        """Put a tool in place whose behaviour is the given bash."""
        record = f'all="$*"; record() {{ printf "%s\\n" "{name} $all" >>{self._calls}; }}'
        text = f"#!{shutil.which('bash')}\n{record}\n{body}\n"
        tool = self._tools / name
        tool.write_text(text)
        tool.chmod(0o755)

    def without(self, *names: str) -> None:
        """Take tools away."""
        for name in names:
            (self._tools / name).unlink()

    def run(self, script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a script of ``setup/`` to its end.

        RabbitMQ is left out unless the environment says else: it is looked for in its one fixed folder.
        """
        command = [str(self.root / "setup" / script), *arguments]
        return self.bash(*command, **{"BREAKEVEN_SKIP": "rabbitmq", **environment})

    def bash(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run bash with only this machine's tools; the calls written down before are forgotten."""
        self._calls.unlink(missing_ok=True)
        return subprocess.run(
            [shutil.which("bash") or "bash", *arguments],
            env={"PATH": str(self._tools), "HOME": str(self.root), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    @property
    def calls(self) -> list[str]:
        return self._calls.read_text().splitlines() if self._calls.exists() else []
