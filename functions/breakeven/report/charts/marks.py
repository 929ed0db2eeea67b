"""The look of a series and of an option.

Of a series colour says which target, dashes and hollow marks that it is emulated; of an option in the charts
about money colour says whose service, dashes how it is used.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from breakeven import words
from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, BATCHED, RABBITMQ
from breakeven.report.money.option_words import SHORT
from breakeven.targets.catalog import CATALOG
from breakeven.targets.record import Look
from breakeven.targets.records.instrument_record import OTHER_LOOK
from breakeven.targets.records.rabbitmq_records import RABBITMQ_LOOK
from breakeven.targets.records.sqs_records import SQS_LOOK
from breakeven.terms import TargetName

#: of the sizes of one target in one run, beside its own
SHAPES = ("^", "v", "D", "P", "X", "h")
AMAZON = "#6d4aa5"
#: instance types of a map, those of the highest traffic last
CLUSTERS = ("#e8a27f", "#c2410c", "#7d2a08", "#3f1504")
SQS_FILL = "#bcd5ea"
_PALE = {AS_USED: SQS_LOOK.pale, BATCHED: SQS_LOOK.pale, RABBITMQ: RABBITMQ_LOOK.pale}
#: no two alike without their colours, and those of the page: ``web/src/view/palette.ts``
_STYLES: dict[str, dict[str, Any]] = {
    AS_USED: {"color": SQS_LOOK.colour, "linestyle": "-", "linewidth": 2.4},
    BATCHED: {"color": SQS_LOOK.colour, "linestyle": (0, (6, 2)), "linewidth": 2.0},
    RABBITMQ: {"color": RABBITMQ_LOOK.colour, "linestyle": (0, (3, 1.5)), "linewidth": 2.4},
    AMAZON_MQ: {"color": AMAZON, "linestyle": (0, (6, 2, 1.5, 2)), "linewidth": 1.8},
}


def look_of(target: str) -> Look:
    """The look of its record; grey where there is none."""
    record = CATALOG.get(TargetName(target).kind)
    return record.look if record else OTHER_LOOK


def colour(target: str) -> str:
    look, size = look_of(target), TargetName(target).size
    return _one_of(look.shades, size) if look.shades and size else look.colour


def marker(target: str) -> str:
    size = TargetName(target).size
    return _one_of(SHAPES, size) if size else look_of(target).marker


def _one_of(choices: Sequence[str], machines: str) -> str:
    """The same for the same name in every run."""
    return choices[zlib.crc32(machines.encode()) % len(choices)]


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
        "color": look_of(target).pale,
        "linestyle": (0, (1, 2)),
        "linewidth": 1.6,
        "marker": marker(target),
        "markersize": 4,
        "label": f"{words.target_name(target)} (published {label})",
    }


def line(option: str, *, history: bool = False) -> dict[str, Any]:
    """matplotlib's line properties; history is pale and dotted."""
    if history:
        return {"color": _PALE.get(option, OTHER_LOOK.pale), "linestyle": (0, (1.5, 1.5)), "linewidth": 1.8}
    return dict(_STYLES.get(option, {"color": OTHER_LOOK.colour, "linestyle": "-", "linewidth": 1.6}))


def fills(options: list[str]) -> dict[str, str]:
    """Colours of a map's areas: SQS pale blue, each instance type its own."""
    others = [option for option in options if option not in SHORT]
    found = {option: CLUSTERS[min(n, len(CLUSTERS) - 1)] for n, option in enumerate(others)}
    return {option: found.get(option, SQS_FILL) for option in options}


def key(figure: Any, colours: Mapping[str, str], columns: int) -> None:
    """A legend of areas: what each colour stands for."""
    from matplotlib.patches import Patch  # noqa: PLC0415 - costly to load, and only a report needs it

    figure.legend(
        [Patch(facecolor=colour) for colour in colours.values()],
        list(colours),
        loc="outside upper left",
        ncols=columns,
        handlelength=1.4,
        borderaxespad=0.2,
    )


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
