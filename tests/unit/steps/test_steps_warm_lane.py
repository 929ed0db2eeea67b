"""A lane's warm-up: windows until two are alike, bounded, recorded, and never a reason to stop."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import pytest

from breakeven.errors import CaseError
from breakeven.loadgen.record.cell import Cell
from breakeven.planning.plan import make_plan
from breakeven.planning.warm_up import MOST_WINDOWS
from breakeven.results.items import lane_item
from breakeven.steps.lane import warm_lane
from breakeven.steps.lane.warm_lane import warm
from breakeven.steps.lane.warm_up_record import Kind, WarmUp
from breakeven.workload.read import parse_suite

RUN, TARGET, MOST_S = "run-1", "rabbitmq-mirrored-pair", 40.0
SIZES = {"threads": 5, "message_size": ["1KiB", "8KiB"]}


class Lane:
    """Stands for the services, the run's state and the target; ``queues`` are there now."""

    def __init__(
        self, refuses: str | None = None, target: str = TARGET, scenario: dict[str, Any] = SIZES
    ) -> None:
        self.target = target
        document = {"suite": "mine", "title": "A suite", "targets": [target], "instrument": False}
        suite = parse_suite({**document, "scenarios": {"p": scenario}}, "mine.yaml")
        self.cases = {case.case_id: case for case in make_plan(suite, run_id=RUN, environment="local").cases}
        self.queues: set[str] = set()
        self.made: list[str] = []
        self.items: dict[str, str] = {}
        self._refuses = refuses

    def case(self, run_id, case_id):
        return self.cases[case_id]

    def state(self, run_id):
        return self

    def update(self, item, **fields):
        assert item == lane_item(self.target)
        self.items |= fields

    def target_of(self, case):
        return self

    def prepare(self, case, attempt):
        if self._refuses:
            raise CaseError(self._refuses)
        self.made.append(case.case_id)
        self.queues.add(case.case_id)
        return SimpleNamespace(queues=(case.case_id,))

    def client(self, workload):
        return SimpleNamespace(close=lambda: None)

    def release(self, queues):
        self.queues -= set(queues)

    def warm_up(self) -> WarmUp:
        return WarmUp.model_validate_json(self.items["warm_up"])


def driven(monkeypatch, rates):
    """Each window sends and receives the next of the rates, messages a second."""
    left = iter(rates)

    def run_loader(assignment, *_):
        cell = Cell()
        cell.complete(1, 1, next(left))
        return SimpleNamespace(cells={("measure", "produce"): cell, ("measure", "end_to_end"): cell})

    monkeypatch.setattr(warm_lane, "run_loader", run_loader)


class Clock:
    """Stands still but for the windows, of which each takes so many seconds."""

    def __init__(self, monkeypatch, lane, *, window_s) -> None:
        self.now, release = 0.0, lane.release

        def passes(queues):
            self.now += window_s
            release(queues)

        monkeypatch.setattr(lane, "release", passes)
        monkeypatch.setattr(warm_lane.time, "monotonic", lambda: self.now)


def test_each_kind_is_done_until_two_windows_in_a_row_are_alike(monkeypatch):
    driven(monkeypatch, [100, 200, 400, 420, 1000, 1090])
    lane = Lane()
    warm(lane, RUN, TARGET, lane.cases, MOST_S)
    found = lane.warm_up()
    assert [[sent for sent, _ in kind.rates] for kind in found.kinds] == [[100, 200, 400, 420], [1000, 1090]]
    assert not found.cold
    assert "1,024 B: 100 msg/s sent at first, 420 at last (4 windows), steady" in found.words()
    assert len(set(lane.made)) == 6, "each on a fresh queue"
    assert not lane.queues


def test_what_never_gets_steady_ends_and_is_not_warm(monkeypatch):
    driven(monkeypatch, (100 * 2**n for n in itertools.count()))
    lane = Lane()
    warm(lane, RUN, TARGET, lane.cases, MOST_S)
    assert [len(kind.rates) for kind in lane.warm_up().kinds] == [MOST_WINDOWS, MOST_WINDOWS]
    assert lane.warm_up().cold
    assert "not steady" in lane.warm_up().words()


