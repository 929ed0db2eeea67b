"""Every handler starts on the Python that it is deployed on, with the packages that are deployed with it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

FUNCTIONS = Path(__file__).parents[3] / "functions"
IMPORTING = """
import importlib, pathlib, sys
for path in sorted(pathlib.Path("handlers").rglob("*.py")):
    name = ".".join(path.with_suffix("").parts)
    importlib.import_module(name)
    print(name)
print(*sys.version_info[:2], sep=".")
"""


def test_every_handler_is_imported_on_the_deployed_python_with_the_deployed_packages(python313: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "AWS_DEFAULT_REGION": "eu-west-1"}
    command = [python313, "-c", IMPORTING]
    imported = subprocess.run(
        command, cwd=FUNCTIONS, env=environment, capture_output=True, text=True, check=False
    )
    assert imported.returncode == 0, imported.stderr
    *handlers, version = imported.stdout.split()
    there = (path.relative_to(FUNCTIONS) for path in (FUNCTIONS / "handlers").rglob("*.py"))
    assert set(handlers) == {".".join(path.with_suffix("").parts) for path in there}
    assert version == "3.13"
