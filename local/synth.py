"""Synthesize the CDK app as its CLI does, without the CLI: the same context, the same assembly."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from breakeven.errors import BreakevenError

ROOT = Path(__file__).parent.parent
SYNTH_TIMEOUT_S = 180


def synthesize(outdir: Path) -> Path:
    """Write the cloud assembly to ``outdir`` and return it.

    Wheels for Lambda's platform are not fetched: a layer's asset is known by its lock file's hash, and
    here the functions' dependencies come from the running environment.

    :raises BreakevenError: Node.js is missing, or the app does not synthesize
    """
    if shutil.which("node") is None:
        raise BreakevenError(
            "Node.js is needed to synthesize the workflow and was not found: install Node.js 20"
        )
    context = json.loads((ROOT / "cdk.json").read_text()).get("context", {})
    environment = {
        **os.environ,
        "CDK_OUTDIR": str(outdir),
        "CDK_CONTEXT_JSON": json.dumps({**context, "aws:cdk:bundling-stacks": []}),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "functions")]),
    }
    done = subprocess.run(
        [sys.executable, "-m", "infra.app"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SYNTH_TIMEOUT_S,
        check=False,
    )
    if done.returncode:
        raise BreakevenError(f"the workflow does not synthesize:\n{done.stderr.strip()[-2000:]}")
    return outdir
