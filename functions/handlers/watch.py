"""Watch a case's target while its loaders run."""

from __future__ import annotations

from aws_lambda_powertools.utilities.typing import LambdaContext

from breakeven.steps.drive import watch
from breakeven.steps.services import services
from handlers.common import AttemptEvent, entry, logger

#: what is left of the function's time to store the samples in
RESERVE_S = 10.0


@entry(AttemptEvent)
def handler(event: AttemptEvent, context: LambdaContext) -> None:
    seconds_left = context.get_remaining_time_in_millis() / 1000 - RESERVE_S
    samples = watch(services(), event.run_id, event.case_id, event.attempt, seconds_left)
    logger.info("loaders have ended", samples=samples)
