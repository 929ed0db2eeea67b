"""The page as a file: complete in itself, escaped, and emulated never unnamed."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from xml.etree.ElementTree import Element

import pytest

from breakeven.published.rows import load_shipped
from breakeven.report.contract.report_model import Report
from breakeven.report.render.page import page
from breakeven.report.render.report_files import published_for
from breakeven.report.sections.answer.compared_targets import differences
from breakeven.report.sections.answer.service_features import SOURCES
from tests.fixtures.report import sample
from tests.fixtures.report.html import parse, text

HOSTILE = "$\\frac{x}$ \"><script>alert(1)</script><img src=x onerror=alert(2)> ]]> &amp; 'x'"
PLAN = sample.planned()
FEW = PLAN[:4]
#: charts of prices, which nothing that was measured enters
DOCUMENTATION = {url for guide in SOURCES.values() for url in guide.values()}
MONEY = {"chart-cost", "chart-hours", "chart-map", "chart-sensitivity"}


@cache
def rendered() -> str:
    return page(sample.report(), load_shipped("source-a"))


@cache
def tree() -> Element:
    return parse(rendered())


def hostile_report() -> Report:
    """Every text that a suite, a broker or an error can bring in."""
    rows = [
        row | {"scenario": HOSTILE, "cell": HOSTILE, "reason": HOSTILE, "variant": HOSTILE}
        for row in sample.answers(FEW).cases
    ]
    report = sample.report(FEW, cases=sample.failed(rows, HOSTILE, FEW[3].case_id))
    said = {"rabbitmq": HOSTILE, "sqs": HOSTILE, "notes": [HOSTILE], "hardware": {HOSTILE: HOSTILE}}
    manifest = report.manifest.model_copy(update=said | {"versions": {HOSTILE: HOSTILE}})
    return report.model_copy(update={"title": HOSTILE, "run_id": HOSTILE, "manifest": manifest})


def test_the_verdict_comes_before_any_other_text():
    assert text(tree().find(".//body")).startswith("With 1 KiB messages in us-east-1, SQS batched is the")
    assert text(tree().find(".//h1")) == sample.report().verdict.split("\n\n")[0]


def test_how_far_the_headline_may_be_off_is_set_apart_from_what_it_says():
    asides = [text(span) for span in tree().findall(".//h1//span[@class='aside']")]
    assert asides[0] == "(between 303 and 1,160)"
    assert all(aside in text(tree().find(".//h1")) for aside in asides)


def outside() -> list[Element]:
    """Links to the documentation, which are followed by a reader only: nothing is loaded of them."""
    return [one for one in tree().iter("a") if one.get("href") in DOCUMENTATION]


def test_it_loads_nothing_and_its_links_outside_are_to_the_documentation():
    assert {one.get("rel") for one in outside()} == {"noreferrer"}
    for element in (one for one in tree().iter() if one.get("href") not in DOCUMENTATION):
        for name, value in element.attrib.items():
            if name.split(":")[-1] in {"src", "href", "srcset", "action", "data", "poster"}:
                assert value.startswith("#"), (element.tag, name, value)
            if not name.startswith("xmlns"):
                assert "http" not in value or name == "http-equiv" or name == "content"
    assert not re.search(r"@import|url\((?!#)", rendered())
    assert not [element for element in tree().iter() if element.tag in {"iframe", "object", "link"}]


def test_its_script_is_its_own_and_the_only_one_that_its_policy_allows():
    data, script = tree().iter("script")
    assert (data.get("type"), data.get("id"), script.attrib) == ("application/json", "page-data", {})
    digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
    (policy,) = [one.get("content") for one in tree().iter("meta") if one.get("http-equiv")]
    assert [rule for rule in policy.split("; ") if rule.startswith("script")] == [
        f"script-src 'sha256-{digest}'"
    ]
    assert policy.startswith("default-src 'none'")
    assert not re.search(r"\beval\(|new Function|fetch\(|XMLHttpRequest", script.text)


def test_every_id_is_there_once_and_every_reference_meets_one():
    ids = [element.get("id") for element in tree().iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    wanted = {
        value[1:]
        for element in tree().iter()
        for name, value in element.attrib.items()
        if name.endswith("href") and value not in DOCUMENTATION
    } | set(re.findall(r"url\(#([^)]+)\)", rendered()))
    assert wanted - set(ids) == set()


def test_text_from_outside_is_never_markup():
    root = parse(page(hostile_report(), None))
    assert [element.get("id") for element in root.iter() if element.tag in {"script", "img"}] == [
        "page-data",
        None,
    ]
    data, ours = root.iter("script")
    assert json.loads(data.text)["title"] == HOSTILE
    assert "<" not in data.text
    assert ours.text == list(tree().iter("script"))[1].text
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on")]
    assert "<script>alert(1)</script>" in text(root.find(".//header")), "shown as it was written"
    charts = [text(svg) for svg in root.iter("svg")]
    assert any("$\\frac{x}$" in words for words in charts), "a dollar is no formula"


def test_every_row_of_emulated_figures_carries_the_badge():
    rows = [row for row in tree().iter("tr") if row.find("th") is not None and row.find("td") is not None]
    emulated = [
        row for row in rows if text(row.find("th")) == "SQS standard" and "published" not in row.get("class")
    ]
    assert len(emulated) > 24
    assert {text(row.find(".//span")) for row in emulated} == {"EMULATED"}


def test_every_chart_that_shows_emulated_figures_says_so():
    figures = [figure for figure in tree().iter("figure") if figure.get("class") == "chart"]
    assert len(figures) == 8
    for figure in figures:
        labels = {text(label) for label in figure.iter("text") if "SQS" in text(label)}
        if figure.get("id") in MONEY:  # prices are real ones
            assert "emulated" not in text(figure)
            continue
        allowed = {"SQS standard (emulated)", "SQS standard (published 2012)"}
        assert "SQS standard: emulated" in text(figure.find("figcaption"))
        assert labels
        assert labels <= allowed


def test_every_picture_has_words_for_those_who_cannot_see_it():
    pictures = list(tree().iter("svg"))
    assert len(pictures) == 16, "each chart in a wide and a narrow form"
    assert {picture.get("role") for picture in pictures} == {"img"}
    assert all(len(picture.get("aria-label")) > 40 for picture in pictures)
    cost = next(picture for picture in pictures if picture.get("id") == "cost-wide")
    assert "RabbitMQ pair of m7g.large meet at 43.9 messages a second" in cost.get("aria-label")


@pytest.mark.usefixtures("undrawn")
def test_failed_cases_and_their_reasons_are_shown_at_the_top():
    report = sample.report(
        FEW, cases=sample.failed(sample.answers(FEW).cases, "Loaders: it broke", FEW[3].case_id)
    )
    root = parse(page(report, None))
    (section,) = [element for element in root.iter("section") if element.get("id") == "failed"]
    assert "RabbitMQ mirrored pair: Loaders: it broke" in text(section)
    sections = [element.get("id") for element in root.iter("section")]
    assert sections[0] == "failed"
    assert not [element for element in tree().iter("section") if element.get("id") == "failed"]


def test_a_run_in_which_everything_failed_still_has_its_page():
    rows = sample.failed(sample.answers(PLAN).cases, "it broke", *(case.case_id for case in PLAN))
    report = sample.report(PLAN, cases=rows, **sample.NOTHING)
    root = parse(page(report, published_for(report)))
    assert not list(root.iter("svg"))
    assert "No latency was recorded in this run." in text(root)
    assert "24 of 24 cases failed" in text(root.find(".//main"))


def test_what_still_differs_is_reported_of_the_place_it_ran_in():
    (table,) = [element for element in tree().iter("figure") if element.get("id") == "table-differences"]
    said = text(table)
    assert "none: 2 nodes on one machine" in said
    assert "ElasticMQ 1.7.1, a stand-in" in said
    assert "RabbitMQ 3.10.8, Erlang 25.2.3; not supported by its makers since 2023-07-31" in said
    assert "lose what one side took (ignore)" in said
    rows = [row | {"provenance": "measured", "environment": "aws"} for row in sample.answers(FEW).cases]
    report = sample.report(FEW, cases=rows).model_copy(update={"environment": "aws"})
    remote = " ".join(cell for row in differences(report).rows for cell in row.cells)
    assert "stand-in" not in remote
    assert "TLS; at rest by default (SSE-SQS)" in remote


@pytest.mark.parametrize(
    ("zones", "said"),
    [
        ("a, b", "2: a node in each of a and b"),
        ("a", "one: all nodes are in a, as no other zone of the deployment offers their type"),
        (None, "not known: no nodes were launched"),
    ],
)
def test_the_zones_of_the_nodes_are_reported_as_they_were_launched(zones, said):
    rows = [row | {"provenance": "measured", "environment": "aws"} for row in sample.answers(FEW).cases]
    report = sample.report(FEW, cases=rows)
    pair = {**report.manifest.targets[sample.RABBITMQ], **({"zones": zones} if zones else {})}
    manifest = report.manifest.model_copy(
        update={"targets": {**report.manifest.targets, sample.RABBITMQ: pair}}
    )
    (row,) = [
        row
        for row in differences(report.model_copy(update={"manifest": manifest})).rows
        if "RabbitMQ" in row.labels[0]
    ]
    assert row.cells[0] == said


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ((None, None), "2, mirrored (ha-mode all)"),
        ((1, 1), "1 of 2, mirrored (ha-mode exactly)"),
        ((None, 1), "1 and 2 of 2, mirrored (ha-mode all and exactly)"),
    ],
)
def test_the_copies_of_mirrored_queues_are_reported_as_cases_asked_for_them(sizes, said):
    report = sample.report(tuple(case for case in PLAN if case.target == sample.RABBITMQ)[:2])
    cases = [
        case.model_copy(update={"parameters": {**case.parameters, "group_size": size}})
        for case, size in zip(report.cases, sizes, strict=True)
    ]
    (row,) = differences(report.model_copy(update={"cases": cases})).rows
    assert row.cells[1] == said


def test_the_same_report_gives_the_same_bytes():
    report = sample.report(FEW)
    assert page(report, None) == page(report, None)
