"""Contenders in turn: a section of the benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from bench.intervals import Ratio, ratio
from bench.measured import Figures

#: one run of one contender; what it returns is keyed by the table it belongs to
Run = Callable[[], Mapping[str, Figures]]
Figure = Literal["per_s", "cpu_us"]


@dataclass(frozen=True, slots=True)
class Goal:
    """What ours is to reach beside a peer: the ratio's lower bound for a rate, its upper one for CPU."""

    table: str
    peer: str
    figure: Figure
    bound: float

    def is_met(self, found: Ratio) -> bool:
        if self.figure == "per_s":
            return found.low is not None and found.low >= self.bound
        return found.high is not None and found.high <= self.bound


@dataclass(slots=True)
class Section:
    """``tables``: table -> contender -> figures of each repeat; ours is the last contender.

    ``unit``: what CPU is counted for; ``commands``: contender -> how it was called; ``latencies``: the
    heading -> the field of ``Figures`` with the percentiles that are to be shown.
    """

    name: str
    title: str
    unit: str
    contenders: Sequence[str]
    goals: Sequence[Goal] = ()
    notes: Sequence[str] = ()
    latencies: Mapping[str, str] = field(default_factory=dict)
    commands: dict[str, str] = field(default_factory=dict)
    tables: dict[str, dict[str, list[Figures]]] = field(default_factory=dict)

    @property
    def ours(self) -> str:
        return self.contenders[-1]

    def ratio(self, table: str, peer: str, figure: Figure) -> Ratio:
        ours, theirs = (self.tables[table][name] for name in (self.ours, peer))
        return ratio([getattr(f, figure) for f in ours], [getattr(f, figure) for f in theirs])


def interleave(
    section: Section, runs: Mapping[str, Run], repeats: int, say: Callable[[str], None]
) -> Section:
    """Each contender once a round, in an order that turns with every round."""
    for number in range(repeats):
        names = list(section.contenders) if number % 2 == 0 else list(section.contenders)[::-1]
        for name in names:
            for table, found in runs[name]().items():
                section.tables.setdefault(table, {}).setdefault(name, []).append(found)
                say(
                    f"{section.name} {number + 1}/{repeats}: {name}, {table}: "
                    f"{found.per_s:,.0f} msg/s, {found.cpu_us:.1f} µs a {section.unit}"
                )
    return section
