"""What is left in a queue, and what is lost, where the service only estimates."""

from __future__ import annotations

import pytest

from breakeven.loadgen import drain
from breakeven.loadgen.drain import Drain
from breakeven.loadgen.ledger.ledger import Ledger, LoaderLedger, ProducerLedger
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.ledger.sequences import SequenceSet
from breakeven.loadgen.merge import merge
from breakeven.loadgen.reconciliation import Account, account, outstanding, was_cut_short
from breakeven.loadgen.result import LoaderResult
from breakeven.steps.case import case_results
from breakeven.targets.catalog import record_of
from tests.support.scripted.fakes import make_case

ALL = 20


def handed_in(received: int = ALL, *, still_came: bool = False) -> list[LoaderResult]:
    """One loader that sent ``ALL`` messages, each confirmed, and received the first of them."""
    confirmed, got = SequenceSet.first(ALL), SequenceSet.first(received)
    result = LoaderResult("run", "case", 1, 0, 1, "parallel", 1.0, final=True, ledger=Ledger())
    result.ledger = Ledger({0: ProducerLedger(ALL, confirmed)}, {0: got})
    result.still_came = still_came
    return [result]


def accounted(results: list[LoaderResult], estimate: int) -> Account:
    found = account(results, QueueCount(estimate, exact=False))
    assert found.sent == found.received + found.missing + found.left
    return found


def test_with_all_received_a_stale_depth_of_five_leaves_nothing_and_the_ledger_closes() -> None:
    found = accounted(handed_in(), estimate=5)
    assert (found.left, found.missing, found.lost, found.closed) == (0, 0, 0, True)
    assert outstanding(handed_in()) == 0
    exact = account(handed_in(), QueueCount(5))
    assert (exact.left, exact.lost, exact.closed) == (0, 0, True)


def test_three_lost_with_a_stale_depth_of_five_are_three_lost() -> None:
    found = accounted(handed_in(ALL - 3), estimate=5)
    assert (found.left, found.missing, found.lost, found.closed) == (0, 3, 3, True)
    assert merge(handed_in(ALL - 3), QueueCount(5, exact=False)).flags == {}


def test_an_exact_count_lessens_what_is_lost() -> None:
    found = account(handed_in(ALL - 3), QueueCount(2))
    assert (found.left, found.missing, found.lost, found.closed) == (2, 1, 1, False)


def test_a_drain_cut_short_leaves_what_is_lost_unknown_and_its_estimate_is_marked() -> None:
    results = handed_in(ALL - 3, still_came=True)
    assert was_cut_short(results)
    found = merge(results, QueueCount(5, exact=False, steady=False))
    ledger = found.ledger
    assert (ledger.left, ledger.missing, ledger.lost, ledger.closed) == (3, 0, None, False)
    assert "left_estimated" in found.flags
    row = ledger.row()
    assert (row["queue_count"], row["queue_count_exact"], row["queue_count_steady"]) == (5, False, False)


class Estimating:
    """A target whose depths are estimates; notes when it was asked."""

    exact_depth = False

    def __init__(self, *depths: int) -> None:
        self.depths, self.asked_s, self.now_s = list(depths), [], 0.0

    def depth(self, queues: tuple[str, ...]) -> int:
        self.asked_s.append(self.now_s)
        return self.depths.pop(0) if len(self.depths) > 1 else self.depths[0]

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch):
    """``count_left`` of a target with these depths, on a clock of its own."""

    def ask(*depths: int, outstanding: int = 3, patient: bool = True) -> tuple[QueueCount | None, Estimating]:
        target = Estimating(*depths)
        monkeypatch.setattr(case_results, "time", target)
        return case_results.count_left(target, ("q",), outstanding, patient=patient), target  # type: ignore[arg-type]

    return ask


def test_a_queue_from_which_all_was_received_is_not_asked(asked) -> None:
    count, target = asked(5, outstanding=0)
    assert (count, target.asked_s) == (None, [])


def test_an_estimate_is_asked_for_again_beyond_the_minute_that_it_may_be_late(asked) -> None:
    count, target = asked(5)
    assert count == QueueCount(5, exact=False, steady=True)
    assert target.asked_s[-1] >= case_results.SETTLED_S
    count, target = asked(5, 5, 5, 0)
    assert (count, target.now_s) == (QueueCount(0, exact=False), 3 * case_results.AGAIN_S)


def test_an_estimate_that_goes_on_changing_ends_the_asking_and_says_so(asked) -> None:
    count, target = asked(*range(1000, 1, -1))
    assert count is not None
    assert (count.exact, count.steady) == (False, False)
    assert target.now_s == case_results.ESTIMATES_FOR_S


def test_where_nothing_hangs_on_it_an_estimate_is_asked_for_once(asked) -> None:
    count, target = asked(5, patient=False)
    assert (count, len(target.asked_s)) == (QueueCount(5, exact=False, steady=False), 1)


def test_a_drain_waits_beyond_its_deadline_for_what_may_be_hidden_and_not_for_a_stream(monkeypatch) -> None:
    """SQS hides a message whose receive was lost for 30 s; while messages stream, a deadline is one."""
    case = make_case().model_copy(update={"target": "sqs-standard"})
    waiting = Drain(case, LoaderLedger("test", 1, [0]), lambda: None)
    over = {
        idle_s: (waiting.is_overdue(0), waiting.is_idle(5.0), waiting.still_comes())
        for idle_s in (0.5, 20.0, 36.0)
        if not monkeypatch.setattr(waiting, "idle_s", lambda idle_s=idle_s: idle_s)
    }
    assert over == {0.5: (True, False, True), 20.0: (False, False, True), 36.0: (True, True, False)}
    assert record_of("sqs-standard").waits.hidden > 30


def test_time_in_which_the_loader_was_held_up_is_not_idle_time(monkeypatch) -> None:
    """A host that stalls for two seconds stalls the consumers too: their messages have not stopped coming."""
    now_ns = 0
    monkeypatch.setattr(drain.time, "monotonic_ns", lambda: now_ns)
    waiting = Drain(make_case(), LoaderLedger("test", 1, [0]), lambda: None)
    idle_s = []
    for passed_s in (0.0, 0.02, 2.0, 0.02):
        now_ns += round(passed_s * 1e9)
        idle_s.append(waiting.idle_s())
    assert idle_s == pytest.approx([0.0, 0.02, 0.27, 0.29])
