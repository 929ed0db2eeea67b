"""A run that goes on with another: what it takes over, what it runs, and what it refuses."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from breakeven.errors import InputError, SelfTestFailedError
from breakeven.planning.budget.allowance import Allowance
from breakeven.planning.budget.metric_lines import metrics_read
from breakeven.planning.execution_limits import METRICS_WAIT_S
from breakeven.planning.plan import Plan
from breakeven.report.tables.instrument_findings import FAILED
from breakeven.results import layout
from breakeven.results.items import RUN, case_item, lane_item
from breakeven.results.schemas import TABLES
from breakeven.steps.run import resume_run
from breakeven.steps.run.finish_run import finish_run
from breakeven.steps.run.plan_run import plan_run
from breakeven.steps.run.resume_run import is_settled
from breakeven.steps.run.run_input import RunInput
from breakeven.targets.catalog import INSTRUMENT
from breakeven.version import RUN_FORMAT
from breakeven.workload.read import load_shipped
from tests.support.aws.moto_results import installed

FIRST, SECOND, STARTED = "first", "second", "2026-11-20T00:00:00Z"
HERE = {"name": "local", "hardware": {"cores": 2, "processor": "any"}}
SQS = "sqs-standard"


@pytest.fixture
def services(monkeypatch):
    with installed(monkeypatch) as found:
        yield found


def plan(services, run_id, *, running=(), surroundings=HERE, allowance=None, **document: Any):
    return plan_run(
        services,
        run_id,
        {**({"surroundings": surroundings} if surroundings else {}), **document},
        execution=f"arn:{run_id}",
        started_at=STARTED,
        is_running=lambda execution: execution in {f"arn:{one}" for one in running},
        simulated=True,
        allowance=allowance or Allowance(),
    )


def cases_of(answer) -> list[str]:
    return [case["case_id"] for legs in answer["rounds"] for leg in legs for case in leg["cases"]]


def end(services, run_id, case_id, status="ok", attempt=1, **fields):
    """As a case leaves its records and rows; ``attempt`` 0: it was never begun."""
    target = case_id.split(".")[-2]
    begun = {"attempt": attempt, "queues": "[]"} if attempt else {}
    services.state(run_id).update(
        case_item(case_id), case_id=case_id, target=target, status=status, **begun, **fields
    )
    for table in TABLES[:2]:
        key = layout.row_key(table.name, run_id, case_id)
        services.store.put_bytes(key, f"{table.name} of {case_id}".encode())
    services.store.put_bytes(layout.histogram_key(run_id, case_id), b"latencies", "text/plain")


def rows(services, run_id) -> dict[str, bytes]:
    """What a query finds of a run: table and object's name -> its content."""
    found = {}
    for table in TABLES:
        prefix = layout.rows_prefix(table.name, run_id)
        found |= {
            f"{table.name}/{key.removeprefix(prefix)}": services.store.get_bytes(key)
            for key in services.store.keys(prefix)
        }
    return found


@pytest.mark.parametrize(
    ("item", "settled"),
    [
        ({"status": "ok", "attempt": 1}, True),
        ({"status": "failed", "attempt": 1}, True),
        ({"status": "failed", "reason": "the run's deadline has passed"}, False),
        ({"status": "running", "attempt": 1}, False),
        ({"attempt": 1}, False),
        ({}, False),
    ],
)
def test_a_case_is_settled_by_an_outcome_of_its_own(item, settled):
    assert is_settled(item) == settled


@pytest.fixture
def aborted(services):
    """A run of the suite ``quick`` that was aborted: its cases, of which the first two are settled."""
    everyone = cases_of(plan(services, FIRST, suite="quick"))
    end(services, FIRST, everyone[0], loader_limit={"words": "cpu"})
    end(services, FIRST, everyone[1], "failed", reason="no")
    end(services, FIRST, everyone[2], "failed", attempt=0, reason="the run's deadline has passed")
    end(services, FIRST, everyone[3], "running")
    for target, server in ((INSTRUMENT, "our own"), (SQS, "ElasticMQ")):
        services.state(FIRST).update(
            lane_item(target),
            status="ready",
            server=server,
            provenance="emulated",
            parameters={"a": 1},
            other=1,
        )
    return everyone


