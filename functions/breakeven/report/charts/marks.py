"""How a series looks: colour says which target, dashes and hollow marks that it is emulated.

Blue and vermilion are told apart in every common colour blindness; marks and dashes differ as well.
"""

from __future__ import annotations

import zlib
from typing import Any

from breakeven import words
from breakeven.targets.catalog import parts_of

SQS, RABBITMQ, OTHER = "#0b5fa5", "#c2410c", "#5b6675"
SQS_PALE, RABBITMQ_PALE, OTHER_PALE = "#86b3d9", "#e3a583", "#aab1bb"


#: of the sizes of one kind in one run, beside the kind's own
SHADES, SHAPES = ("#7c2d12", "#ea580c", "#a16207", "#be123c", "#57534e"), ("^", "v", "D", "P", "X", "h")


def colour(target: str) -> str:
    if machines := parts_of(target)[1]:
        return SHADES[zlib.crc32(machines.encode()) % len(SHADES)]
    return SQS if target.startswith("sqs") else RABBITMQ if target.startswith("rabbitmq") else OTHER


def pale(target: str) -> str:
    """The target's colour for what was published of it."""
    return (
        SQS_PALE
        if target.startswith("sqs")
        else RABBITMQ_PALE
        if target.startswith("rabbitmq")
        else OTHER_PALE
    )


def marker(target: str) -> str:
    if machines := parts_of(target)[1]:
        return SHAPES[zlib.crc32(machines.encode()) % len(SHAPES)]
    return "s" if target.startswith("sqs") else "o"


def series(target: str, provenance: str) -> dict[str, Any]:
    """matplotlib's line properties of a run's or a source's series, its legend label among them."""
    emulated, printed = provenance == "emulated", provenance == "published"
    return {
        "color": colour(target),
        "linestyle": (0, (5, 3)) if emulated else (0, (1, 2)) if printed else "-",
        "linewidth": 2,
        "marker": marker(target),
        "markersize": 4 if printed else 6,
        "markerfacecolor": "white" if emulated else colour(target),
        "markeredgewidth": 1.6,
        "label": words.labelled_target(target, provenance) + ("" if emulated else f" ({provenance})"),
    }


def published(target: str, label: str) -> dict[str, Any]:
    """The same for a series that a source published."""
    return {
        "color": pale(target),
        "linestyle": (0, (1, 2)),
        "linewidth": 1.6,
        "marker": marker(target),
        "markersize": 4,
        "label": f"{words.target_name(target)} (published {label})",
    }


def legend(figure: Any, axes: Any, columns: int) -> None:
    """One legend over the whole figure, each label once, as wide as the form allows."""
    entries: dict[str, Any] = {}
    for axis in axes:
        for handle, text in zip(*axis.get_legend_handles_labels(), strict=True):
            entries.setdefault(text, handle)
    if entries:
        figure.legend(
            entries.values(),
            entries.keys(),
            loc="outside upper left",
            ncols=min(columns, len(entries)),
            handlelength=2.6,
            columnspacing=1.6,
            borderaxespad=0.2,
        )
