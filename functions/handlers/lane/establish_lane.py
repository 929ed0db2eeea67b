"""Wait until a lane's target is fit for cases."""

from __future__ import annotations

from aws_lambda_powertools.utilities.typing import LambdaContext

from breakeven.steps.lane.establish_lane import establish
from breakeven.steps.services import services
from handlers.common import LegEvent, entry


@entry(LegEvent)
def handler(event: LegEvent, context: LambdaContext) -> None:
    establish(services(), event.run_id, event.leg.target)
