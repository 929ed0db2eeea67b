"""One loader of a case, as a task of Fargate: ``python -m handlers.task``.

It is given the key of a JSON document with the event that a function would get. It ends with 0 when the
loader has left its result, with 1 when it has not; its log and, as a function's does, its record say why.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType

from breakeven.installation import TASK_INPUT
from breakeven.steps.case.load import load
from breakeven.steps.tasks.establish_tasks import task_limit_s
from handlers.case.load import LoadEvent
from handlers.common import logger, services

OK, FAILED, OUTLASTED = 0, 1, 3


class StoppedError(BaseException):
    """ECS has said that the task is to end: no error of the loader's, so that nothing there catches it."""


def main() -> int:
    """Run the loader; returns the exit code."""
    signal.signal(signal.SIGTERM, _stop)
    try:
        event = LoadEvent.model_validate(services().store.get_json(os.environ[TASK_INPUT]))
        logger.append_keys(**event.model_dump())
        _end_after(task_limit_s(services().case(event.run_id, event.case_id)))
        load(services(), event.run_id, event.case_id, event.attempt, event.loader)
    except (Exception, StoppedError) as error:
        logger.exception("the loader has failed", reason=str(error) or type(error).__name__)
        return FAILED
    logger.info("the loader has ended")
    return OK


def _stop(number: int, frame: FrameType | None) -> None:
    """A process that is the first of its container ignores this signal, unless it says what to do.

    Half a minute later it is killed. Until then the loader saves what it has.
    """
    raise StoppedError(f"the task was stopped (signal {number})")


def _end_after(seconds: float) -> None:
    """However the loader may hang: a task is paid for until it ends, and needs no one else to do that."""
    timer = threading.Timer(seconds, os._exit, [OUTLASTED])
    timer.daemon = True
    timer.start()


if __name__ == "__main__":
    sys.exit(main())
