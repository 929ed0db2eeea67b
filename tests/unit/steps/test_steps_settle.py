"""What settling a case makes of a service's late counts, down to the rows that are kept."""

from __future__ import annotations

import gzip
import json
from types import SimpleNamespace
from typing import Any

import pytest

from breakeven.results import layout
from breakeven.results.items import RUN
from breakeven.steps.case import case_results
from breakeven.steps.case.prepare_case import prepare
from breakeven.steps.case.settle_case import settle
from tests.support.aws.moto_results import installed
from tests.support.aws.task_cases import RUN_ID, stored
from tests.unit.loadgen.test_loadgen_left import ALL, Estimating, handed_in


@pytest.fixture
def services(monkeypatch):
    with installed(monkeypatch) as found:
        yield found


@pytest.fixture
def settled(services, monkeypatch):
    """The rows of ledger and case, and the target, after a case whose loader received so many."""

    def settle_with(depth: int, received: int, *, still_came: bool = False) -> tuple[Any, Any, Estimating]:
        target: Any = Estimating(depth)
        monkeypatch.setattr(case_results, "time", target)
        monkeypatch.setattr(type(services), "target_of", lambda *_: target)
        target.prepare = lambda *_: SimpleNamespace(queues=("q",), mirrors=None)
        target.mirrors = target.release = lambda *_: None
        case = stored(services, loader="lambda", loaders=1)
        attempt = prepare(services, RUN_ID, case.case_id)
        (result,) = handed_in(received, still_came=still_came)
        key = layout.loader_key(RUN_ID, case.case_id, attempt, 0, "result")
        services.store.put_json(key, result.to_json())
        assert settle(services, RUN_ID, case.case_id, attempt)
        (ledger, row) = (kept(services, table, case.case_id) for table in ("ledgers", "cases"))
        return ledger, json.loads(row["flags"]), target

    return settle_with


def kept(services, table: str, case_id: str) -> dict[str, Any]:
    body = services.store.get_bytes(layout.row_key(table, RUN_ID, case_id))
    (line,) = gzip.decompress(body).splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


def test_a_case_of_which_all_was_received_is_settled_without_a_count(settled):
    ledger, flags, target = settled(5, ALL)
    assert target.asked_s == []
    assert (ledger["left_in_queue"], ledger["lost"], ledger["closed"]) == (0, 0, True)
    assert ledger["queue_count"] is None
    assert "left_estimated" not in flags


def test_of_a_drain_that_was_cut_short_the_count_is_asked_for_until_it_is_steady_and_is_marked(settled):
    ledger, flags, target = settled(5, ALL - 3, still_came=True)
    assert target.asked_s[-1] >= case_results.SETTLED_S
    assert (ledger["left_in_queue"], ledger["lost"], ledger["closed"]) == (3, None, False)
    assert (ledger["queue_count"], ledger["queue_count_exact"], ledger["queue_count_steady"]) == (
        5,
        False,
        True,
    )
    assert "left_estimated" in flags


def test_what_is_lost_stays_lost_whatever_the_count_says(settled):
    ledger, flags, target = settled(5, ALL - 3)
    assert len(target.asked_s) == 1
    assert (ledger["left_in_queue"], ledger["missing"], ledger["lost"]) == (0, 3, 3)
    assert "left_estimated" not in flags


@pytest.mark.parametrize("shared", [True, False])
def test_every_case_of_a_run_that_shares_its_machine_is_flagged(services, settled, shared):
    services.state(RUN_ID).update(RUN, shared=shared)
    _, flags, _ = settled(5, ALL)
    assert ("other_runs" in flags) == shared
