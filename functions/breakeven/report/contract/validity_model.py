"""The self-test's part of ``report.json``: whether the loader measures what it should."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from breakeven.report.contract.flag_names import current
from breakeven.report.contract.strict import Strict

#: Latencies agree when they are no further apart than the greater of the two: a loader's call, the loopback
#: and a wake-up take some tenths of a millisecond. Counts agree when they are equal.
TOLERANCE_MS, TOLERANCE_SHARE = 0.5, 0.02
#: what can be wrong with a run's proof; docs/metrics.md says what each means
RunFlag = Literal[
    "instrument_off",  # the suite left it out
    "instrument_failed",  # a case of it has no result
    "instrument_misread",  # what was read is not what the instrument did
    "instrument_late",  # the instrument did not do what it was programmed to: the host was too busy
]


class Reading(Strict):
    """One thing that was programmed, done and read. Counts of messages, or milliseconds."""

    what: str = Field(description="lost, duplicates, out_of_order, ... or a percentile: produce.p99_ms")
    programmed: float
    done: float | None = Field(description="by the instrument's own record; null where it left none")
    read: float | None = Field(description="by the loader; null where the case has no such figure")
    tolerance: float = Field(description="how far two of them may lie apart and still agree; 0 for counts")
    agrees: bool = Field(description="read with done, or with programmed where there is no record")
    kept: bool = Field(description="done agrees with programmed")


class InstrumentCase(Strict):
    case_id: str
    protocol: str
    client: str
    messages: int
    status: Literal["ok", "failed"]
    reason: str | None
    flags: list[str] = Field(description="of the case, as other cases have them")
    readings: list[Reading] = Field(description="empty when the case failed")


class Validity(Strict):
    """``flags`` are the run's; none: the loader read what the instrument did, and it did as programmed."""

    flags: list[Annotated[RunFlag, BeforeValidator(current)]]
    instrument: list[InstrumentCase]

    @property
    def is_in_doubt(self) -> bool:
        """Did the loader misread the instrument, or is there no reading of it?"""
        return "instrument_misread" in self.flags or "instrument_failed" in self.flags
