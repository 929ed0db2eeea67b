"""Watch a case's target while its loaders run."""

from __future__ import annotations

from functools import partial
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from breakeven.steps.case.watch import watch
from handlers.common import AttemptEvent, entry, logger, services

#: what is left of the function's time to store the samples in
RESERVE_S = 10.0


class WatchEvent(AttemptEvent):
    """``part`` of a case that outlasts one call, and the seconds that the calls before have watched."""

    part: int
    watched_s: int


def handler(event: dict[str, Any], context: LambdaContext) -> Any:
    seconds_left = context.get_remaining_time_in_millis() / 1000 - RESERVE_S
    return entry(WatchEvent)(partial(_watch, seconds_left))(event, context)


def _watch(seconds_left: float, event: WatchEvent) -> dict[str, Any]:
    """What the next call is given, if there is to be one."""
    watched = watch(
        services(),
        event.run_id,
        event.case_id,
        event.attempt,
        seconds_left,
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
