"""The page's own arithmetic and figures, run by Node.js: ``web/test/`` with everything that it imports."""

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
    found: list[dict[str, Any]] = _run("evaluate", {"data": data, "settings": list(settings)})
    return found


def written(figures: Iterable[tuple[str, float]]) -> list[str]:
    """What the page writes of each figure, which is a function's name and a value."""
    found: list[str] = _run("numbers", list(figures))
    return found


def _run(program: str, asked: Any) -> Any:
    """What ``web/test/<program>.ts`` answers."""
    with tempfile.TemporaryDirectory(prefix="breakeven-page-") as folder:
        built = Path(folder) / f"{program}.mjs"
        bundle(WEB / "test" / f"{program}.ts", built, "--platform=node", "--format=esm")
        done = subprocess.run(
            ["node", built], input=json.dumps(asked), capture_output=True, text=True, check=True
        )
    return json.loads(done.stdout)


def bundle(source: Path, out: Path, *options: str) -> None:
    """:raises CalledProcessError: it cannot be bundled"""
    command = [ESBUILD, source, "--bundle", *options, "--tsconfig-raw={}", f"--outfile={out}"]
    subprocess.run([*command, "--log-level=error"], check=True)
