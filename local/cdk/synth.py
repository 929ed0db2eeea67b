"""Synthesize the CDK app as its CLI does, without the CLI: the same context, the same assembly.

As a program: have the assembly of today's files kept for runs that are to begin.
"""

from __future__ import annotations

import compileall
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from breakeven.errors import BreakevenError
from local.cdk import kept_assemblies
from local.cdk.kept_assemblies import OUTDIR, ROOT
from local.children import Children, last_lines

SYNTH_TIMEOUT_S = 180
#: context that describes an AWS account (its VPC, its key, ...), of which there is none here
OF_AN_ACCOUNT = "breakeven:"


class Synthesis:
    """The app at work in a process of its own, so that other things can be started meanwhile.

    Where nothing has changed that the assembly is made from, that of a run before serves again.

    Wheels for Lambda's platform are not fetched: a layer's asset is known by its lock file's hash, and
    here the functions' dependencies come from the running environment.

    :param outdir: where the cloud assembly is written; what the app says goes beside it
    :param kept_in: where assemblies stay for the runs to come
    :raises BreakevenError: Node.js is missing
    """

    def __init__(self, children: Children, outdir: Path, kept_in: Path = kept_assemblies.KEPT_IN) -> None:
        if shutil.which("node") is None:
            raise BreakevenError("Node.js is needed to synthesize the workflow: install Node.js 20 or newer")
        self._children, self._outdir, self._kept_in = children, outdir, kept_in
        self._said = outdir.with_suffix(".log")
        outdir.parent.mkdir(parents=True, exist_ok=True)
        environment = app_environment(outdir)
        self._digest = kept_assemblies.digest(environment)
        found = kept_assemblies.bring(self._digest, outdir, kept_in)
        self._process = None if found else self._app(environment)

    def _app(self, environment: dict[str, str]) -> subprocess.Popen[bytes]:
        with self._said.open("wb") as said:
            return self._children.spawn(
                [sys.executable, "-m", "infra.app"],
                env=environment,
                cwd=ROOT,
                stdout=said,
                stderr=said,
                name="synthesis",
            )

    def result(self) -> Path:
        """Wait for the assembly and return its folder.

        :raises BreakevenError: the app does not synthesize
        """
        if self._process is None:
            return self._outdir
        try:
            code = self._process.wait(SYNTH_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise BreakevenError(f"the workflow was not synthesized within {SYNTH_TIMEOUT_S} s") from None
        finally:
            self._children.stop(self._process)
        if code:
            raise BreakevenError(f"the workflow does not synthesize:\n{last_lines(self._said)}")
        # functions' processes, some thirty of a run, would each compile their code anew
        compileall.compile_dir(self._outdir, quiet=2)
        if (
            kept_assemblies.digest(app_environment(self._outdir)) == self._digest
        ):  # nobody has edited it since
            kept_assemblies.keep(self._digest, self._outdir, self._kept_in)
        return self._outdir


def app_environment(outdir: Path) -> dict[str, str]:
    settings = json.loads((ROOT / "cdk.json").read_text()).get("context", {})
    context = {key: value for key, value in settings.items() if not key.startswith(OF_AN_ACCOUNT)}
    return {
        **os.environ,
        OUTDIR: str(outdir),
        "CDK_CONTEXT_JSON": json.dumps({**context, "aws:cdk:bundling-stacks": []}),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "functions")]),
        "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "18,20",
    }


def main() -> None:
    """:raises BreakevenError: the app does not synthesize"""
    with tempfile.TemporaryDirectory(prefix="breakeven-") as folder, Children() as children:
        Synthesis(children, Path(folder) / "cdk.out").result()


if __name__ == "__main__":
    main()
