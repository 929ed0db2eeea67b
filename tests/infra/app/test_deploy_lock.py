"""The CDK app stands on the packages of deploy.lock alone, whatever else is installed beside them."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
IMPORTING = """
import json, sys
import infra.app
names = {name.partition(".")[0] for name, module in sys.modules.items() if getattr(module, "__file__", None)}
json.dump(sorted(names - sys.stdlib_module_names), sys.stdout)
"""


def canonical(name: str) -> str:
    """A distribution's name as pip compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(name: str) -> set[str]:
    """The distributions of a lock file."""
    lines = (ROOT / "requirements" / f"{name}.lock").read_text().splitlines()
    return {canonical(line.partition("==")[0]) for line in lines if re.match(r"[\w.-]+==", line)}


def test_the_app_imports_nothing_that_deploy_lock_does_not_install():
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'functions'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    brought_by = importlib.metadata.packages_distributions()
    used = {canonical(brought) for name in json.loads(done.stdout) for brought in brought_by.get(name, ())}
    assert {"aws-cdk-lib", "pydantic"} <= used
    assert used - {"queue-breakeven"} <= locked("deploy")
