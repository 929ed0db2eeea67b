"""The record of the project's own target, which proves the measuring: measured, never compared or priced."""

from __future__ import annotations

from breakeven.targets.record import Guarantees, Look, Rates, TargetRecord, Waits
from breakeven.terms import SQS_MAX_MESSAGE_BYTES, TargetName

#: of what has no record
OTHER_LOOK = Look("#5b6675", "#aab1bb", "o")

NOT_COMPARED = Guarantees(*("not compared",) * 5)

_INSTRUMENT_RATES = Rates(
    produce_each=450,
    produce_most=5000,
    consume_each=400,
    consume_most=5000,
    unconfirmed=None,
    bytes_per_s=None,
    source="the mean of the programmed latencies, 1.9 ms, and some of the loader's own time",
)
INSTRUMENT_RECORD = TargetRecord(
    name=TargetName("instrument"),
    label="the instrument",
    short_label="the instrument",
    service="the instrument",
    opened_by="breakeven.targets.instrument:InstrumentTarget",
    is_compared=False,
    max_message_bytes=SQS_MAX_MESSAGE_BYTES,  # what of SQS's is asked of it must fit there too
    waits=Waits(unknown=3.0),
    rates={"aws": _INSTRUMENT_RATES, "local": _INSTRUMENT_RATES},
    open_lane_s={"aws": 5, "local": 1},
    look=OTHER_LOOK,
    guarantees=NOT_COMPARED,
    guarantees_locally=NOT_COMPARED,
)
