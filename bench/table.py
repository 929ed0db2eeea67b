"""A section in Markdown: medians, ratios with their intervals, and whether the goals are met."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence

from bench.contest import Figure, Goal, Section
from bench.intervals import Ratio
from bench.measured import Figures, Percentiles

WORDS: dict[Figure, str] = {"per_s": "msg/s", "cpu_us": "CPU"}


def markdown(section: Section) -> str:
    parts = [f"## {section.title}", *section.notes]
    parts += [_table(section, name) for name in section.tables]
    if section.goals:
        parts.append("\n".join(f"- {_verdict(section, goal)}" for goal in section.goals))
    return "\n\n".join(parts)


def _table(section: Section, name: str) -> str:
    found = section.tables[name]
    columns = _columns(section, [figures for repeats in found.values() for figures in repeats])
    rows = [
        [contender, *(_median(read, digits, found[contender]) for _, read, digits in columns)]
        for contender in section.contenders
    ]
    for peer in section.contenders[:-1]:
        ratios = [section.ratio(name, peer, figure) for figure in WORDS]
        rows.append(
            [f"{section.ours} / {peer}", *map(in_words, ratios), *[""] * (len(columns) - len(ratios))]
        )
    return table([name, *(head for head, _, _ in columns)], rows)


def table(heads: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    return "\n".join([_row(heads), _row(["---"] * len(heads)), *map(_row, rows)])


def in_words(ratio: Ratio) -> str:
    """Such as ``1.21 (1.16 to 1.27)``."""
    if ratio.low is None or ratio.high is None:
        return f"{ratio.mean:.3g}"
    return f"{ratio.mean:.3g} ({ratio.low:.3g} to {ratio.high:.3g})"


def _verdict(section: Section, goal: Goal) -> str:
    found = section.ratio(goal.table, goal.peer, goal.figure)
    side = "at least" if goal.figure == "per_s" else "at most"
    met = "met" if goal.is_met(found) else "not met"
    return (
        f"{goal.table}, {WORDS[goal.figure]}, {section.ours} / {goal.peer}: {in_words(found)}; "
        f"goal {side} {goal.bound:.3g}: **{met}**"
    )


Column = tuple[str, Callable[[Figures], float | None], int]


def _columns(section: Section, figures: Iterable[Figures]) -> list[Column]:
    """Those of which anyone has a figure."""
    columns: list[Column] = [
        ("msg/s", lambda found: found.per_s, 0),
        (f"CPU, µs a {section.unit}", lambda found: found.cpu_us, 1),
    ]
    for name, of in section.latencies.items():
        columns += [
            (f"{name} p50, µs", lambda found, of=of: _of(getattr(found, of), "p50_us"), 0),  # type: ignore[misc]
            (f"{name} p99, µs", lambda found, of=of: _of(getattr(found, of), "p99_us"), 0),  # type: ignore[misc]
        ]
    kept = list(figures)
    return [column for column in columns if any(column[1](found) is not None for found in kept)]


def _of(percentiles: Percentiles | None, name: str) -> float | None:
    return None if percentiles is None else float(getattr(percentiles, name))


def _median(read: Callable[[Figures], float | None], digits: int, repeats: Sequence[Figures]) -> str:
    values = [value for figures in repeats if (value := read(figures)) is not None]
    return f"{statistics.median(values):,.{digits}f}" if values else ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
