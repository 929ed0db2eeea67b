"""Runs Python in the place of a container's: with the paths it is given, and nothing else to import from.

Run as a script, isolated (``-I -S``), as functions are: the working folder first, then the installed
dependencies; the repository's own copy of the code is never among them.

Arguments: the import paths, then what ``python`` is given: ``-m module``, ``-c code`` or a file, and its own.
"""

from __future__ import annotations

import os
import runpy
import sys


def main(paths: str, how: str, *rest: str) -> None:
    sys.path[:0] = [os.getcwd()]
    sys.path.extend(paths.split(os.pathsep))
    if how == "-m":
        sys.argv = list(rest)
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif how == "-c":
        sys.argv = ["-c", *rest[1:]]
        exec(compile(rest[0], "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102  as python -c does
    else:
        sys.argv = [how, *rest]
        runpy.run_path(how, run_name="__main__")


if __name__ == "__main__":
    main(*sys.argv[1:])
