"""What the contenders print, recorded, and what the benchmarks read out of it."""

from __future__ import annotations

import json

import pytest

from bench import java_sdk, ours, perftest
from bench.contender_settings import CLASSIC, QUORUM, Load, Times
from bench.measured import Figures, Percentiles
from bench.watched import Line
from breakeven.errors import BreakevenError

# PerfTest 2.22.1
STARTING = "id: test-122051-173, starting producer #0, channel #0"
BOTH = (
    "id: test-122051-173, time 5.001 s, sent: 9610 msg/s, confirmed: 9570 msg/s, nacked: 0 msg/s, "
    "received: 9570 msg/s, min/median/75th/95th/99th consumer latency: 305/9960/16778/76206/90275 µs, "
    "confirm latency: 410/9108/13491/27782/43656 µs"
)
LATER = (
    "id: test-122051-173, time 10.001 s, sent: 16424 msg/s, confirmed: 16464 msg/s, nacked: 0 msg/s, "
    "received: 16464 msg/s, min/median/75th/95th/99th consumer latency: 438/5692/7889/12547/18078 µs, "
    "confirm latency: 415/8609/11595/18488/27150 µs"
)
STOPPED = (
    "test stopped (Reached time limit)",
    "id: test-122051-173, sending rate avg: 13850 msg/s",
    "id: test-122051-173, receiving rate avg: 13850 msg/s",
    "id: test-122051-173, consumer latency min/median/75th/95th/99th 369/6207/9124/26968/79507 µs",
    "id: test-122051-173, confirm latency min/median/75th/95th/99th 459/8622/11898/20945/35933 µs",
)
PUBLISHED = "id: test-122109-675, time 5.000 s, sent: 13742 msg/s"
CONFIRMED = (
    "id: test-125938-326, time 2.005 s, sent: 3155 msg/s, confirmed: 3067 msg/s, nacked: 0 msg/s, "
    "min/median/75th/95th/99th confirm latency: 779/33870/48919/98814/120278 µs"
)
TIMES = Times(warmup_s=5, window_s=5, repeats=1)


def test_an_interval_is_read() -> None:
    found = perftest.interval(BOTH)
    assert found == perftest.Interval(5.001, 9610, 9570, Percentiles(9960, 90275), Percentiles(9108, 43656))


def test_an_interval_of_a_publisher_alone_is_read() -> None:
    assert perftest.interval(PUBLISHED) == perftest.Interval(5.0, 13742, None, None, None)
    found = perftest.interval(CONFIRMED)
    assert found == perftest.Interval(2.005, 3155, None, None, Percentiles(33870, 120278))


@pytest.mark.parametrize("line", [STARTING, *STOPPED, ""])
def test_nothing_else_is_an_interval(line: str) -> None:
    assert perftest.interval(line) is None


def test_its_figures_are_of_the_interval_after_the_warmup() -> None:
    texts = (STARTING, BOTH, LATER, *STOPPED)
    lines = [
        Line(at_s=at, cpu_s=cpu, text=text) for at, cpu, text in zip(range(9), range(9), texts, strict=False)
    ]
    found = perftest.figures(lines, Load(), TIMES)
    assert found.per_s == 16464
    assert found.cpu_us == pytest.approx(1e6 / (16464 * 5))  # a second of CPU between the two lines
    assert found.end_to_end == Percentiles(5692, 18078)


def test_a_run_that_ended_in_its_warmup_has_no_figures() -> None:
    with pytest.raises(BreakevenError, match="1 intervals, 2 are needed"):
        perftest.figures([Line(0, 0, BOTH)], Load(), TIMES)


def test_the_arguments_are_those_of_the_comparison() -> None:
    given = " ".join(perftest.arguments(Load(), Times(20, 10, 7), "q", CLASSIC))
    assert given == "-x1 -y1 -s 1024 -c 200 -q 200 -f persistent -ad false -u q -i 10 -z 31"
    publishing = Load(consumes=False, confirms=False, max_length=9, rate=2000, warm_rate=8000)
    given = " ".join(perftest.arguments(publishing, Times(20, 10, 7), "q", CLASSIC))
    assert given.startswith("-x1 -y0 -s 1024 -f persistent -ad false")
    assert given.endswith("-qa x-max-length=9 -vr 8000:15 -vr 2000:3600")


def test_a_queue_is_declared_again_as_it_was_declared() -> None:
    asked = Load(consumes=False, max_length=9)
    assert QUORUM.declared(asked) == {**QUORUM.arguments, "x-max-length": 9}
    *_, given = perftest.arguments(asked, Times(20, 10, 7), "q", QUORUM)
    assert given.split(",") == [f"{name}={value}" for name, value in QUORUM.declared(asked).items()]


def looks(*counts: tuple[str, int, int]) -> list[Line]:
    """One a second, a tenth of a second of CPU each."""
    texts = [json.dumps({"stage": stage, "sent": sent, "received": got}) for stage, sent, got in counts]
    return [Line(number, number / 10, text) for number, text in enumerate(texts)]


def last_line(**changed: int) -> Line:
    counts = dict.fromkeys(("duplicates", "unexpected", "returned", "nacked"), 0)
    ledger = {**counts, "sent": 900, "received": 900, **changed}
    document = {"percentiles": {"produce": [10.0, 20.0]}, "ledger": ledger, "errors": {}, "flags": []}
    return Line(99, 99, json.dumps(document))


def test_our_window_is_within_the_stage() -> None:
    lines = looks(("warmup", 50, 50), ("measure", 100, 90), ("measure", 300, 290), ("measure", 500, 490))
    found = ours.rabbitmq_figures([*lines, *looks(("drain", 900, 900)), last_line()], Load())
    assert found == Figures(200.0, pytest.approx(500.0), Percentiles(10.0, 20.0), None)  # 0.2 s for 400


@pytest.mark.parametrize("changed", [{"received": 899}, {"duplicates": 1}, {"nacked": 2}])
def test_figures_of_a_ledger_that_does_not_close_are_refused(changed: dict[str, int]) -> None:
    lines = looks(("measure", 100, 90), ("measure", 300, 290))
    with pytest.raises(BreakevenError, match="does not close"):
        ours.rabbitmq_figures([*lines, last_line(**changed)], Load())


def test_a_stage_that_was_looked_at_once_is_too_short() -> None:
    with pytest.raises(BreakevenError, match="too short"):
        ours.rabbitmq_figures([*looks(("measure", 100, 90)), last_line()], Load())


def test_receiving_costs_two_calls_a_message() -> None:
    stages = [("load", 0, 0), ("load", 400, 0), ("unload", 900, 0), ("unload", 900, 200)]
    found = ours.sqs_figures([*looks(*stages), last_line()])
    assert (found["send"].per_s, found["receive"].per_s) == (400, 200)
    assert (found["send"].cpu_us, found["receive"].cpu_us) == pytest.approx((250, 250))


def test_the_java_peer_is_read_stage_by_stage() -> None:
    texts = ["warmup 0", "warmup 70", "send 80", "send 480", "receive 490", "receive 690"]
    found = java_sdk.figures([Line(number, number / 10, text) for number, text in enumerate(texts)])
    assert (found["send"].per_s, found["receive"].per_s) == (400, 200)
    assert (found["send"].cpu_us, found["receive"].cpu_us) == pytest.approx((250, 250))
    with pytest.raises(BreakevenError, match="no message in stage receive"):
        java_sdk.figures([Line(0, 0, "send 1"), Line(1, 1, "send 2"), Line(2, 2, "receive 2")])
