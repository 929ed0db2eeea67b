"""The page's own arithmetic, run by Node.js: ``web/test/evaluate.ts`` with everything that it imports."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

WEB = Path(__file__).parents[3] / "web"
ESBUILD = WEB / "node_modules" / ".bin" / "esbuild"


def evaluated(data: dict[str, Any], settings: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the page computes of each setting.

    :param data: as a report embeds it
    """
    with tempfile.TemporaryDirectory(prefix="breakeven-page-") as folder:
        program = Path(folder) / "evaluate.mjs"
        bundle(WEB / "test" / "evaluate.ts", program, "--platform=node", "--format=esm")
        asked = json.dumps({"data": data, "settings": list(settings)})
        done = subprocess.run(["node", program], input=asked, capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def bundle(source: Path, out: Path, *options: str) -> None:
    """:raises CalledProcessError: it cannot be bundled"""
    command = [ESBUILD, source, "--bundle", *options, "--tsconfig-raw={}", f"--outfile={out}"]
    subprocess.run([*command, "--log-level=error"], check=True)
