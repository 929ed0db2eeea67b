"""Name of the command as a hint gives it: what works where the program was started."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from shlex import quote

from breakeven.words import IN_A_CLONE

NAME = "breakeven"
#: where this file's package is; of an installation that is a folder of packages
CLONE = Path(__file__).parents[1]


def command(words: str = "") -> str:
    """Such as ``npm run breakeven -- run quick``, where the program is that of a clone."""
    return f"{_name()} {words}".rstrip()


def _name() -> str:
    started = sys.argv[0]
    if "npm_lifecycle_event" in os.environ or Path(started).name != NAME:  # npm's own, for whatever it runs
        return IN_A_CLONE
    found = shutil.which(NAME)
    if found and Path(found).samefile(started):
        return NAME
    is_of_clone = (CLONE / "package.json").is_file() and Path(started).absolute().is_relative_to(CLONE)
    return IN_A_CLONE if is_of_clone else quote(started)