def test_it_runs_what_is_not_settled_and_takes_over_what_is(services, aborted):
    left = cases_of(plan(services, SECOND, resume_run_id=FIRST))
    assert sorted(left) == sorted(aborted[2:])
    taken = rows(services, SECOND)
    assert {name for name in taken if name.startswith("cases/")} == {
        f"cases/{case_id}.json.gz" for case_id in aborted[:2]
    }
    assert taken.items() <= rows(services, FIRST).items()
    assert any(name.endswith("questions.json.gz") for name in taken)
    state = services.state(SECOND)
    assert state.get(RUN)["cases"] == len(aborted)
    assert state.get(RUN)["resumes"] == FIRST
    records = state.items("case#")
    assert records.keys() == {case_item(case_id) for case_id in aborted[:2]}
    first = records[case_item(aborted[0])]
    assert (first["status"], first["settled_in"], first["loader_limit"]) == ("ok", FIRST, {"words": "cpu"})
    lane = state.get(lane_item(INSTRUMENT))
    assert lane.items() >= {"server": "our own", "provenance": "emulated"}.items()
    assert "other" not in lane
    assert not state.get(lane_item(SQS)), "what is to be measured anew may be measured on another server"
    for case_id in aborted:
        assert services.case(SECOND, case_id).run_id == SECOND
    reported = services.store.get_json(layout.plan_key(SECOND))
    own = [case_id for case_id in aborted[2:] if services.case(SECOND, case_id).target != INSTRUMENT]
    settled_in = reported["resumed"].pop("settled_in")
    assert settled_in == dict.fromkeys(aborted[:2], FIRST)
    assert reported["resumed"] == {"run_id": FIRST, "settled": 0, "cases": len(own)}, "the self-test's apart"
    assert [case["case_id"] for case in reported["plan"]["cases"]] == [
        case["case_id"] for case in services.store.get_json(layout.plan_key(FIRST))["plan"]["cases"]
    ]


def test_cloudwatch_is_asked_of_what_a_run_had_settled_that_ended_before_it_asked(services):
    everyone = cases_of(plan(services, FIRST, surroundings=None, suite="quick"))
    for case_id in everyone:
        end(services, FIRST, case_id)
    assert plan(services, SECOND, surroundings=None, resume_run_id=FIRST)["metrics"]
    for case_id in everyone:
        services.store.put_bytes(layout.row_key("service_minutes", FIRST, case_id), b"minutes")
    assert not plan(services, "third", surroundings=None, resume_run_id=FIRST)["metrics"]
    waits, not_again = (
        services.store.get_json(layout.plan_key(run_id))["plan"]["estimate"] for run_id in (SECOND, "third")
    )
    assert waits["seconds"] - not_again["seconds"] == METRICS_WAIT_S
    first, third = ({line["what"]: line["quantity"] for line in each["lines"]} for each in (waits, not_again))
    read = metrics_read([services.case(FIRST, case_id) for case_id in everyone])
    assert (first["metrics of services, read"], third["metrics of services, read"]) == (read, 0)
    assert first["workflow"] > third["workflow"]


def test_twice_it_does_the_same_and_the_run_before_stays_as_it_is(services, aborted):
    before = (rows(services, FIRST), services.state(FIRST).items())
    once = plan(services, SECOND, resume_run_id=FIRST), rows(services, SECOND)
    assert (plan(services, SECOND, resume_run_id=FIRST), rows(services, SECOND)) == once
    assert (rows(services, FIRST), services.state(FIRST).items()) == before


def test_lanes_are_opened_and_closed_again_for_what_is_left(services, aborted):
    answer = plan(services, SECOND, resume_run_id=FIRST)
    for target in {leg["target"] for legs in answer["rounds"] for leg in legs}:
        legs = [leg for legs in answer["rounds"] for leg in legs if leg["target"] == target]
        assert (legs[0]["opens"], legs[-1]["closes"]) == (True, True)


