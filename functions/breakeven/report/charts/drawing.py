"""Drawing a chart with matplotlib: painted, laid out, and written as SVG made fit to stand in a page."""

from __future__ import annotations

import html
import io
import os
import re
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from threading import Lock, Thread
from typing import Any

INK, MUTED, GRID = "#1c2430", "#5b6675", "#dfe3e8"
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
_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
#: held while matplotlib is loaded, by a thread of its own as a rule
_LOADING = Lock()


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


#: paints on an empty figure of the form's width. Another process has it by pickle: a function of a module, or
#: a ``partial`` of one
Painter = Callable[[Any, Form], None]


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a chart is drawn from.

    :param description: for readers who do not see it
    :param heights: of the wide and the narrow form, in CSS pixels
    """

    slug: str
    description: str
    heights: tuple[float, float]
    paint: Painter

    def svgs(self) -> tuple[str, str]:
        """Both forms, each as the element ``svg``."""
        wide, narrow = self.heights
        return self._svg(WIDE, wide), self._svg(NARROW, narrow)

    def _svg(self, form: Form, height: float) -> str:
        matplotlib = load()
        sizes = {"font.size": form.font, "axes.titlesize": form.font + 1}
        with matplotlib.rc_context({**_STYLE, **sizes}):
            layout = matplotlib.layout()
            figure = matplotlib.figure(figsize=(form.width / 72, height / 72), dpi=72, layout=layout)
            matplotlib.canvas(figure)
            self.paint(figure, form)
            layout.execute(figure)
            figure.set_layout_engine(None)  # or saving would draw it once more, for the layout
            buffer = io.StringIO()
            figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        return _inline(buffer.getvalue(), f"{self.slug}-{form.name}", self.description)


@dataclass(frozen=True, slots=True)
class Matplotlib:
    """What is used of it."""

    rc_context: Callable[[dict[str, Any]], AbstractContextManager[None]]
    canvas: Any
    figure: Any
    layout: Any


def start_loading() -> None:
    """Load it in a thread, beside other work."""
    Thread(target=load).start()


def load() -> Matplotlib:
    """Load it, a third of a second, unless it is: only what draws a report needs it."""
    with _LOADING:
        return _loaded()


@cache
def _loaded() -> Matplotlib:
    _home_for_caches()
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.backends.backend_svg import FigureCanvasSVG  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415
    from matplotlib.layout_engine import ConstrainedLayoutEngine  # noqa: PLC0415

    mpl.rcdefaults()  # whatever the reader's own matplotlibrc says: a report has one picture
    return Matplotlib(mpl.rc_context, FigureCanvasSVG, Figure, ConstrainedLayoutEngine)


def _home_for_caches() -> None:
    """matplotlib keeps a font cache; a Lambda function may write to its temporary folder only."""
    if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
        os.environ.setdefault("MPLCONFIGDIR", os.path.join(tempfile.gettempdir(), "matplotlib"))


def _inline(document: str, name: str, description: str) -> str:
    """The ``svg`` element alone, its ids made unique in the page and its size left to the style sheet."""
    found = document[document.index("<svg") :]
    found = re.sub(r"<metadata>.*?</metadata>\s*", "", found, flags=re.DOTALL)
    found = re.sub(r'(\bid="|xlink:href="#|url\(#)', rf"\g<1>{name}-", found)
    box = re.search(r'viewBox="([^"]+)"', found)
    assert box is not None  # matplotlib always gives one
    label = html.escape(description, quote=True)
    root = (
        f'<svg id="{name}" role="img" aria-label="{label}" viewBox="{box.group(1)}" '
        f'xmlns="{_SVG}" xmlns:xlink="{_XLINK}">'
    )
    return re.sub(r"^<svg[^>]*>", lambda _: root, found, count=1).strip()
