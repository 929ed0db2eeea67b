"""The settings of the native clients' TLS: those of Python's own context, read back from OpenSSL."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_a_native_context_has_the_settings_of_pythons_own(python: Path) -> None:
    child = subprocess.run(
        [python, "-m", "tests.support.scripted.tls_settings"],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{ROOT}/functions:{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    (native, python_s), (stricter, stricter_python_s) = json.loads(child.stdout)
    assert native == python_s
    assert stricter == stricter_python_s
