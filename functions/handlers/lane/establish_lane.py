"""Wait until a lane's target is fit for cases."""

from __future__ import annotations

from breakeven.steps.lane.establish_lane import establish
from handlers.common import LegEvent, entry, services


@entry(LegEvent)
def handler(event: LegEvent) -> None:
    establish(services(), event.run_id, event.leg.target, event.leg.machines, warms_up=event.leg.warms_up)
