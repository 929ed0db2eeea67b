"""Objects, state items and the loaders' gates, against moto's S3 and DynamoDB."""

from __future__ import annotations

import gzip
import json
import time

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from breakeven.errors import CaseError
from breakeven.loadgen.coordination import Progress
from breakeven.planning.execution_limits import LOADERS_PER_READ
from breakeven.results import layout
from breakeven.results.coordinator import GATE_DELAY_S, MANY_DELAY_S, StateCoordinator
from breakeven.results.items import all_loaders_item, case_item
from breakeven.results.schemas import NODES, TABLES
from breakeven.results.state import RunState
from breakeven.results.store import Store
from tests.support.aws.moto_results import state_table

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
    assert opened - arrived == pytest.approx(GATE_DELAY_S["start"], abs=1e-3)


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
    one = first.exchange(progress(producing=False))
    assert (one.reports, one.producing, one.sent) == (1, True, 10)
    both = second.exchange(progress(producing=False, sent=5, expected=5, received=1))
    assert (both.reports, both.producing, both.sent, both.expected, both.received) == (2, False, 15, 14, 5)
    assert both.aborted is None


def test_an_order_has_ended_once_it_has_for_all(state):
    first, second = (StateCoordinator(state, "a", 1, loader, 2) for loader in range(2))
    first.exchange(progress(ended=3))
    assert second.exchange(progress(ended=2)).ended == 2
    assert second.exchange(progress(ended=3)).ended == 3


def test_loaders_of_a_search_read_what_others_have_left_last(state):
    first, second, later = (StateCoordinator(state, "a", *each) for each in ((1, 0, 2), (1, 1, 2), (2, 0, 2)))
    assert second.posted_by(0) == {}
    first.tell(order="one")
    second.tell(ready="1")
    second.tell(done="1", part="two")
    assert second.posted_by(0)["order"] == "one"
    found = first.posted_by_all()
    assert {loader: said.get("done") for loader, said in found.items()} == {0: None, 1: "1"}
    assert (found[1]["ready"], found[1]["part"]) == ("1", "two")
    assert later.posted_by_all() == {}, "another attempt's is another matter"
    assert set(state.items("loader#")) == set(), "they are read apart from the exchanged progress"


MANY = LOADERS_PER_READ + 1


def many(state) -> list[StateCoordinator]:
    return [StateCoordinator(state, "a", 1, loader, MANY) for loader in range(MANY)]


def test_a_gate_of_many_opens_for_all_at_one_instant_when_the_first_has_seen_them_all(state):
    first, *others = many(state)
    for loader in others:
        loader.arrive("start")
    assert {loader.opens_at("start") for loader in (first, *others)} == {None}
    first.arrive("start")
    assert {loader.opens_at("start") for loader in others} == {None}, "the first has not looked yet"
    looked_at = time.time()
    opened = first.opens_at("start")
    assert looked_at + MANY_DELAY_S <= opened <= time.time() + MANY_DELAY_S
    assert {loader.opens_at("start") for loader in others} == {opened}
    assert others[0].opens_at("unload") is None
    for loader in (first, *others):
        loader.arrive("unload")
    assert first.opens_at("unload") >= state.get("loader#a#1#12")["gate_unload"] + MANY_DELAY_S


def test_progress_of_many_is_what_the_first_has_last_told(state):
    first, *others = many(state)
    known = others[0].exchange(progress(producing=False))
    assert (known.reports, known.producing, known.sent, known.aborted) == (0, True, 0, None)
    for loader in others:
        loader.exchange(progress(producing=False, unknown=1))
    reported = first.exchange(progress(producing=False))
    assert (reported.reports, reported.producing, reported.sent, reported.unknown) == (
        MANY,
        False,
        10 * MANY,
        MANY - 1,
    )
    assert others[0].exchange(progress(producing=False)) == reported
    assert state.items("loader#a#1#").keys() == {
        "loader#a#1#all",
        *(f"loader#a#1#{loader}" for loader in range(MANY)),
    }


def test_of_many_each_sees_an_ended_case_whatever_the_first_does(state):
    _, second, *_ = many(state)
    state.update(all_loaders_item("a", 1), reason="the first was killed")
    assert second.exchange(progress()).aborted == "the first was killed"
    with pytest.raises(CaseError, match="the first was killed"):
        second.opens_at("start")


@pytest.mark.parametrize(("loaders", "queries"), [(LOADERS_PER_READ, LOADERS_PER_READ), (100, 1)])
def test_the_reads_of_a_second_grow_with_the_loaders_and_not_with_their_square(state, loaders, queries):
    """A query of all items takes a unit for every twelve of them; a get of one item takes one."""
    counted: dict[str, int] = {}

    class Counting:
        def __getattr__(self, name):
            counted[name] = counted.get(name, 0) + 1
            return getattr(state._table, name)

    seen = RunState(Counting(), state.run_id)
    for loader in range(loaders):
        StateCoordinator(seen, "a", 1, loader, loaders).exchange(progress())
    assert counted["query"] == queries
    assert counted.get("get_item", 0) == loaders - queries


def test_as_many_items_as_is_said_are_read_by_one_unit(state):
    """As large as they come: every field set, figures of many digits."""
    figures = {"produce_per_s": 12345.678901234567, "consume_per_s": 1234.5678901234567}
    counts = dict.fromkeys(("sent", "expected", "received", "unknown"), 123_456_789)
    run = RunState(state._table, "run-20261121-1432")
    case = "capacity-search.threads-100.rabbitmq-mirrored-pair.r1"
    for loader in range(LOADERS_PER_READ):
        one = StateCoordinator(run, case, 1, loader, LOADERS_PER_READ)
        run.update(f"loader#{case}#1#{loader}", begun=True, finished=True, result=True)
        one.arrive("start")
        one.arrive("unload")
        one.exchange(progress(stage="unload", **figures, **counts))
    found = state._table.query(
        KeyConditionExpression="run_id = :run", ExpressionAttributeValues={":run": run.run_id}
    )
    assert sum(map(_stored_bytes, found["Items"])) <= 4096


def _stored_bytes(item) -> int:
    """As DynamoDB counts them: names, text in UTF-8, a byte for two digits and one more, one for a truth."""
    return sum(len(name) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value) -> int:
    if isinstance(value, bool):
        return 1
    return len(value) if isinstance(value, str) else len(str(value)) // 2 + 2


def test_an_ended_case_is_seen_at_the_next_exchange_and_at_the_gate(state):
    loader = StateCoordinator(state, "a", 1, 0, 2)
    loader.arrive("start")
    state.update(all_loaders_item("a", 1), reason="another loader was killed")
    assert loader.exchange(progress()).aborted == "another loader was killed"
    with pytest.raises(CaseError, match="another loader was killed"):
        loader.opens_at("start")
