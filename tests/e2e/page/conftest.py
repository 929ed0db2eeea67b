"""A real browser for the tests of pages."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from cli.main import main
from tests.support.page.site import pages_of, write_site
from tests.support.shared import made_once

#: as root it needs the first; with the others it asks nothing of the network by itself
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Errors of any page's scripts, at any time, are failures of the module's tests."""
    errors: list[str] = []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell"), args=list(FLAGS)
        )
        new_page = chromium.new_page

        def watched(**options: Any) -> Page:
            page = new_page(**options)
            page.on("pageerror", lambda error: errors.append(f"{page.url}: {error}"))
            return page

        chromium.new_page = watched
        yield chromium
        chromium.close()
    assert errors == []


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "pages", write_site)


@pytest.fixture(scope="session")
def calculator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The calculator's file of the default region; nobody changes it."""

    def write(folder: Path) -> None:
        folder.mkdir()
        assert main(["calculator", "--out", str(folder / "calculator.html")]) == 0

    return made_once(tmp_path_factory, "calculator", write) / "calculator.html"


@pytest.fixture
def opened(browser: Browser, site: Path) -> Iterator[Callable[..., Page]]:
    """Opens a page of the site, with a hash; an error on it fails the test."""
    with pages_of(browser, site) as open_page:
        yield open_page
