"""The verdict on searches from cold servers: what meets it, and the least that does not."""

from __future__ import annotations

import pytest

from bench.cold.__main__ import FIRST_RATES, REFERENCE, SEARCH, case
from bench.cold.searched import Compared, Searched, is_met, report
from tests.support.loaders.probes import probe


def found(held: float, failed: float | None = None, **flags: str) -> Searched:
    probes = [probe(held, held=True), probe(failed or held * 1.04, held=False)]
    return Searched(300.0, probes, {"shared_host": "one machine", **flags}, 60.0)


REFERENCE_FOUND = found(2000, 2080)
GOOD = found(2000)
LOW, HIGH = found(1699), found(2393)
FLAGGED = found(388, idle_limit="404 msg/s was not held although ...")
FAILED = Searched(6000.0, (), {}, 60.0, "the loader ended with 1")


def beside(reference: Searched, *searches: Searched) -> list[Compared]:
    return [Compared(search, reference) for search in searches]


@pytest.mark.parametrize(
    ("odd", "met"),
    [
        ([found(1700), found(2392)], True),
        ([LOW], False),
        ([HIGH], False),
        ([FLAGGED], True),
        ([found(2000, busy_host="others")], True),
        ([FLAGGED, FLAGGED], False),
        ([FAILED], False),
    ],
)
def test_four_of_five_are_near_and_unflagged_and_the_fifth_too_or_flagged(
    odd: list[Searched], met: bool
) -> None:
    searches = beside(REFERENCE_FOUND, *[GOOD] * (5 - len(odd)), *odd)
    assert is_met(searches) is met
    assert report(searches).rpartition("\n\n")[2].startswith("met" if met else "NOT met")


def test_each_is_held_against_its_own_reference() -> None:
    drifted = [Compared(found(held), found(held)) for held in (1200, 1600, 2000, 2400, 2800)]
    assert is_met(drifted)
    assert not is_met([*drifted[:4], Compared(found(2800), found(2000))])


def test_without_a_reference_nothing_is_met() -> None:
    assert not is_met([*beside(REFERENCE_FOUND, *[GOOD] * 4), Compared(GOOD, FAILED)])


def test_the_table_has_each_search_beside_the_reference_and_says_what_raised_a_flag() -> None:
    said = report(beside(REFERENCE_FOUND, GOOD, FLAGGED, FAILED))
    assert "| search 1 | 300 | 2,000 | 2,080 | 100% | 2 | 60 | none |" in said
    assert "| reference 1 | 300 | 2,000 | 2,080 |  | 2 | 60 | none |" in said
    assert "| search 2 | 300 | 388 | 404 | 19% | 2 | 60 | idle_limit |" in said
    assert "| search 3 | 6,000 | – | – |  | 0 | 60 | failed |" in said
    assert "- idle_limit, from 300 msg/s: 404 msg/s was not held" in said
    assert "- failed, from 6,000 msg/s: the loader ended with 1" in said
    assert "- shared_host, from 300 msg/s: " in said


@pytest.mark.parametrize("first", FIRST_RATES)
def test_each_search_has_its_first_rate_and_a_hold(first: float) -> None:
    work = case(first, SEARCH).workload
    assert (work.mode, work.rate, work.measure_s) == ("capacity", first, 3.0)
    assert case(first, REFERENCE).workload.measure_s == 60.0
