"""The page's script, bundled from ``web/`` when the checkout is set up, and what it is given."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache

from markupsafe import Markup

from breakeven.report.render.bundle import BUNDLE
from breakeven.report.render.page_data import Json, embedded


@dataclass(frozen=True, slots=True)
class Script:
    """``digest`` is what the page's content policy allows: this text and no other."""

    text: Markup
    digest: str
    data: Markup


def script(data: Json | None) -> Script | None:
    """None where there is nothing that a reader could change.

    :param data: what the page embeds
    :raises RuntimeError: the script was not bundled
    """
    if data is None:
        return None
    text = _bundle()
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    # ours, and JSON in which no element can begin or end
    return Script(Markup(text), f"sha256-{digest}", Markup(embedded(data)))  # noqa: S704


@cache
def _bundle() -> str:
    if not BUNDLE.is_file():
        raise RuntimeError(f"{BUNDLE} is missing: setup/setup.sh run bundles the page's script")
    text = BUNDLE.read_text(encoding="utf-8").strip()
    if "</script" in text.lower() or "<!--" in text:
        raise RuntimeError(f"{BUNDLE} would end its own element: set up again")
    return text
