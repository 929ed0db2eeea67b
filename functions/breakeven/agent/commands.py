"""Commands of a node's host, and what they say."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from breakeven.errors import BreakevenError

#: how long a command may take to answer that waits for nothing, seconds
SOON_S = 10.0
#: characters of what a command said, its last ones, that an error repeats
SAID = 300


def answer_of(command: Sequence[str], within_s: float = SOON_S, given: str | None = None) -> str:
    """What it says.

    :param given: what it reads on standard input
    :raises BreakevenError: it is not there, is not over in time, and is ended, or has failed
    """
    words = " ".join(command[:2])
    try:
        done = subprocess.run(
            command,
            input=given or "",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=within_s,
            check=False,
            text=True,
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        raise BreakevenError(f"{words}: no answer in {within_s:g} s") from None
    except OSError as missing:
        raise BreakevenError(f"{words}: {missing.strerror}") from None
    if done.returncode:
        raise BreakevenError(f"{words}: {done.stdout.strip()[-SAID:]}")
    return done.stdout.strip()
