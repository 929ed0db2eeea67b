"""The verdict on searches from cold servers: what meets it, and the least that does not."""

from __future__ import annotations

import pytest

from bench.cold import __main__ as bench
from bench.cold.__main__ import FIRST_RATES, MINUTE, SEARCH, case, held_for_a_minute
from bench.cold.searched import Compared, Hold, Searched, in_short, is_met, near, report
from breakeven.loadgen.search.probe import Probe
from local.children import Children
from tests.support.loaders.probes import probe


def found(held: float, failed: float | None = None, **flags: str) -> Searched:
    probes = [probe(held, held=True), probe(failed or held * 1.04, held=False)]
    return Searched(300.0, probes, {"shared_host": "one machine", **flags}, 60.0)


FLAGGED = found(388, idle_limit="404 msg/s was not held although ...")
FAILED = Searched(6000.0, (), {}, 60.0, "the loader ended with 1")


def beside(search: Searched, capacity: float) -> Compared:
    """Where a minute shows that capacity."""
    low, high = near(search.held or 1.0)
    return Compared(
        search, Hold(low, low <= capacity), Hold(high, high <= capacity, "p99 over the objective")
    )


GOOD = beside(found(2000), 2000)


@pytest.mark.parametrize(
    ("odd", "met"),
    [
        ([beside(found(1701), 2000), beside(found(2299), 2000)], True),
        ([beside(found(1699), 2000)], False),
        ([beside(found(2301), 2000)], False),
        ([beside(FLAGGED, 2000)], True),
        ([beside(found(2000, busy_host="others"), 2000)], True),
        ([beside(FLAGGED, 2000)] * 2, False),
        ([Compared(FAILED)], False),
        ([Compared(found(2000), Hold(1740, None, "the loader ended with 1"), Hold(2350, False))], False),
    ],
)
def test_four_of_five_are_near_and_unflagged_and_the_fifth_too_or_flagged(
    odd: list[Compared], met: bool
) -> None:
    searches = [*[GOOD] * (5 - len(odd)), *odd]
    assert is_met(searches) is met
    assert report(searches, 5).rpartition("\n\n")[2].startswith("met" if met else "NOT met")


def test_each_is_held_against_what_came_right_after_it() -> None:
    drifted = [beside(found(held), held) for held in (1200, 1600, 2000, 2400, 2800)]
    assert is_met(drifted)
    assert not is_met([*drifted[:4], beside(found(2800), 2000)])


def test_the_table_has_each_search_and_what_was_held_beside_it_and_says_what_raised_a_flag() -> None:
    said = report([GOOD, beside(FLAGGED, 2000), Compared(FAILED)], 3)
    assert "| 1 | 300 | 2,000 | 2,080 | 1,740 held, 2,350 not held | 2 | 60 | none |" in said
    assert "| 2 | 300 | 388 | 404 | 337 held, 456 held | 2 | 60 | idle_limit |" in said
    assert "| 3 | 6,000 | – | – |  | 0 | 60 | failed |" in said
    assert "- idle_limit, from 300 msg/s: 404 msg/s was not held" in said
    assert "- failed, from 6,000 msg/s: the loader ended with 1" in said
    assert "- shared_host, from 300 msg/s: " in said
    assert "- 2,350 msg/s for a minute: p99 over the objective" in said


def test_fewer_searches_than_planned_have_no_verdict() -> None:
    assert (
        report([GOOD] * 4, 5).rpartition("\n\n")[2].startswith("not known, 4 of 5 searches ended: within 15%")
    )


def test_each_is_said_in_a_line_as_soon_as_it_is_known() -> None:
    assert in_short(GOOD) == "from 300 msg/s: 2,000 held, no flag; for a minute: 1,740 held, 2,350 not held"
    assert in_short(beside(FLAGGED, 2000)).startswith("from 300 msg/s: 388 held, idle_limit; for a minute: ")
    assert in_short(Compared(FAILED)) == "from 6,000 msg/s: failed: the loader ended with 1"


def test_interrupted_it_has_the_table_of_what_had_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def compared(_children: Children, first: float) -> Compared:
        if first == FIRST_RATES[2]:
            raise KeyboardInterrupt
        return GOOD

    monkeypatch.setattr(bench, "compared", compared)
    monkeypatch.setattr("sys.argv", ["bench.cold"])
    assert bench.main() == 130
    said = capsys.readouterr()
    assert said.err.count("2,000 held, no flag") == 2
    assert "| 2 | 300 |" in said.out
    assert "not known, 2 of 5 searches ended" in said.out


@pytest.mark.parametrize("first", FIRST_RATES)
def test_each_search_has_its_first_rate_and_a_hold(first: float) -> None:
    work = case(first, SEARCH).workload
    assert (work.mode, work.rate, work.measure_s) == ("capacity", first, 30.0)
    assert case(first, MINUTE).workload.measure_s == 60.0


@pytest.mark.parametrize(
    ("probes", "failed", "held", "said"),
    [
        ([probe(2000, held=True)], "", True, ""),
        ([probe(2000, held=False), probe(1400, held=True)], "", False, "the backlog may grow"),
        ([probe(2000, held=False), probe(2000, held=True)], "", True, ""),
        ([], "it ended with 1\nno rate was held: p99", False, "no rate was held: p99"),
        ([], "it ended with 1", None, "it ended with 1"),
    ],
)
def test_what_was_held_for_a_minute_is_the_rate_that_was_asked_for(
    probes: list[Probe], failed: str, held: bool | None, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "searched", lambda *_: Searched(2000.0, probes, {}, 90.0, failed))
    with Children() as children:
        assert held_for_a_minute(children, 2000.0) == Hold(2000.0, held, said)
