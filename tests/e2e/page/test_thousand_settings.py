"""A thousand random settings in the browser: the crossings that a reader saves are those of the SQL."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page

from breakeven.errors import InputError
from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.inputs import ask
from breakeven.pricing.prices.book_files import load_book, regions
from breakeven.report.render.page import page as render
from breakeven.report.render.page_data import page_data
from local.stored.answers import answers
from tests.fixtures.report import sample
from tests.support.page.settings import Setting, of_one_pair, question_of, random_inputs

COUNT, SEED = 1000, 29
MILLIONTH = 1e-6
#: settings whose link is opened in a page of its own
OPENED_ANEW = 20
#: takes the file that the page would save, and saves none
TAKE = """() => {
    HTMLAnchorElement.prototype.click = () => undefined;
    const made = URL.createObjectURL;
    URL.createObjectURL = (blob) => { window.saved = blob; return made.call(URL, blob); };
    window.save = async () => {
        window.saved = undefined;
        document.getElementById("save-csv").click();
        while (!window.saved) await new Promise((done) => setTimeout(done));
        return await window.saved.text();
    };
}"""
FOLLOW = """async (hash) => {
    const changed = new Promise((done) => addEventListener("hashchange", done, {once: true}));
    location.hash = hash;
    await changed;
    const problem = document.getElementById("yours-link").textContent;
    return [await window.save(), problem];
}"""


def opened(browser: Browser, path: Path, hash: str = "") -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(path.as_uri() + hash)
    page.evaluate(TAKE)
    return page


def drawn(own: dict[str, Any], controls: set[str]) -> list[tuple[str, Setting]]:
    """Settings of which every price is known, each with its hash.

    :param own: the page's own inputs
    :param controls: the inputs that it lets a reader change
    """
    random, found = Random(SEED), []
    while len(found) < COUNT:
        region = random.choice(regions())
        fields = random_inputs(random).model_dump(mode="json")
        chosen = {key: value for key, value in fields.items() if key in controls}
        book = load_book(region)
        if f"cluster.{chosen['amazon_mq']}" not in book.items("amazonmq"):
            continue  # it is not among the control's choices
        try:
            inputs = ask(**(own | chosen | {"msg_per_s": fields["msg_per_s"]}))
            asked = question_of(f"q{len(found)}", inputs, book)
        except InputError:
            continue
        state = {"region": region, "unit": "second", "traffic": fields["msg_per_s"]} | chosen
        pairs = (f"{key}={quote('' if value is None else str(value))}" for key, value in state.items())
        found.append(("&".join(("#v1", *pairs)), Setting(inputs, region, asked)))
    return found


def crossings(saved: str) -> dict[str, list[dict[str, str]]]:
    """By their pair, the rows of crossings in a saved file."""
    found: dict[str, list[dict[str, str]]] = {}
    for row in csv.DictReader(io.StringIO(saved)):
        if row["kind"] == "crossing":
            found.setdefault(row["option"], []).append(row)
    return found


@pytest.mark.thorough
def test_what_a_reader_saves_of_a_thousand_settings_has_the_crossings_of_the_sql(
    browser: Browser, tmp_path: Path
) -> None:
    report = sample.report(sample.planned()[:2])
    data = page_data(report)
    assert data
    path = tmp_path / "index.html"
    path.write_text(render(report, None), encoding="utf-8")
    page = opened(browser, path)
    ids = page.locator("[id^=control-]").evaluate_all("found => found.map((one) => one.id)")
    settings = drawn(data["inputs"], {id.removeprefix("control-") for id in ids})
    asked = [of_one_pair(setting, number) for number, (_, setting) in enumerate(settings)]
    wanted: dict[str, list[dict[str, Any]]] = {}
    for row in answers(Asked(tuple(asked)).rows(), ["crossover"])["crossover"]:
        wanted.setdefault(row["question_id"], []).append(row)
    met = 0
    for (hash, _), one in zip(settings, asked, strict=True):
        saved, problem = page.evaluate(FOLLOW, hash)
        assert problem == "", hash
        first, second = one.options
        found = crossings(saved)[f"{first.label} / {second.label}"]
        rows = wanted[one.question_id]
        assert [row["line"] for row in found] == [row["kind"] for row in rows], hash
        for row, own in zip(found, rows, strict=True):
            rate = own["msg_per_s"]
            met += rate is not None
            assert (row["units"] == "") == (rate is None), hash
            assert rate is None or float(row["units"]) == pytest.approx(rate, rel=MILLIONTH), hash
    assert met > COUNT / 4
    for hash, _ in settings[:OPENED_ANEW]:
        saved, _ = page.evaluate(FOLLOW, hash)
        other = opened(browser, path, hash)
        assert other.evaluate("window.save()") == saved, hash
        other.close()
