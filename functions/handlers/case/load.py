"""One loader of a case."""

from __future__ import annotations

from breakeven.steps.case.load import load
from handlers.common import AttemptEvent, entry, services


class LoadEvent(AttemptEvent):
    loader: int


@entry(LoadEvent)
def handler(event: LoadEvent) -> None:
    load(services(), event.run_id, event.case_id, event.attempt, event.loader)
