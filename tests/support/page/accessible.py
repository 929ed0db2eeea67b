"""Faults of a page that axe finds."""

from __future__ import annotations

import json

from playwright.sync_api import Page

from tests.support.page.evaluator import WEB

AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"


def assert_accessible(page: Page) -> None:
    """No serious or critical fault, as the page stands."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    grave = [one for one in found if one["impact"] in {"serious", "critical"}]
    assert not grave, json.dumps(
        [(one["id"], [node["html"][:160] for node in one["nodes"][:4]]) for one in grave], indent=1
    )
