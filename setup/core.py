"""Compiles the loaders' core (functions/breakeven/clients/core/src/) for every processor that runs it.

Zig's C compiler, which comes as a Python package, reaches the other processor's machine, too. Does nothing
where it is compiled already. With --missing it only names the processors that it would compile for.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from breakeven.clients.core.loading import FOLDER, MACHINES, compiled_path, sources
from breakeven.clients.core.structs import SOURCES

#: the oldest C library that it is to run with: older than those of Debian 12 and of Lambda's Python 3.13
GLIBC = "2.28"
FLAGS = ("-std=c11", "-O2", "-g0", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fno-sanitize=all")


def compile_for(machine: str) -> None:
    """Leaves no half a library behind, whoever else compiles it meanwhile."""
    path = compiled_path(machine)
    path.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        made = Path(scratch) / path.name
        # relative names: the same bytes wherever the checkout is
        command = [sys.executable, "-m", "ziglang", "cc", "-target", f"{machine}-linux-gnu.{GLIBC}", *FLAGS]
        command += ["-fPIC", "-shared", "-s", "-o", str(made), *(source.name for source in sources())]
        subprocess.run(command, cwd=SOURCES, check=True, env={**os.environ, "ZIG_GLOBAL_CACHE_DIR": scratch})
        made.replace(path)


def main() -> None:
    wanted = {compiled_path(machine): machine for machine in MACHINES}
    missing = {path: machine for path, machine in wanted.items() if not path.exists()}
    if "--missing" in sys.argv[1:]:
        print(*missing.values(), sep="\n", end="")
        return
    for machine in missing.values():
        compile_for(machine)
    for stale in FOLDER.glob("compiled/core-*.so"):
        if stale not in wanted:
            stale.unlink()


if __name__ == "__main__":
    main()
