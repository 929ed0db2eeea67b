"""The warm-up of a lane."""

from __future__ import annotations

from breakeven.steps.lane.warm_lane import warm
from handlers.common import LegEvent, entry, services


@entry(LegEvent)
def handler(event: LegEvent) -> None:
    leg = event.leg
    warm(services(), event.run_id, leg.target, [case.case_id for case in leg.cases], leg.warm_up_s)
