"""A report's page as a file, and a browser's pages of it, which fail a test by any error or request."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from breakeven.report.render.page import page as render
from breakeven.report.render.page_data import embedded
from tests.fixtures.report import sample

DESK = {"width": 1280, "height": 900}
HOSTILE = "=cmd|'/c calc'!A1 <img src=x onerror=alert(1)>"
#: a few cases: the controls need none
PLAN = sample.planned()[:4]


def write_site(folder: Path) -> None:
    """A new folder with ``index.html``, and ``hostile.html`` with a title that means harm."""
    folder.mkdir()
    report = sample.report(PLAN)
    (folder / "index.html").write_text(render(report, None))
    (folder / "hostile.html").write_text(render(report.model_copy(update={"title": HOSTILE}), None))


def with_inputs(site: Path, name: str, **inputs: Any) -> str:
    """The name of a copy of ``index.html`` with other inputs; of a capacity among them it is known."""
    before, data, after = re.split(
        r'(?<=id="page-data">)(.*?)(?=</script>)', (site / "index.html").read_text(), maxsplit=1
    )
    changed = json.loads(data)
    changed["inputs"] |= inputs
    if "capacity_msg_per_s" in inputs:
        changed["capacities"] = [_capacity(changed["inputs"]), *changed["capacities"]]
    (site / name).write_text(before + embedded(changed) + after)
    return name


def _capacity(inputs: dict[str, Any]) -> dict[str, Any]:
    """What the page knows of a question's own pair."""
    return {
        "deployment": "pair",
        "nodes": 2,
        "copies": 2,
        "instance": inputs["instance"],
        "message_bytes": inputs["message_bytes"],
        "msg_per_s": inputs["capacity_msg_per_s"],
        "low": inputs["capacity_low_msg_per_s"],
        "high": inputs["capacity_high_msg_per_s"],
        "nodes_down": None,
        "managed": False,
        "about": "as this report's question has it",
    }


@contextmanager
def pages_of(browser: Browser, site: Path) -> Iterator[Callable[..., Page]]:
    """Opens pages; fails in the end on an error, a word on the console or a request for anything else."""
    pages: list[Page] = []
    events: list[str] = []

    def open_page(name: str = "index.html", hash: str = "", **options: Any) -> Page:
        page = browser.new_page(**{"viewport": DESK, **options})
        pages.append(page)
        page.on("console", lambda message: events.append(message.text))
        page.on("pageerror", lambda error: events.append(str(error)))
        page.on(
            "request",
            lambda request: events.append(request.url) if not _is_ours(request.url, site) else None,
        )
        page.goto((site / name).as_uri() + hash)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert events == []


def _is_ours(url: str, site: Path) -> bool:
    return url.startswith((site.as_uri(), "data:image/svg+xml", "blob:"))
