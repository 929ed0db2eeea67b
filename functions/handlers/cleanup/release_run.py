"""Clean up whatever a run may still hold, by tag. Harmless when there is nothing."""

from __future__ import annotations

from aws_lambda_powertools.utilities.typing import LambdaContext

from breakeven.steps.cleanup.clean_up import release_rest
from breakeven.steps.services import services
from handlers.cleanup.run_resources import every_resource_type, log_outcome
from handlers.common import Event, entry


@entry(Event)
def handler(event: Event, context: LambdaContext) -> None:
    log_outcome(
        release_rest(services(), every_resource_type(), event.run_id),
        "its lanes and cases had not cleaned up",
    )
