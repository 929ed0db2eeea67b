"""Which failed tests ``setup/tests.sh`` runs once more, when no other test does.

See docs/decisions/0054-a-test-of-real-servers-that-fails-runs-once-more.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from tests.support.workers import REAL

#: the variable with the file that names them
AGAIN = "BREAKEVEN_TESTS_AGAIN"
#: of how many tests it may be the machine that they failed
MAY_FAIL = 10


def name_them(failed: Iterable[str]) -> None:
    """Write a line each, where a few of real servers failed and nothing else did, and somebody asks for it.

    :param failed: node ids; a test whose fixture ends badly may be there twice
    """
    names = list(dict.fromkeys(failed))
    if AGAIN in os.environ and len(names) <= MAY_FAIL and all(name.startswith(REAL) for name in names):
        Path(os.environ[AGAIN]).write_text("".join(f"{name}\n" for name in names))
