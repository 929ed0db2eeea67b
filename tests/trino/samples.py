"""Rows of every table, for the engines to be compared on: random, and the same each time.

A table is added by one function of its name that gives its rows, marked ``@sample``, in ``sample_tables``
(what was measured), ``sample_nodes`` (of nodes) or ``sample_costs`` (money). A column that a row leaves out
is null. Each table has random numbers of its own, so that a change in one leaves the others as they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

Row = dict[str, Any]

SCENARIOS = ("steady", "burst.16KiB", "Ångström")
CELLS = ("workers-1", "workers-40")
TARGETS = ("sqs-standard", "rabbitmq-mirrored-pair", "rabbitmq-quorum-trio")
REPEATS = (1, 2, 3)
TEXTS = (
    "loader 1 ended: exit code -9",
    'it said "no"; it\'s over -- ?',
    "first line\nsecond line\r\n\ttabbed \\ slashed",
    "zu spät: 日本 🐇",
    "null",
    "",
)

SAMPLES: dict[str, Callable[[Sample], Iterable[Row]]] = {}


class Sample:
    """What one table's function is given: random numbers of its own, and what tables have in common."""

    def __init__(self, table: str, run_id: str) -> None:
        self._run_id = run_id
        self.random = self.shared(table)
        product = itertools.product(SCENARIOS, CELLS, TARGETS, REPEATS)
        self.cases = [(".".join((s, c, t, f"r{r}")), s, c, t, r) for s, c, t, r in product]
        self.case_ids = [case_id for case_id, *_ in self.cases]
        #: rows of these have no row in ``cases``: a run that was cut off
        self.orphans = ["cut-off.r1"]

    def shared(self, name: str) -> Random:
        """Random numbers that are the same in each table which asks for them by this name."""
        return Random(f"{name} of {self._run_id}")

    def maybe(self, value: Any, *, null: float = 0.15) -> Any:
        """The value, or null."""
        return None if self.random.random() < null else value

    def count(self, most: int = 10**6) -> int:
        """A count: small ones, large ones and zero."""
        return self.random.choice((0, 1, self.random.randint(0, 100), self.random.randint(0, most)))


def sample(function: Callable[[Sample], Iterable[Row]]) -> Callable[[Sample], Iterable[Row]]:
    """Mark the function that gives the rows of the table of its name."""
    SAMPLES[function.__name__] = function
    return function
