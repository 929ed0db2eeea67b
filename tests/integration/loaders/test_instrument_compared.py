"""The same thing measured twice is not told apart, twice as much is, by the comparison's SQL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from breakeven.instrument.program import Latency, Program, Step
from tests.support.loaders.instrument_runs import instrument_case, measured
from tests.support.money.query_tables import Bucket, case

REPEATS = 5
#: long beside what a busy host adds to it
MS = 10.0


def compared(folder: Path, first_ms: float, second_ms: float) -> dict[str, Any]:
    """The verdict on the produce rates of two instruments, whose repeats take turns."""
    cases, totals = [], []
    for repeat in range(1, REPEATS + 1):
        for target, ms in (("first", first_ms), ("second", second_ms)):
            latency = Latency(steps=(Step(up_to=1, ms=ms),))
            program = Program(protocol="amqp", messages=60, publish=latency)
            planned = instrument_case(program).model_copy(
                update={"case_id": f"s.c.{target}.r{repeat}", "repeat": repeat}
            )
            found, _ = measured(planned)
            origin = {"target": target, "provenance": "measured", "repeat": repeat}
            cases.append(case(planned.case_id, scenario="s", cell="c", producers=1, consumers=1, **origin))
            totals += found.rows(planned)["totals"]
    bucket = Bucket(folder)
    bucket.put("cases", cases)
    bucket.put("totals", totals)
    (row,) = [row for row in bucket.ask("comparison") if row["metric"] == "produce"]
    assert (row["target"], row["against"], row["repeats"]) == ("first", "second", REPEATS)
    return row


@pytest.mark.thorough
def test_the_same_measured_twice_shows_no_difference(tmp_path):
    """A 95% interval leaves out the truth once in twenty: only twice running would be against it."""
    rows = [compared(tmp_path / "once", MS, MS)]
    if rows[0]["verdict"] != "no difference shown":
        rows.append(compared(tmp_path / "again", MS, MS))
    assert rows[-1]["verdict"] == "no difference shown", rows
    assert rows[-1]["interval_low"] <= 1 <= rows[-1]["interval_high"]
    assert rows[-1]["ratio"] == pytest.approx(1, abs=0.3), "what a busy host adds is far from twice as much"


def test_twice_the_latency_is_shown(tmp_path):
    """A stall of a busy host widens the interval of five repeats: only twice running would be against it."""
    row = compared(tmp_path / "once", MS, 2 * MS)
    if row["verdict"] != "higher":
        row = compared(tmp_path / "again", MS, 2 * MS)
    assert row["verdict"] == "higher", row
    assert 1 < row["interval_low"] <= row["ratio"] <= row["interval_high"]


def test_the_instrument_itself_is_compared_with_nothing(tmp_path):
    bucket = Bucket(tmp_path)
    rows = [
        case(f"s.c.{target}.r1", scenario="s", cell="c", producers=1, target=target, mode="parallel")
        for target in ("instrument", "sqs-standard")
    ]
    bucket.put("cases", rows)
    bucket.put(
        "totals",
        [{"case_id": row["case_id"], "metric": "produce", "completed": 9, "stage_s": 1} for row in rows],
    )
    assert bucket.ask("comparison") == []
    assert {row["target"] for row in bucket.ask("repeats")} == {"sqs-standard"}
