"""State machines as moto parsed them, kept for the runs to come: the workflow's takes a second to parse.

A program is known by the digest of all that it is made from: the definition, and the code that reads it,
which is moto's and our patches'. What runs is a copy of its own each time, as programs keep state.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

KEPT_IN = Path(__file__).parents[2] / ".cache" / "definitions"
#: characters of a definition that takes long enough to parse
WORTH = 10_000
#: how many of the newest are kept: those of a few branches, each with three state machines
KEPT = 12
#: how many are in memory, the last ones used: a tree of the workflow has 5 MB, a program 0.2 MB
_HELD = 16

#: a definition -> its program, and the tree that it was made from
Parse = Callable[[str], tuple[Any, Any]]


class Parsed:
    """Parses each definition once.

    :param parse: moto's own
    :param kept_in: where the programs of long definitions are kept
    """

    def __init__(self, parse: Parse, kept_in: Path = KEPT_IN) -> None:
        self._kept_in = kept_in
        self._both = lru_cache(_HELD)(parse)
        self._pickled = lru_cache(_HELD)(self._find)

    def parse(self, definition: str) -> tuple[Any, Any]:
        """As moto's; what it raises for a definition that is none is raised each time."""
        program = pickle.loads(self._pickled(definition))  # noqa: S301 - whoever writes there can write here
        return program, _Tree(lambda: self._both(definition)[1])

    def _find(self, definition: str) -> bytes:
        path = self._kept_in / _name(definition)
        if len(definition) < WORTH:
            return self._made(definition)
        with suppress(OSError):
            pickled = path.read_bytes()
            with suppress(Exception):  # whatever a file that was damaged makes of it
                pickle.loads(pickled)  # noqa: S301 - as above
                os.utime(path)
                return pickled
        pickled = self._made(definition)
        self._keep(path, pickled)
        return pickled

    def _made(self, definition: str) -> bytes:
        return pickle.dumps(self._both(definition)[0])

    def _keep(self, path: Path, pickled: bytes) -> None:
        """It saves time and nothing else: what cannot be kept is not."""
        with suppress(OSError):
            self._kept_in.mkdir(parents=True, exist_ok=True)
            handle, copy = tempfile.mkstemp(dir=self._kept_in, prefix=".")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(pickled)
                Path(copy).rename(path)  # whole or not at all
            except OSError:
                Path(copy).unlink()
                raise
            newest_first = sorted(
                self._kept_in.iterdir(), key=lambda each: each.stat().st_mtime, reverse=True
            )
            for old in newest_first[KEPT:]:
                old.unlink(missing_ok=True)


class _Tree:
    """Of a definition; made for the visitor that asks for it."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def accept(self, visitor: Any) -> Any:
        return self._make().accept(visitor)


def _name(definition: str) -> str:
    made = hashlib.sha256(_readers())
    made.update(definition.encode())
    return made.hexdigest()


@cache
def _readers() -> bytes:
    """What reads definitions, as it is now."""
    patches = sorted((Path(__file__).parent / "patches").glob("*.py"))
    parts = [sys.version, *(f"{name} {version(name)}" for name in ("moto", "antlr4-python3-runtime"))]
    return "\0".join([*parts, *(path.read_text() for path in patches)]).encode()
