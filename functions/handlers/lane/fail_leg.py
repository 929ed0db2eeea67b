"""Record a leg that broke: where, why, and every case of it that has no outcome."""

from __future__ import annotations

from breakeven.steps.case.fail_case import fail_unsettled
from breakeven.steps.lane.release_lane import fail_leg
from breakeven.steps.reasons import reason_of
from handlers.common import Failed, LegEvent, count, entry, logger, services


class FailLegEvent(LegEvent):
    failed: Failed


@entry(FailLegEvent)
def handler(event: FailLegEvent) -> None:
    where, reason = reason_of(event.failed)
    logger.warning("leg failed", reason=reason)
    fail_leg(services(), event.run_id, event.leg.target, where, reason)
    cases = [case.case_id for case in event.leg.cases]
    if failed := fail_unsettled(services(), event.run_id, cases, reason):
        count("CasesFailed", failed)
