"""Choice of the messages that are dropped, copied, put behind a later one, returned or refused."""

from __future__ import annotations

import random
from enum import Enum

from breakeven.instrument.program import Program

#: A fate falls on the first part of the messages, so that a reordered one has later ones to be put behind,
#: and a drain that ends with the last message has seen the copies.
FROM, TO = 0.02, 0.5


class Fate(Enum):
    LOST = "lost"
    DUPLICATED = "duplicated"
    REORDERED = "reordered"
    RETURNED = "returned"
    NACKED = "nacked"


def fates(program: Program) -> dict[int, Fate]:
    """By number of arrival, from 0; a message has at most one."""
    wanted = [fate for fate in Fate for _ in range(getattr(program, fate.value))]
    first, end = int(FROM * program.messages), int(TO * program.messages)
    dice = random.Random(f"{program.seed}/fates")  # noqa: S311  nothing secret
    chosen = dice.sample(range(first, max(end, first + len(wanted))), len(wanted))
    return dict(zip(chosen, wanted, strict=True))
