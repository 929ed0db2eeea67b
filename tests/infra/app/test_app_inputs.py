"""What the CDK app reads of the checkout, by which a kept assembly is known again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from local.cdk.kept_assemblies import INPUTS, ROOT

#: prints all that it opens below the checkout while it synthesizes
READING = """
import atexit, json, os, sys
root, opened = sys.argv[1], set()
def note(event, given):
    if event == "open" and isinstance(given[0], str) and os.path.exists(given[0]):
        opened.add(os.path.realpath(given[0]))
sys.addaudithook(note)
from infra.app import main
code = main()
print(json.dumps(sorted(os.path.relpath(path, root) for path in opened if path.startswith(root + os.sep))))
sys.exit(code)
"""
#: installed packages, whose versions the lock files and the digest have
INSTALLED = (".venv", ".cache")


@pytest.mark.installed
def test_all_that_the_app_reads_is_in_the_digest(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "CDK_OUTDIR": str(tmp_path / "cdk.out"),
        "CDK_CONTEXT_JSON": json.dumps({"aws:cdk:bundling-stacks": []}),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "functions")]),
    }
    done = subprocess.run(
        [sys.executable, "-c", READING, str(ROOT)], env=environment, stdout=subprocess.PIPE, check=True
    )
    opened = [Path(name) for name in json.loads(done.stdout.splitlines()[-1])]
    tops = {path.parts[0] for path in opened if path.parts[0] not in INSTALLED}
    # cdk.json is read by whoever starts the app, and handed on as context
    assert tops == set(INPUTS) - {"cdk.json"}
