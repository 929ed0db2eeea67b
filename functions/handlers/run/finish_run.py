"""Write the run's record: how it ended and, where a state failed, which and why."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from breakeven.results.items import RUN
from breakeven.steps.run.finish_run import finish_run
from handlers.common import Document, Failed, count, entry, logger, services


class RunState(BaseModel):
    """The workflow's whole state; only this much of it is of interest here."""

    run_id: str
    failed: Failed


class FinishEvent(Document):
    state: RunState


@entry(FinishEvent)
def handler(event: FinishEvent) -> dict[str, Any]:
    counted = "finished_at" in services().state(event.state.run_id).get(RUN)
    finished = finish_run(services(), event.state.run_id, event.state.failed)
    logger.info("run ended", status=finished["status"])
    if not counted:
        count(f"Runs{finished['status'].capitalize()}")
    return finished