def test_a_resumed_run_can_be_gone_on_with_and_says_where_a_case_was_settled(services, aborted):
    plan(services, SECOND, resume_run_id=FIRST)
    end(services, SECOND, aborted[2])
    assert sorted(cases_of(plan(services, "third", resume_run_id=SECOND))) == sorted(aborted[3:])
    records = services.state("third").items("case#")
    assert {records[case_item(case_id)]["settled_in"] for case_id in aborted[:2]} == {FIRST}
    assert records[case_item(aborted[2])]["settled_in"] == SECOND
    settled_in = services.store.get_json(layout.plan_key("third"))["resumed"]["settled_in"]
    assert settled_in == {**dict.fromkeys(aborted[:2], FIRST), aborted[2]: SECOND}


def test_a_run_whose_report_failed_has_only_that_left(services, aborted):
    for case_id in aborted:
        end(services, FIRST, case_id)
    finish_run(services, FIRST, {"BuildReport": {"Error": "States.Timeout"}})
    assert plan(services, SECOND, resume_run_id=FIRST)["rounds"] == []
    assert finish_run(services, SECOND, {})["status"] == "ok"


def refusal(services, **document) -> InputError:
    with pytest.raises(InputError) as caught:
        plan(services, SECOND, **document)
    assert services.store.keys(layout.run_prefix(SECOND)) == []
    assert services.state(SECOND).items() == {}
    return caught.value


def test_a_run_that_is_not_there_is_refused(services, aborted):
    error = refusal(services, resume_run_id="another")
    assert (error.field, error.value) == ("resume_run_id", "another")
    assert "no run of that name was planned" in error.remedy
    assert "hyphens" in refusal(services, resume_run_id="../first").remedy


def test_a_run_that_still_runs_is_refused(services, aborted):
    error = refusal(services, resume_run_id=FIRST, running=[FIRST])
    assert "still runs" in error.remedy
    assert f"stop-execution --execution-arn arn:{FIRST}" in error.remedy


@pytest.mark.parametrize("status", ["ok", "failed"])
def test_a_complete_run_is_refused(services, aborted, status):
    for case_id in aborted:
        end(services, FIRST, case_id, status, reason="no" if status == "failed" else None)
    finish_run(services, FIRST, {})
    error = refusal(services, resume_run_id=FIRST)
    assert error.field == "resume_run_id"
    assert f"complete ({status})" in error.remedy


@pytest.mark.parametrize(
    ("verdict", "kind", "status"),
    [
        ("{warning} AMQP: programmed 7 lost, counted 6.", SelfTestFailedError, "ok"),
        ("The headline.", InputError, "ok"),
        # a run without a case that is ok ends with another code
        ("{warning}", InputError, "failed"),
    ],
)
def test_a_complete_run_whose_self_test_failed_is_refused_with_that(services, aborted, verdict, kind, status):
    for case_id in aborted:
        end(services, FIRST, case_id, status)
    finish_run(services, FIRST, {})
    services.state(FIRST).update(RUN, verdict=f"Headline.\n\n{verdict.format(warning=FAILED)}")
    error = refusal(services, resume_run_id=FIRST)
    assert type(error) is kind
    said = (
        "and its self-test failed: do not rely on its measured figures; start a new run, on an idle machine"
    )
    assert (said in error.remedy) == (kind is SelfTestFailedError)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("suite", "capacity"),
        ("scale", 0.5),
        ("region", "eu-west-1"),
        ("seed", 7),
        ("variant", "as-published"),
    ],
)
def test_what_would_make_it_another_run_is_refused_by_its_name(services, aborted, field, value):
    error = refusal(services, resume_run_id=FIRST, **{field: value})
    assert error.field == field
    assert f"run {FIRST} has" in error.remedy
    assert f"leave {field} out" in error.remedy


def test_what_is_the_same_may_be_said(services, aborted):
    same = {"suite": load_shipped("quick").document(), "scale": 1.0, "region": "us-east-1", "seed": None}
    assert cases_of(plan(services, SECOND, resume_run_id=FIRST, **same))


