"""Inputs that make no sense: exit code 2, one line with field, value and remedy, and nothing started."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from breakeven.pricing.prices.book_files import BOOKS, DEFAULT_REGION, books, read_book
from breakeven.workload.read import load_file
from cli import main as command
from cli.exit_codes import NOT_READ
from tests.support.refused_input import refused
from tests.support.workflow.command import ROOT

BOOK = (BOOKS / f"{DEFAULT_REGION}.json").read_text()
SUITE = """
suite: x
title: T
targets: [sqs-standard]
instrument: false
scenarios:
  a: {threads: 1, measure_s: 1}
"""
ONE = "threads: 1, measure_s: 1"
OPEN_LOOP = "belongs to an open loop, which has a rate; give rate, or remove it"
COUNT = "must be a whole number from 1 to 800"
SIZE = "must be a size from 16B"
RATE = "must be messages a second, 0.0001 to 10000000"
NAMES = "a mapping of names, at least one"

#: what a suite says -> the text that it replaces, what it is replaced by, and what is said of it
SUITES: dict[str, tuple[str, str, str]] = {
    "no target at all": (
        ONE,
        f"{ONE}, targets: []",
        "scenarios.a.targets: '[]': must have at least one of sqs-standard, sqs-fifo",
    ),
    "confirmed by default": (
        "scenarios:",
        "defaults: {confirm_s: 3}\nscenarios:",
        "defaults.confirm_s: 3: has no default; give it in each scenario that needs it",
    ),
    "arrivals, no rate": (
        ONE,
        "threads: 1, arrivals: poisson",
        f"scenarios.a.arrivals: 'poisson': {OPEN_LOOP}",
    ),
    "arrivals of a load": (
        ONE,
        "mode: load-unload, messages: 5, threads: 1, arrivals: constant",
        f"scenarios.a.arrivals: 'constant': {OPEN_LOOP}",
    ),
    "rate_per, no rate": (
        ONE,
        "threads: 1, rate_per: producer",
        f"scenarios.a.rate_per: 'producer': {OPEN_LOOP}",
    ),
    "arrivals by default": (
        "scenarios:",
        "defaults: {arrivals: poisson}\nscenarios:",
        f"defaults.arrivals: 'poisson': {OPEN_LOOP}",
    ),
    "binary": (ONE, "threads: 0b1", f"scenarios.a.threads: '0b1': {COUNT}"),
    "underscore": (ONE, "threads: 1_0", f"scenarios.a.threads: '1_0': {COUNT}"),
    "infinite rate": (ONE, "threads: 1, rate: .inf", f"scenarios.a.rate: inf: {RATE}"),
    "no rate": (ONE, "threads: 1, rate: .nan", f"scenarios.a.rate: nan: {RATE}"),
    "next to no rate": (ONE, "threads: 1, rate: 1e-300", f"scenarios.a.rate: 1e-300: {RATE}"),
    "endless rate": (ONE, "threads: 1, rate: 1e999", f"scenarios.a.rate: inf: {RATE}"),
    "no scenarios": ("scenarios:\n  a: {threads: 1, measure_s: 1}\n", "", f"scenarios: is required: {NAMES}"),
    "null scenarios": ("\n  a: {threads: 1, measure_s: 1}", "", f"scenarios: 'nothing': must be {NAMES}"),
    "empty scenarios": ("\n  a: {threads: 1, measure_s: 1}", " {}", f"scenarios: '{{}}': must be {NAMES}"),
    "list of scenarios": ("\n  a: {threads: 1, measure_s: 1}", " []", f"scenarios: '[]': must be {NAMES}"),
    "null group": (
        ONE,
        "threads: 1, group_size: null",
        "scenarios.a.group_size: 'nothing': must be a whole number from 1 to 9",
    ),
    "null in a list of cells": (
        ONE,
        "threads: 1, cells: [{queues: 1}, {queues: }]",
        "scenarios.a.cells.1.queues: 'nothing': must be a whole number from 1 to 100; or leave it out",
    ),
    "slip of the pen": (ONE, "thread: 3", "scenarios.a.thread: 3: no such field; did you mean 'threads'?"),
    "no field at all": (ONE, "xyzzy: 3", "scenarios.a.xyzzy: 3: no such field; docs/suites.md lists them"),
    "null scenario": (f"{{{ONE}}}", "", "scenarios.a: 'nothing': must be a mapping of"),
    "name that is null": (ONE, f"~: 1, {ONE}", "scenarios.a.None: 'nothing': the name of a field is text"),
    "name that is a number": ("  a:", "  1:", "scenarios.1: 1: the name must be small letters"),
    "name that is a list": ("  a:", "  [a, b]:", "line 7, column 3: '[a, b]: {threads: 1, measure_s: 1}'"),
    "two documents": ("suite: x", "suite: x\n---\nsuite: y", "line 3, column 1: '---': is not YAML"),
    "tab": (
        "  a:",
        "\ta:",
        "line 7, column 1: 'a: {threads: 1, measure_s: 1}': is not YAML that a suite can have: a tab",
    ),
    "target of another suite": (
        ONE,
        f"{ONE}, targets: [sqs-fifo]",
        "scenarios.a.targets: 'sqs-fifo': not among the targets of the suite; add it there, or remove it",
    ),
    "target twice": (
        "[sqs-standard]",
        "[sqs-standard, sqs-standard]",
        "targets: '[sqs-standard, sqs-standard]': entry 2 is there twice; remove it",
    ),
    "no targets written": ("[sqs-standard]", "", "targets: 'nothing': must be one of sqs-standard"),
    "time with its unit": (
        ONE,
        "threads: 1, measure_s: 10s",
        "scenarios.a.measure_s: '10s': must be a number from 1 to 10800, in seconds",
    ),
    "letter of another script": (
        ONE,
        f"{ONE}, thre\u0430ds: 2",
        "no such field; its '\u0430' is CYRILLIC SMALL LETTER A; did you mean 'threads'?",
    ),
    "digits of another script": (ONE, "threads: \u0661", f"scenarios.a.threads: '\u0661': {COUNT}"),
    "title of blanks": ("title: T", "title: '  '", "title: '  ': must be one line of text"),
    "title that turns": (
        "title: T",
        'title: "a\\u202Eb"',
        "title: 'a\\u202eb': must be one line of text",
    ),
    "control character": (
        "title: T",
        "title: \x00",
        "character 17: 'U+0000': no character that a suite can have",
    ),
    "title with a command": (
        "title: T",
        'title: "a\\e[31m"',
        "title: 'a\\x1b[31m': must be one line of text",
    ),
    "too deep": ("title: T", "title: " + "[" * 2000, "file: 'nesting': too deep"),
    "number of many digits": (ONE, f"threads: {'9' * 5000}", "a number of 5000 digits"),
    "repeats that are true": ("title: T", "title: T\nrepeats: true", "repeats: True: must be a whole number"),
    "repeats with a point": ("title: T", "title: T\nrepeats: 1.0", "repeats: 1.0: must be a whole number"),
    "seed below 0": ("title: T", "title: T\nseed: -1", "seed: -1: must be a whole number from 0"),
    "no size": (ONE, "threads: 1, message_size: 0", f"scenarios.a.message_size: 0: {SIZE}"),
    "size with a point": (
        ONE,
        "threads: 1, message_size: 1.5KiB",
        "message_size: '1.5KiB': a size is a whole number and its unit: write whole bytes, 1536B",
    ),
    "size below 0": (ONE, "threads: 1, message_size: -1KiB", f"message_size: '-1KiB': {SIZE}"),
    "threads in a list in a list": (ONE, "threads: [[1]]", f"scenarios.a.threads.0: '[1]': {COUNT}"),
    "threads from 1": (ONE, "threads: {from: 1}", f"scenarios.a.threads.0: '{{from: 1}}': {COUNT}"),
    "profile without rate": (
        ONE,
        "threads: 1, profile: [{rate: 0, for_s: 5}]",
        "scenarios.a.rate: is required by profile",
    ),
    "nobody consumes": (ONE, "producers: 2", "scenarios.a.consumers: is required"),
    "instrument as target": ("[sqs-standard]", "[instrument]", "targets.0: 'instrument': must be one of"),
    "machines of no target": (
        "instrument: false",
        "machines: {rabbitmq-mirrored-pair: {a: {nodes: 2}}}",
        "machines.rabbitmq-mirrored-pair: 'a': rabbitmq-mirrored-pair is not among the targets",
    ),
    "wait beyond SQS's": (
        ONE,
        "threads: 1, wait_s: 21",
        "scenarios.a.wait_s: 21: must be a number from 0 to 20",
    ),
}


@pytest.mark.parametrize("name", SUITES)
def test_a_suite(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    before, after, said = SUITES[name]
    path = tmp_path / "suite.yaml"
    path.write_text(SUITE.replace(before, after, 1))
    assert said in refused(capsys, "run", str(path), "--runs", str(tmp_path / "runs"))
    assert not (tmp_path / "runs").exists()


HONOURED = {"threads: 010": 10, "threads: 0o10": 8, "threads: 0x10": 16, "threads: 1, rate: 1e3": 1}


@pytest.mark.parametrize("text", HONOURED)
def test_numbers_of_yaml_1_2_are_what_they_look_like(tmp_path: Path, text: str) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(SUITE.replace(ONE, text))
    scenario = load_file(path).scenarios["a"]
    assert scenario.threads == [HONOURED[text]]
    assert scenario.rate == ([1000.0] if "rate" in text else None)


def test_arrivals_by_default_need_one_open_loop(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    text = SUITE.replace(
        "scenarios:", "defaults: {arrivals: poisson}\nscenarios:\n  b: {threads: 2, rate: 5}"
    )
    path.write_text(text)
    assert command.main(["plan", str(path)]) == 0


#: of a price book: what is changed, into what, and what is said of it
BOOK_FAULTS: dict[str, tuple[str, str, str]] = {
    "unit of another item": (
        '"unit": "request"',
        '"unit": "hour"',
        "prices.0.unit: 'hour': bills count sqs/standard_request by request; convert the price",
    ),
    "unit that is none": ('"unit": "hour"', '"unit": "banana"', "unit: 'banana': bills count ec2/"),
    "price below 0": (r'"usd": [0-9.e-]+', '"usd": -1', "prices.0.usd: -1: must be at least 0"),
    "price that is text": (r'"usd": [0-9.e-]+', '"usd": "1"', "prices.0.usd: '1': must be a number"),
    "price that is true": (r'"usd": [0-9.e-]+', '"usd": true', "prices.0.usd: True: must be a number"),
    "price that is none": (r'"usd": [0-9.e-]+', '"usd": NaN', "prices.0.usd: nan: must be a finite number"),
    "no day": (r'"as_of": "[0-9-]+"', '"as_of": "2026-13-01"', "as_of: '2026-13-01': month must be in 1..12"),
    "day in words": (r'"as_of": "[0-9-]+"', '"as_of": "today"', "as_of: 'today': must be a date such as"),
    "price beyond all bills": (r'"usd": [0-9.e-]+', '"usd": 1e308', "usd: 1e+308: must be at most 1000000"),
    "no prices": (
        r'(?s)"prices": .*',
        '"prices": []}',
        "book.json': has no price of sqs/standard_request; add it",
    ),
    "list": (r"(?s).*", "[1]", "book: '[1]': must be an object; a price book is an object with name, region"),
    "empty object": (
        r"(?s).*",
        "{}",
        "name: is required; a price book is an object with name, region, as_of",
    ),
    "field twice": (r"\{", '{"name": "other", ', "field: 'name': is there twice; keep one of them"),
    "price twice": (r'"usd": [0-9.e-]+', '"usd": 1, "usd": 2', "field: 'usd': is there twice"),
    "tiers apart": (r'"from": [1-9][0-9]*', '"from": 7', "let tiers follow one another from 0"),
    "day to come": (r'"as_of": "[0-9-]+"', '"as_of": "2099-01-01"', "as_of: '2099-01-01': is in the future"),
    "nothing": (
        r"(?s).*",
        "",
        "line 1, column 1: 'end of file': is not JSON: the file is empty; give a price",
    ),
    "text without quotes": (
        r"(?s).*",
        '{\n  "name": us-east-1}',
        "book.json: line 2, column 11: 'us-east-1}': is not JSON: a value is missing here; text needs double "
        "quotes around it; give a price book in JSON",
    ),
    "deep": (r"(?s).*", "[" * 100_000, "give a price book in JSON"),
}


@pytest.mark.parametrize("name", BOOK_FAULTS)
def test_a_book(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    before, after, said = BOOK_FAULTS[name]
    path = tmp_path / "book.json"
    path.write_text(re.sub(before, lambda _: after, BOOK, count=1))
    assert said in refused(capsys, "crossover", "--book", str(path))


@pytest.mark.parametrize("name", books())
def test_shipped_books_count_in_the_same_units(tmp_path: Path, name: str) -> None:
    copy = tmp_path / "book.json"
    copy.write_text((BOOKS / f"{name}.json").read_text())
    assert read_book(copy).prices


@pytest.mark.parametrize(
    "option", [["plan"], ["crossover", "--book"], ["crossover", "--capacity-from"], ["report"]]
)
def test_a_pipe_is_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: list[str]
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert str(pipe) in refused(capsys, *option, str(pipe))


@pytest.mark.parametrize("body", ["[" * 100_000, '{"a":' * 100_000, "", "null", "<html>", '{"run_id": NaN}'])
@pytest.mark.parametrize("option", [["report"], ["crossover", "--capacity-from"]])
def test_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str], option: list[str], body: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(body)
    line = refused(capsys, *option, str(path))
    assert str(path) in line
    assert "give a report.json as docs/report.schema.json describes it" in line


@pytest.mark.usefixtures("undrawn")
def test_a_report_of_a_newer_version(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["report", "--published", "A", "--runs", str(tmp_path), "--json"]) == 0
    capsys.readouterr()
    (path,) = tmp_path.rglob("report.json")
    document = json.loads(path.read_text())
    document["cost_questions"][0]["inputs"]["copies_on_the_moon"] = 3
    path.write_text(json.dumps(document))
    line = refused(capsys, "report", str(path))
    assert "copies_on_the_moon" in line
    assert "of another version" in line


class Page(BaseHTTPRequestHandler):
    """A web server's, which answers whatever it is asked."""

    body, kind = b"<html><h1>It works!</h1></html>", "text/html"

    def do_POST(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", self.kind)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_: object) -> None:
        pass


class Document(Page):
    body, kind = json.dumps({"QueueUrls": 3}).encode(), "application/json"


@pytest.fixture(params=[Page, Document])
def web_server(request: pytest.FixtureRequest) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), request.param) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_an_endpoint_that_is_not_of_sqs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], web_server: str
) -> None:
    argv = ("run", "quick", "--sqs-endpoint", web_server, "--runs", str(tmp_path / "runs"))
    line = refused(capsys, *argv)
    assert f"--sqs-endpoint: url: '{web_server}': nothing there speaks SQS" in line
    assert "html" not in line


def test_who_has_read_enough_sees_no_traceback() -> None:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'functions'}"}
    argv = [sys.executable, "-m", "cli", "plan", "sqs-vs-rabbitmq-2012"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(argv, env=environment, cwd=ROOT, text=True, **pipes) as process:  # type: ignore[call-overload]
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (NOT_READ, "")