def test_two_kinds_of_one_size_have_two_names_so_that_none_is_both_steady_and_not(monkeypatch):
    driven(monkeypatch, [100, 100, *(100 * 2**n for n in range(MOST_WINDOWS))])
    batches = {"threads": 5, "send_batch": [1, 10], "receive_batch": 10, "delete_batch": 10}
    lane = Lane(target="sqs-standard", scenario=batches)
    warm(lane, RUN, lane.target, lane.cases, 1000.0)
    found = lane.warm_up()
    one, other = [kind.words() for kind in found.kinds]
    assert one == "1,024 B, sent singly: 100 msg/s sent at first, 100 at last (2 windows), steady"
    assert other == (
        "1,024 B, sent in batches of 10: 100 msg/s sent at first, 204,800 at last (12 windows), not steady "
        "(sent 102,400, then 204,800 and received 102,400, then 204,800)"
    )
    assert found.cold == other
    assert found.words().endswith(f"s discarded; {one}; {other}")


@pytest.mark.parametrize(
    ("rates", "said"),
    [
        ([(100, 80)], "100 msg/s sent at first, 100 at last (1 window), not steady"),
        (
            [(100, 80), (101, 60)],
            "100 msg/s sent at first, 101 at last (2 windows), not steady (received 80, then 60)",
        ),
        ([(100, 80), (101, 80)], "100 msg/s sent at first, 101 at last (2 windows), steady"),
    ],
)
def test_what_was_not_alike_is_said_with_its_two_rates(rates, said):
    assert Kind(message_bytes=16, rates=rates).words() == f"16 B: {said}"


def test_when_the_time_is_up_no_window_is_begun(monkeypatch):
    driven(monkeypatch, itertools.repeat(100))
    clock = Clock(monkeypatch, lane := Lane(), window_s=MOST_S)
    warm(lane, RUN, TARGET, lane.cases, MOST_S)
    first, second = lane.warm_up().kinds
    assert (len(first.rates), second.rates) == (1, [])
    assert clock.now == MOST_S
    assert "8,192 B: no time left" in lane.warm_up().words()
    assert lane.warm_up().cold


@pytest.mark.parametrize(("window_s", "each"), [(1, [5, 5]), (2, [3, 2]), (3, [2, 2])])
def test_each_kind_has_its_share_of_the_time(monkeypatch, window_s, each):
    driven(monkeypatch, (100 * 2**n for n in itertools.count()))
    Clock(monkeypatch, lane := Lane(), window_s=window_s)
    warm(lane, RUN, TARGET, lane.cases, 10.0)
    assert [len(kind.rates) for kind in lane.warm_up().kinds] == each


def test_what_a_kind_leaves_of_its_share_goes_to_one_that_is_not_steady_yet(monkeypatch):
    driven(monkeypatch, [100, 200, 400, 800, 1600, 50, 50, 3200, 3300])
    clock = Clock(monkeypatch, lane := Lane(), window_s=2)
    warm(lane, RUN, TARGET, lane.cases, 20.0)
    found = lane.warm_up()
    assert [len(kind.rates) for kind in found.kinds] == [7, 2]
    assert clock.now == 18.0
    assert not found.cold


def test_a_target_that_refuses_is_no_reason_to_stop_and_leaves_nothing(monkeypatch):
    lane = Lane(refuses="no queue can be declared")
    warm(lane, RUN, TARGET, lane.cases, MOST_S)
    assert lane.warm_up().reason == "was broken off: no queue can be declared"
    assert lane.warm_up().cold

    def run_loader(*_):
        raise CaseError("gone")

    monkeypatch.setattr(warm_lane, "run_loader", run_loader)
    lane = Lane()
    warm(lane, RUN, TARGET, lane.cases, MOST_S)
    assert lane.warm_up().reason == "was broken off: gone"
    assert lane.made
    assert not lane.queues


@pytest.mark.parametrize(
    ("rates", "steady"),
    [
        ([(100, 100)], False),
        ([(100, 100), (90, 100)], True),
        ([(100, 100), (89, 100)], False),
        ([(100, 100), (100, 89)], False),
        ([(100, 100), (111, 100)], True),
        ([(100, 100), (112, 100)], False),
        ([(10, 10), (100, 100), (100, 100)], True),
        ([(100, 0), (100, 0)], False),
    ],
)
def test_windows_are_alike_within_a_tenth_of_the_greater_rate(rates, steady):
    assert Kind(message_bytes=16, rates=rates).is_steady == steady
