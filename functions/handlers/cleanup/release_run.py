"""Let go whatever a run may still hold, by tag. Harmless when there is nothing."""

from __future__ import annotations

from aws_lambda_powertools.utilities.typing import LambdaContext

from breakeven.steps.cleanup.clean_up import release_rest
from breakeven.steps.services import services
from handlers.cleanup.run_resources import every_kind, told
from handlers.common import Event, entry


@entry(Event)
def handler(event: Event, context: LambdaContext) -> None:
    told(release_rest(services(), every_kind(), event.run_id), "its lanes and cases had not let go")
