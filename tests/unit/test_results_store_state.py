"""Objects, state items and the loaders' gates, against moto's S3 and DynamoDB."""

from __future__ import annotations

import gzip
import json

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from breakeven.errors import CaseError
from breakeven.loadgen.coordination import Progress
from breakeven.results import layout
from breakeven.results.coordinator import GATE_DELAY_S, StateCoordinator
from breakeven.results.schemas import NODES, TABLES
from breakeven.results.state import RunState, abort_item, case_item
from breakeven.results.store import Store
from tests.unit.moto_results import state_table

REGION = "us-east-1"


@pytest.fixture
def aws(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    with mock_aws():
        yield


@pytest.fixture
def store(aws) -> Store:
    s3 = boto3.client("s3")
    s3.create_bucket(Bucket="results")
    return Store(s3, "results")


@pytest.fixture
def state(aws) -> RunState:
    return RunState(state_table(), "run-1")


def node_row(**changed):
    return {**dict.fromkeys(NODES.columns), "case_id": "a", "node": "n", "second": 0, **changed}


def test_rows_are_gzipped_json_lines_under_their_run(store):
    store.put_rows("nodes", "run-1", "case-a", [node_row(), node_row(second=1)])
    (key,) = store.keys(layout.table_prefix("nodes"))
    assert key == "rows/nodes/run_id=run-1/case-a.json.gz"
    lines = gzip.decompress(store.get_bytes(key)).decode().splitlines()
    assert [json.loads(line)["second"] for line in lines] == [0, 1]


def test_the_same_rows_give_the_same_bytes(store):
    store.put_rows("nodes", "run-1", "a", [node_row()])
    first = store.get_bytes(layout.row_key("nodes", "run-1", "a"))
    store.put_rows("nodes", "run-1", "a", [node_row()])
    assert store.get_bytes(layout.row_key("nodes", "run-1", "a")) == first


@pytest.mark.parametrize("row", [{"case_id": "a"}, node_row(extra=1)])
def test_a_row_that_is_not_the_schema_is_refused(store, row):
    with pytest.raises(ValueError, match="columns differ"):
        store.put_rows("nodes", "run-1", "a", [row])


def test_table_and_column_names_are_lower_case_as_glue_wants_them():
    for table in TABLES:
        for name in (table.name, *table.columns):
            assert name == name.lower()


def test_secrets_of_one_lane_go_without_the_other(store):
    store.put_secret(layout.access_key("run-1", "a"), "{}")
    store.put_secret(layout.access_key("run-1", "b"), "{}")
    store.delete_all(layout.secrets_prefix("run-1", "a"))
    assert store.keys(layout.secrets_prefix("run-1")) == [layout.access_key("run-1", "b")]


def test_fields_come_back_as_they_were_set(state):
    fields = {"whole": 3, "part": 0.1, "text": "x", "nothing": None, "map": {"deep": [1, 2.5]}, "yes": True}
    state.update("run", **fields)
    state.update("run", text="y")
    found = state.get("run")
    assert {name: found[name] for name in fields} == {**fields, "text": "y"}


def test_attempts_count_up(state):
    state.update(case_item("a"), status="running")
    assert [state.next_attempt("a") for _ in range(3)] == [1, 2, 3]
    assert state.get(case_item("a"))["status"] == "running"


def test_items_are_found_by_prefix_and_only_of_this_run(state):
    state.update(case_item("a"), x=1)
    state.update("lane#t", x=1)
    RunState(state._table, "run-2").update(case_item("b"), x=1)
    assert set(state.items("case#")) == {case_item("a")}
    assert set(state.items()) == {case_item("a"), "lane#t"}


def progress(**changed) -> Progress:
    fields = {"stage": "measure", "producing": True, "sent": 10, "expected": 9, "received": 4}
    return Progress(**{**fields, "produce_per_s": 5.0, "consume_per_s": 2.0, **changed})


def test_a_gate_opens_for_all_at_one_instant_after_the_last_arrival(state):
    first, second = (StateCoordinator(state, "a", 1, loader, 2) for loader in range(2))
    first.arrive("start")
    assert first.opens_at("start") is None
    second.arrive("start")
    opened = first.opens_at("start")
    assert opened == second.opens_at("start")
    arrived = state.get("loader#a#1#1")["gate_start"]
    assert opened == pytest.approx(arrived + GATE_DELAY_S["start"])


def test_a_restarted_loader_never_joins_late(state):
    StateCoordinator(state, "a", 1, 0, 1).arrive("start")
    with pytest.raises(CaseError, match="restarted"):
        StateCoordinator(state, "a", 1, 0, 1).arrive("start")
    StateCoordinator(state, "a", 2, 0, 1).arrive("start")  # a new attempt is another matter


def test_other_errors_of_the_table_are_not_taken_for_a_restart(state):
    state._table.delete()
    with pytest.raises(ClientError):
        StateCoordinator(state, "a", 1, 0, 1).arrive("start")


def test_progress_is_added_up_and_counts_absent_loaders_as_producing(state):
    first, second = (StateCoordinator(state, "a", 1, loader, 2) for loader in range(2))
    alone = first.exchange(progress(producing=False))
    assert (alone.reports, alone.producing, alone.sent) == (1, True, 10)
    both = second.exchange(progress(producing=False, sent=5, expected=5, received=1))
    assert (both.reports, both.producing, both.sent, both.expected, both.received) == (2, False, 15, 14, 5)
    assert both.aborted is None


def test_an_ended_case_is_seen_at_the_next_exchange_and_at_the_gate(state):
    loader = StateCoordinator(state, "a", 1, 0, 2)
    loader.arrive("start")
    state.update(abort_item("a", 1), reason="another loader was killed")
    assert loader.exchange(progress()).aborted == "another loader was killed"
    with pytest.raises(CaseError, match="another loader was killed"):
        loader.opens_at("start")
