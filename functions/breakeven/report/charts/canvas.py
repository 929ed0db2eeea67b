"""The canvas of every chart: a matplotlib figure, its axes, and its SVG made fit to stand in a page."""

from __future__ import annotations

import html
import io
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil, floor, log10
from threading import Lock, Thread
from typing import Any

from breakeven import words
from breakeven.report.contract.report_model import CaseReport
from breakeven.report.elements import Chart

MAX_TICKS = 7  # more round numbers than this do not fit on a phone
#: the metrics of a case that have a panel each, and how they are called there
OPERATIONS = (("produce", "Produce"), ("consume_cycle", "Consume cycle"))
INK, MUTED, GRID = "#1c2430", "#5b6675", "#dfe3e8"
#: held while it is loaded, by a thread of its own as a rule
_LOADING = Lock()
_STYLE = {
    "svg.fonttype": "none",  # text stays text: small, selectable, in the page's own typeface
    "svg.hashsalt": "queue-breakeven",
    "text.parse_math": False,  # labels come from suites: "$x" is no formula
    "font.family": ["DejaVu Sans"],
    "axes.edgecolor": GRID,
    "axes.labelcolor": MUTED,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.titley": 1.0,  # where it would be found to belong, as no ticks have labels above the axes
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 1,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.major.size": 0,
    "xtick.minor.size": 0,
    "ytick.major.size": 0,
    "ytick.minor.size": 0,
    "legend.frameon": False,
    "text.color": INK,
}


@dataclass(frozen=True, slots=True)
class Form:
    """How wide a chart is set, in CSS pixels; a point of the figure is one of them."""

    name: str
    width: int
    font: float

    @property
    def narrow(self) -> bool:
        return self.name == "narrow"


WIDE = Form("wide", 1080, 13)
NARROW = Form("narrow", 360, 11.5)


#: draws on an empty figure of the form's width
Painter = Callable[[Any, Form], None]


def chart(
    *,
    slug: str,
    title: str,
    caption: str,
    description: str,
    heights: tuple[float, float],
    paint: Painter,
    scenario: str = "",
) -> Chart:
    """Draw both forms. ``heights`` are of the wide and the narrow one, in CSS pixels."""
    wide, narrow = (
        _svg(slug, form, height, description, paint)
        for form, height in zip((WIDE, NARROW), heights, strict=True)
    )
    return Chart(slug, title, caption, wide, narrow, scenario)


def load_drawing() -> None:
    """Begin to load what draws the charts, a third of a second, in a thread beside other work."""
    Thread(target=_drawing).start()


def _drawing() -> tuple[Any, Any, Any, Any]:
    """matplotlib, its canvas, figures and layout: costly to load, and only what draws a report needs them."""
    with _LOADING:
        return _loaded()


@cache
def _loaded() -> tuple[Any, Any, Any, Any]:
    _home_for_caches()
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.backends.backend_svg import FigureCanvasSVG  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415
    from matplotlib.layout_engine import ConstrainedLayoutEngine  # noqa: PLC0415

    mpl.rcdefaults()  # whatever the reader's own matplotlibrc says: a report has one picture
    return mpl, FigureCanvasSVG, Figure, ConstrainedLayoutEngine


def _svg(slug: str, form: Form, height: float, description: str, paint: Painter) -> str:
    mpl, canvas, figures, layouts = _drawing()
    sizes = {"font.size": form.font, "axes.titlesize": form.font + 1}
    with mpl.rc_context({**_STYLE, **sizes}):
        layout = layouts()
        figure = figures(figsize=(form.width / 72, height / 72), dpi=72, layout=layout)
        canvas(figure)
        paint(figure, form)
        layout.execute(figure)
        figure.set_layout_engine(None)  # or saving would draw it once more, for the layout
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _inline(buffer.getvalue(), f"{slug}-{form.name}", description)


def _home_for_caches() -> None:
    """matplotlib keeps a font cache; a Lambda function may write to its temporary folder only."""
    if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
        os.environ.setdefault("MPLCONFIGDIR", os.path.join(tempfile.gettempdir(), "matplotlib"))


def _inline(document: str, name: str, description: str) -> str:
    """The ``svg`` element alone, its ids made unique in the page and its size left to the style sheet."""
    svg = document[document.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(\bid="|xlink:href="#|url\(#)', rf"\g<1>{name}-", svg)
    box = re.search(r'viewBox="([^"]+)"', svg)
    assert box is not None  # matplotlib always gives one
    label = html.escape(description, quote=True)
    root = (
        f'<svg id="{name}" role="img" aria-label="{label}" viewBox="{box.group(1)}" '
        f'xmlns="{_SVG}" xmlns:xlink="{_XLINK}">'
    )
    return re.sub(r"^<svg[^>]*>", lambda _: root, svg, count=1).strip()


_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"


def emulated_suffix(cases: Sequence[CaseReport]) -> str:
    """For a chart's title: which of its targets are emulated."""
    names = sorted({words.target_name(case.target) for case in cases if case.provenance == "emulated"})
    return f" ({words.listing(names)}: emulated)" if names else ""


def thousands(value: float, _position: int) -> str:
    """Tick labels: 3,000; 0.5."""
    return f"{value:,.0f}" if value >= 1 and value == int(value) else f"{value:,g}"


def short(value: float, _position: int) -> str:
    """Tick labels where there is little room: 1,000; 10k; 100k."""
    return f"{value / 1000:,.0f}k" if value >= 10_000 else thousands(value, _position)


def logarithmic(values: Sequence[float]) -> tuple[float, ...]:
    """Round ticks (1, 2, 5 of a decade, or decades where it spans many) that enclose positive ``values``."""
    for steps in ((1, 2, 5), (1,)):
        exponents = range(floor(log10(min(values))), ceil(log10(max(values))) + 1)
        ticks = [step * 10.0**exponent for exponent in exponents for step in steps]
        below = max((tick for tick in ticks if tick <= min(values)), default=ticks[0])
        above = min((tick for tick in ticks if tick >= max(values)), default=ticks[-1])
        found = tuple(tick for tick in ticks if below <= tick <= above)
        if len(found) <= MAX_TICKS:
            break
    return found


def rates(axis: Any, *, narrow: bool) -> None:
    """The axis of every chart about money: messages a second, logarithmic."""
    axis.set(xscale="log", xlabel="messages a second, monthly mean")
    axis.minorticks_off()
    axis.xaxis.set_major_formatter(short if narrow else thousands)


def usd(value: float, _position: int) -> str:
    """Tick labels in dollars: $1,000; $0.10."""
    return f"${value:,.0f}" if value >= 1 else f"${value:,.2f}"
