"""The warm-up of a lane."""

from __future__ import annotations

from breakeven.steps.lane.warm_lane import warm
from handlers.common import LegEvent, entry, services


@entry(LegEvent)
def handler(event: LegEvent) -> None:
    warm(services(), event.run_id, event.leg.target, [case.case_id for case in event.leg.cases])
