"""Notes on what of PerfTest's files is carried out in another way than PerfTest does, or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from breakeven.errors import printable

#: of values and of scenarios, that one line names
MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Note:
    """A parameter that is carried out in another way or not at all, though the load is much the same."""

    key: str
    value: str
    reason: str


@dataclass(slots=True)
class Notes:
    """Each reason once, with the values and scenarios that it is about."""

    found: dict[tuple[str, str], tuple[dict[str, None], dict[str, None]]] = field(default_factory=dict)

    def add(self, scenario: str, notes: Sequence[Note]) -> None:
        for note in notes:
            values, scenarios = self.found.setdefault((note.key, note.reason), ({}, {}))
            values[note.value] = scenarios[scenario] = None

    def lines(self, where: str, called: Mapping[str, str], scenarios: int) -> list[str]:
        """One line for each; it names scenarios where it is not about all of them.

        :param called: what the reader calls keys, such as ``-x``, where it is not their name
        """
        return [
            f"{where}: {called.get(key, key)}: {_named(values)}{self._about(about, scenarios)}: {reason}"
            for (key, reason), (values, about) in self.found.items()
        ]

    @staticmethod
    def _about(about: Mapping[str, None], scenarios: int) -> str:
        return "" if len(about) == scenarios else f" (in {_named(about)})"


def _named(names: Mapping[str, None]) -> str:
    few = [printable(name) for name in names][:MOST_NAMED]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(few) + more