def test_figures_of_two_machines_do_not_go_into_one_report(services, aborted):
    other = {"name": "local", "hardware": {"cores": 8, "processor": "any"}}
    assert refusal(services, resume_run_id=FIRST, surroundings=other).field == "surroundings.hardware"
    assert refusal(services, resume_run_id=FIRST, surroundings=None).field == "surroundings.name"


def test_the_reader_is_told_what_goes_for_either_part(services):
    first = {**HERE, "notes": ["both", "SQS was stood in for by moto."]}
    everyone = cases_of(plan(services, FIRST, surroundings=first, suite="quick"))
    end(services, FIRST, everyone[0])
    second = {**HERE, "notes": ["both", "SQS was stood in for by ElasticMQ."]}
    plan(services, SECOND, surroundings=second, resume_run_id=FIRST)
    found = services.store.get_json(layout.plan_key(SECOND))["input"]["surroundings"]
    assert found["notes"] == [*first["notes"], second["notes"][1]]
    assert found["hardware"] == HERE["hardware"]


def test_nor_do_those_of_two_versions(services, aborted, monkeypatch):
    monkeypatch.setattr(resume_run, "VERSION", "9.9.9")
    assert "planned by version" in refusal(services, resume_run_id=FIRST).remedy


def test_nor_do_those_of_two_formats(services, aborted, monkeypatch):
    monkeypatch.setattr(resume_run, "RUN_FORMAT", RUN_FORMAT + 1)
    said = f"its files are of format {RUN_FORMAT}, those of this version of {RUN_FORMAT + 1};"
    assert said in refusal(services, resume_run_id=FIRST).remedy


#: of each format, a digest of the shapes of plans, inputs and rows
SHAPES = {1: "4132914c50b90a47", 2: "cade60ff63bc8be0"}


#: keys of a JSON schema that say what a value is made of; those that may be chosen come and go
STRUCTURE = {"type", "properties", "required", "items", "prefixItems", "anyOf", "oneOf", "$ref"}


def shapes(schema, *, are_names=False):
    """A schema without its words and limits: they change no file that was written."""
    if isinstance(schema, list):
        return [shapes(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: each for name, each in schema.items() if are_names or name in STRUCTURE | {"$defs"}}
    return {name: shapes(each, are_names=name in {"properties", "$defs"}) for name, each in kept.items()}


def test_a_format_is_one_shape_of_what_runs_leave_behind():
    models = [shapes(model.model_json_schema()) for model in (Plan, RunInput)]
    rows = {table.name: table.columns for table in TABLES}
    digest = hashlib.sha256(json.dumps([models, rows], sort_keys=True).encode()).hexdigest()[:16]
    assert SHAPES[RUN_FORMAT] == digest, (
        f"raise RUN_FORMAT in breakeven/version.py, and give it {digest} here"
    )


def test_a_run_whose_state_has_expired_is_refused(services, aborted):
    for item in services.state(FIRST).items():
        services.table.delete_item(Key={"run_id": FIRST, "item": item})
    assert "kept for 90 days" in refusal(services, resume_run_id=FIRST).remedy


def test_what_is_left_is_held_to_the_limits_of_the_deployment_and_of_the_input(services):
    aws: dict[str, Any] = {"surroundings": None}
    everyone = cases_of(plan(services, FIRST, suite="quick", **aws))
    end(services, FIRST, everyone[0])
    assert refusal(services, resume_run_id=FIRST, max_usd=0.01, **aws).field == "max_usd"
    only = Allowance(suites=("capacity",))
    assert refusal(services, resume_run_id=FIRST, allowance=only, **aws).field == "suite"
    whole = services.store.get_json(layout.plan_key(FIRST))["plan"]["estimate"]["usd"]
    plan(services, SECOND, resume_run_id=FIRST, **aws)
    assert services.store.get_json(layout.plan_key(SECOND))["plan"]["estimate"]["usd"] < whole
