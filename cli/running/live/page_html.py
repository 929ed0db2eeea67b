"""The live page's HTML: the report's style, a script of its own, and nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from markupsafe import Markup

from breakeven.errors import BreakevenError
from breakeven.report.render.bundle import TEMPLATES
from breakeven.report.render.templating import templates

OWN = Path(__file__).parent / "templates"
STYLES = (TEMPLATES / "style.css", OWN / "live.css")
#: ``setup/page.sh`` bundles it from ``web/``
SCRIPT = Path(__file__).parent / "compiled" / "live.js"


def page_html(run_id: str, title: str) -> bytes:
    """
    :param title: the suite's
    :raises BreakevenError: the script was not bundled
    """
    style = "".join(path.read_text(encoding="utf-8") for path in STYLES)
    # both ours: a script that would end its own element is refused where it is bundled, by a test
    given = {"style": Markup(style), "script": Markup(_script())}  # noqa: S704
    return templates(OWN).get_template("live.html").render(run_id=run_id, title=title, **given).encode()


def _script() -> str:
    if not SCRIPT.is_file():
        raise BreakevenError(f"{SCRIPT} is missing: run setup/setup.sh run, which bundles it")
    return SCRIPT.read_text(encoding="utf-8").strip()


def _digest() -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(_script().encode()).digest()).decode()


def policy() -> str:
    """What the page may do: run that one script, and ask its own server."""
    return (
        f"default-src 'none'; script-src '{_digest()}'; connect-src 'self'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
