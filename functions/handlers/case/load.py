"""One loader of a case."""

from __future__ import annotations

from aws_lambda_powertools.utilities.typing import LambdaContext

from breakeven.steps.case.load import load
from breakeven.steps.services import services
from handlers.common import AttemptEvent, entry


class LoadEvent(AttemptEvent):
    loader: int


@entry(LoadEvent)
def handler(event: LoadEvent, context: LambdaContext) -> None:
    load(services(), event.run_id, event.case_id, event.attempt, event.loader)
