"""Limits of state machines at work that moto does not keep; see ``moto_patches.py``.

Of the input and the results of states moto keeps Step Functions' limit of 256 KiB by itself, and
``States.DataLimitExceeded`` ends the execution, as a test shows.
"""

from __future__ import annotations

from typing import Any

from moto.stepfunctions.parser.api import ExecutionFailedEventDetails
from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.parser.asl.eval.event.event_manager import EventManager

from local.aws.boto import Aws
from local.aws.swaps import Swaps

#: of one execution; each child of a distributed map has a history of its own
HISTORY_EVENTS = 25_000


def histories_are_finite(swaps: Swaps, _: Aws) -> None:
    """Symptom: an execution goes on for as many events as it likes.

    Mend: it fails with the 25,000th, whatever it would catch. Source: AWS Step Functions Developer Guide,
    "Service quotas", maximum execution history size; "Starting new executions to avoid reaching the history
    quota": an execution that reaches it fails.
    """

    def begin(self: Any, *args: Any, **kwargs: Any) -> None:
        begun(self, *args, **kwargs)
        self.event_manager.of_execution, self.event_manager.full = self, False

    def add(self: Any, *args: Any, **kwargs: Any) -> int:
        event: int = added(self, *args, **kwargs)
        if event == HISTORY_EVENTS:
            self.full = True
            self.of_execution.set_error(None)
        return event

    def fail(self: Any, error: Any) -> None:
        """Whatever fails afterwards, and because of it, is not the reason."""
        if self.event_manager.full:
            cause = f"The execution reached the maximum number of history events ({HISTORY_EVENTS})."
            error = ExecutionFailedEventDetails(error="States.Runtime", cause=cause)
        failed(self, error)

    begun = swaps.attribute(Environment, "__init__", begin)
    added = swaps.attribute(EventManager, "add_event", add)
    failed = swaps.attribute(Environment, "set_error", fail)
