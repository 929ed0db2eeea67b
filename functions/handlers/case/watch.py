"""Watch a case's target while its loaders run."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from breakeven.steps.case.watch import watch
from breakeven.steps.services import services
from handlers.common import AttemptEvent, entry, logger

#: what is left of the function's time to store the samples in
RESERVE_S = 10.0


class WatchEvent(AttemptEvent):
    """``part`` of a case that outlasts one call, and the seconds that the calls before have watched."""

    part: int
    watched_s: int


@entry(WatchEvent)
def handler(event: WatchEvent, context: LambdaContext) -> dict[str, Any]:
    """What the next call is given, if there is to be one."""
    watched = watch(
        services(),
        event.run_id,
        event.case_id,
        event.attempt,
        context.get_remaining_time_in_millis() / 1000 - RESERVE_S,
        part=event.part,
        since_s=event.watched_s,
    )
    logger.info("goes on" if watched.more else "loaders have ended", samples=watched.samples)
    return {
        "attempt": event.attempt,
        "part": event.part + 1,
        "watched_s": watched.seconds,
        "more": watched.more,
    }
