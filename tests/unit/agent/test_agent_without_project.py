"""The agent runs on a node with nothing of this project but itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from infra.brokers.image_builders import assemble_node_files

IMPORTED = """
import importlib.abc, pkgutil, sys
class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pydantic", "yaml", "pika", "aws_cdk"):
            raise ImportError(f"a node has no {name}")
sys.meta_path.insert(0, Refuse())
import breakeven, breakeven.agent
assert breakeven.__file__.startswith(sys.argv[1]), breakeven.__file__
for each in pkgutil.iter_modules(breakeven.agent.__path__):
    __import__(f"breakeven.agent.{each.name}")
print(*sorted(name for name in sys.modules if name.startswith("breakeven.")))
"""


def test_what_an_image_has_of_the_project_is_enough(tmp_path: Path) -> None:
    assemble_node_files(tmp_path)
    python = tmp_path / "python"
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, str(python)],
        env={"PYTHONPATH": str(python)},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert "breakeven.agent.__main__" in loaded
    assert {name for name in loaded if not name.startswith("breakeven.agent")} == {"breakeven.errors"}
