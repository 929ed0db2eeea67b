"""A target is one record and one class: a made-up one is planned, priced, opened, driven and reported."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from rich.console import Console

from breakeven.brokers.access import Access, Node
from breakeven.errors import InputError
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.merge import merge
from breakeven.planning.plan import Plan, make_plan
from breakeven.planning.self_test import counted
from breakeven.planning.warm_up import windows_of
from breakeven.published.support import support_of
from breakeven.report.charts import marks
from breakeven.report.render.markdown import markdown
from breakeven.report.render.page import page
from breakeven.report.sections.answer.compared_targets import differences
from breakeven.targets.catalog import CATALOG, PAIR, TRIO, priced_target
from breakeven.targets.record import Guarantees, Look, Nodes, Waits
from breakeven.targets.target import open_target
from breakeven.terms import TargetName
from breakeven.workload import problems
from breakeven.workload.read import parse_suite, parse_yaml
from breakeven.workload.suite import Suite
from cli.running.summary import print_summary
from tests.fixtures.report import sample
from tests.support.loaders.loader_runs import Run, brisk  # noqa: F401
from tests.support.scripted.fakes import FakeBroker

NAME = "made-up-trio"
#: of RabbitMQ 3.10.8, on the day of the sample
OLD = support_of("RabbitMQ 3.10.8", date(2026, 11, 20))
OWN, SHADE = "#12ab34", "#cd5678"
SUITE = b"""
suite: made-up
title: A target that nobody has built
targets: [sqs-standard, made-up-trio]
instrument: false
machines:
  made-up-trio:
    large: {instance_type: m7g.large}
    small: {instance_type: t4g.small, volume_gb: 9}
scenarios:
  loading: {mode: load-unload, messages: 20, threads: 2}
  open: {threads: 1, rate: 50}
"""


class MadeUp:
    """The one class."""

    name = NAME

    def __init__(self, access: Access, nodes_down: int) -> None:
        self.left = access.left(nodes_down)


@pytest.fixture(autouse=True)
def record(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one record."""
    made_up = replace(
        CATALOG[PAIR],
        name=NAME,
        label="A made-up trio",
        short_label="Made-up trio",
        opened_by=f"{__name__}:{MadeUp.__name__}",
        nodes=Nodes(3, "m7g.large", volume_gb=30, deployment="trio", debian="12"),
        open_loop={"consume": "push", "prefetch": 77, "window": 55},
        waits=Waits(unknown=0.2),
        look=Look(OWN, "#aabbcc", "*", shades=(SHADE,)),
        guarantees=Guarantees("{zones}", "{nodes}, made up", "of gold", "it holds{handling}", "{server}"),
        guarantees_locally=Guarantees("nowhere", "{nodes}, made up", "of tin", "it bends", "{server}, here"),
    )
    monkeypatch.setitem(CATALOG, NAME, made_up)


def plan() -> Plan:
    return make_plan(parse_suite(parse_yaml(SUITE, "suite"), "suite"), run_id="run-1")


def test_it_is_planned_with_its_own_settings_and_machines() -> None:
    found = [case for case in plan().cases if case.target == TargetName.of(NAME, "small")]
    assert [case.scenario for case in found] == ["loading", "open"]
    assert (found[1].workload.prefetch, found[1].workload.window, found[1].workload.consume) == (
        77,
        55,
        "push",
    )
    machines = found[0].machines
    assert machines
    assert (machines.nodes, machines.instance_type, machines.volume_gb) == (3, "t4g.small", 9)


def test_its_nodes_are_priced() -> None:
    hours = {line.item: line.quantity for line in plan().estimate.lines if line.service == "ec2"}
    assert set(hours) == {"m7g.large", "t4g.small"}
    volumes = next(line.quantity for line in plan().estimate.lines if line.service == "ebs")
    # three nodes each: volumes of 30 and of 9 GB
    assert volumes * 730 == pytest.approx(30 * hours["m7g.large"] + 9 * hours["t4g.small"])


