"""An open loop's producer whose deadline comes between two looks at the clock."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.loadgen.workers.open_producer import OpenProducer


@pytest.mark.parametrize("most", [0, 64])
def test_a_producer_whose_deadline_has_just_come_sends_nothing_more(most: int) -> None:
    """As a search's probe ends: with the deadline behind it, no border was left to send until."""
    producer: Any = OpenProducer.__new__(OpenProducer)
    producer._most, producer._blocked_since_ns = most, None
    producer._measure_ns = producer._end_ns = producer._deadline_ns = 1
    producer._step(None)
