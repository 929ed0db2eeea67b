"""The live page of a run in a real browser: it follows the run, and goes to its report at the end."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Page
from rich.console import Console

from breakeven.report.render.page import page as render
from breakeven.results.items import case_item, loader_item
from cli.running.live.live_server import LiveServer
from cli.running.live.live_view import LivePageView
from cli.running.progress import PlainView, Snapshot, snapshot
from tests.fixtures.report import sample
from tests.support.page.accessible import assert_accessible

HOSTILE = '"><script>window.ran=1</script><img src=x onerror="window.ran=1">'
CASES = sample.planned()[:4]
FIRST, SECOND = CASES[0].case_id, CASES[1].case_id


def under_way() -> Snapshot:
    """The first case failed, the second is measured by two loaders."""
    loader = {"stage": "measure", "produce_per_s": 480.0, "consume_per_s": 470.0}
    began = {"status": "running", "attempt": 1, "started_at": "2026-11-20T00:00:00+00:00"}
    return snapshot(
        {
            case_item(FIRST): {"status": "failed", "reason": HOSTILE},
            case_item(SECOND): began,
            loader_item(SECOND, 1, 0): loader,
            loader_item(SECOND, 1, 1): loader,
        },
        CASES,
    )


@pytest.fixture
def run(tmp_path):
    """The page of a run, and the view by which the run shows itself."""
    with LiveServer(0, "run-1", f"Quick {HOSTILE}") as server, Path("/dev/null").open("w") as nowhere:
        yield server, LivePageView(PlainView(Console(file=nowhere)), server, CASES, tmp_path / "run-1")


@pytest.fixture
def opened(browser, run):
    """The page; fails in the end on an error, a word on the console, or a request for anything else."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    events: list[str] = []
    page.on("console", lambda message: events.append(message.text))
    page.on("pageerror", lambda error: events.append(str(error)))
    page.on("request", lambda request: events.append(request.url) if not _is_ours(request.url, run) else None)
    page.goto(run[0].address)
    yield page
    page.close()
    assert events == []


def _is_ours(url: str, run) -> bool:
    return url.startswith((run[0].address, "data:"))


def test_it_follows_the_run_and_goes_to_its_report(opened: Page, run, tmp_path):
    _, view = run
    opened.locator("#now", has_text="Starting. 0 of 4 cases settled.").wait_for()
    view.say("SQS: a server")
    view.show(under_way())
    opened.locator("#now", has_text="measure. 1 of 4 cases settled.").wait_for()
    assert opened.locator(f'[data-case="{FIRST}"] .reason').inner_text() == HOSTILE
    assert "running" in opened.locator(f'[data-case="{SECOND}"]').inner_text()
    assert "Last: 960 sent and 940 received a second." in opened.locator("#chart svg").get_attribute(
        "aria-label"
    )
    assert opened.locator("#lines").inner_text() == "SQS: a server"
    assert opened.evaluate("window.ran") is None
    assert_accessible(opened)
    report = tmp_path / "run-1" / "report"
    report.mkdir(parents=True)
    (report / "index.html").write_text(render(sample.report(CASES), None), encoding="utf-8")
    view.end("ok")
    opened.wait_for_url("**/report/index.html")
    assert opened.locator("h1").inner_text() == sample.report(CASES).verdict.split("\n\n")[0]
    run[0].close()
    opened.locator("#control-traffic").fill("250")
    assert opened.locator("#yours-verdict").inner_text().startswith("At 657 million messages"), (
        "without its server"
    )


def test_what_is_happening_is_not_said_anew_while_it_goes_on(opened: Page, run):
    run[1].show(under_way())
    opened.locator("#now", has_text="measure. 1 of 4 cases settled.").wait_for()
    opened.evaluate(
        """() => {
            window.anew = 0;
            new MutationObserver(() => { window.anew += 1; }).observe(
                document.getElementById('now'), {childList: true, characterData: true, subtree: true});
            const shown = new MutationObserver(() => document.body.classList.add('again'));
            shown.observe(document.getElementById('cases'), {childList: true});
        }"""
    )
    opened.locator("body.again").wait_for()
    assert opened.evaluate("anew") == 0


def test_an_interrupted_run_says_so_and_where_its_results_are(opened: Page, run, tmp_path):
    run[1].show(under_way())
    run[1].end("interrupted")
    opened.locator("#now", has_text="Interrupted. 1 of 4 cases settled").wait_for()
    assert str(tmp_path / "run-1") in opened.locator("#now").inner_text()
    assert opened.locator("#gone").inner_text() == "The run has ended, and this page with it."


def test_the_marks_of_time_are_whole_and_evenly_apart(opened: Page, run):
    run[1].show(under_way())
    opened.locator("#now", has_text="measure").wait_for()
    texts = opened.locator("#chart svg text").evaluate_all(
        "all => all.map(one => [one.textContent, +one.getAttribute('x')])"
    )
    marks = [(text, x) for text, x in texts if ":" in text]
    seconds = [int(minutes) * 60 + int(rest) for minutes, rest in (text.split(":") for text, _ in marks)]
    assert len(marks) >= 4
    assert {after - before for before, after in pairwise(seconds)} == {10}
    places = [after - before for (_, before), (_, after) in pairwise(marks)]
    assert max(places) - min(places) < 0.01


def test_at_a_desk_every_column_is_seen_and_has_a_title(opened: Page, run):
    run[1].show(under_way())
    opened.locator("#now", has_text="measure").wait_for()
    status = opened.request.get(f"{run[0].address}status.json").json()
    for case in status["cases"]:
        case["name"] = "small-messages, 1024 B, 40 threads, repeat 2"
        case["rates"] = {"sent_per_s": 12_345.6, "received_per_s": 12_345.6}
        for metric in ("produce", "consume", "end_to_end"):
            case["latencies"][metric] = {"p50_ms": 1234.5, "p99_ms": 12_345.6}
    run[0].show(status)
    opened.locator("#cases td", has_text="12,300").first.wait_for()
    assert (
        opened.locator("#cases").evaluate("table => table.scrollWidth - table.parentElement.clientWidth") <= 0
    )
    titles = opened.locator("#cases thead th").all_inner_texts()
    assert titles[:3] == ["Case", "Target", "Status"]
    assert titles[4:7] == ["Produce, ms", "Consume, ms", "End to end, ms"]
    assert all(titles)


@pytest.mark.parametrize("width", [1280, 768, 390])
def test_it_is_never_wider_than_its_window(opened: Page, run, width):
    run[1].show(under_way())
    opened.set_viewport_size({"width": width, "height": 800})
    opened.locator("#now", has_text="measure").wait_for()
    assert opened.evaluate("document.scrollingElement.scrollWidth") == width