def test_the_targets_before_it_keep_the_prices_of_their_form() -> None:
    """It is a trio of its own; the answers about money stay those of the first."""
    assert priced_target("trio") == TRIO


def test_a_name_that_is_nearly_its_own_is_refused_with_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "SCHEMA", Suite.model_json_schema())  # as at its import
    document = parse_yaml(SUITE.replace(b"made-up-trio", b"made-up-tri"), "suite")
    with pytest.raises(InputError, match="did you mean 'made-up-trio'"):
        parse_suite(document, "suite")


def test_its_class_is_opened_on_its_nodes() -> None:
    nodes = tuple(Node(name=f"n{i}", host="h", amqp_port=1, management_port=2) for i in range(3))
    opened = open_target(TargetName.of(NAME, "small"), Access(username="u", password="p", nodes=nodes), 1)
    assert isinstance(opened, MadeUp)
    assert len(opened.left.nodes) == 2


def test_cases_of_a_target_that_is_not_compared_are_no_suites_own(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = plan().cases
    assert counted(cases) == "6 cases"
    monkeypatch.setitem(CATALOG, NAME, replace(CATALOG[NAME], is_compared=False))
    assert counted(cases) == "2 cases and 4 of the self-test"
    assert {case.target for case in windows_of(cases)} == {"sqs-standard"}


@pytest.mark.usefixtures("brisk")
def test_its_case_runs() -> None:
    case = next(case for case in plan().cases if case.target.startswith(NAME) and case.scenario == "loading")
    run = Run(case, FakeBroker())
    ledger = merge(run.results(), QueueCount(run.broker.depth())).ledger
    assert (ledger.sent, ledger.received, ledger.lost) == (20, 20, 0)


def test_the_report_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    report = sample.report(sample.planned((sample.SQS, TargetName.of(NAME, "small"))))
    html = page(report, None)
    assert "A made-up trio, small" in html
    assert SHADE in html
    assert "A made-up trio, small" in markdown(report, None)
    print_summary(report, Console(width=200, color_system=None))
    assert "Made-up trio small" in capsys.readouterr().out


def test_charts_draw_it_in_its_own_colour_and_marker():
    assert (marks.series(NAME, "measured")["color"], marks.series(NAME, "measured")["marker"]) == (OWN, "*")
    assert marks.series(TargetName.of(NAME, "small"), "measured")["color"] == SHADE
    assert marks.published(NAME, "2012")["color"] == "#aabbcc"


def differs(environment: str, **known: str) -> dict[str, str]:
    """Its row of the table of what still differs, by column."""
    cases = sample.planned((sample.SQS, NAME))[:2]
    rows = [
        row | {"provenance": "measured", "environment": environment} for row in sample.answers(cases).cases
    ]
    report = sample.report(cases, cases=rows)
    manifest = report.manifest.model_copy(update={"targets": {NAME: known}})
    table = differences(report.model_copy(update={"manifest": manifest}))
    (row,) = [row for row in table.rows if row.labels == ("A made-up trio",)]
    return dict(zip(table.columns, row.cells, strict=True))


def test_what_still_differs_is_said_in_its_own_words():
    server = f"RabbitMQ 3.10.8, Erlang 25.2.3; {OLD}"
    assert differs("aws", zones="a, b, c", partition_handling="pause_minority") == {
        "Zones": "3: a node in each of a, b and c",
        "Copies": "3, made up",
        "Encryption": "of gold",
        "In a network partition": "it holds (pause_minority)",
        "Release": server,
    }
    assert differs("local") == {
        "Zones": "nowhere",
        "Copies": "3, made up",
        "Encryption": "of tin",
        "In a network partition": "it bends",
        "Release": f"{server}, here",
    }
    noted = differs("local", server="RabbitMQ 4.0.5, Erlang 27.3.4", support="by nobody")
    assert noted["Release"] == "RabbitMQ 4.0.5, Erlang 27.3.4; by nobody, here", "its own, beside another's"
