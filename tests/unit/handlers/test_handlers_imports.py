"""What functions import that drive no queue: their start is part of every run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FUNCTIONS = Path(__file__).parents[3] / "functions"
#: they drive a queue, merge what loaders have measured, or clean up behind all targets' clients
COUNTING = {
    "case": {"fail_case", "load", "settle_case"},
    "cleanup": {"clean_up", "release_run", "run_resources", "watchdog"},
    "lane": {"fail_leg", "warm_lane"},
    "run": {"build_report"},
}
IMPORTED = """
import importlib, sys
sys.modules["numpy"] = None
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


def test_all_other_functions_start_without_numpy():
    """It takes a third of such a function's start."""
    modules = [
        f"handlers.{path.parent.name}.{path.stem}"
        for path in sorted((FUNCTIONS / "handlers").glob("*/*.py"))
        if path.stem != "__init__" and path.stem not in COUNTING.get(path.parent.name, ())
    ]
    assert len(modules) > 15
    environment = {**os.environ, "AWS_DEFAULT_REGION": "us-east-1", "PYTHONPATH": str(FUNCTIONS)}
    command = [sys.executable, "-c", IMPORTED, *modules]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
