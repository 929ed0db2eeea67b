"""Letting go of what a run has made: one definition, used by its workflow, by the rule and by the watchdog.

Three ways that need nothing of one another, beside each node's own lease: the workflow's last steps
(``release_rest``), the rule on executions that end badly (``clean_up``), and the watchdog (``watch``). Each
may run twice, or at once with another, and goes on past what it cannot let go, which its outcome tells.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from breakeven.errors import BreakevenError
from breakeven.results.items import RUN
from breakeven.steps.aws_clients import StepFunctions
from breakeven.steps.cleanup.resources import Kind, Leftover
from breakeven.steps.executions import FORGOTTEN, Told, ask
from breakeven.steps.reasons import reason_of
from breakeven.steps.run_lock import free_lock
from breakeven.steps.services import Services

T = TypeVar("T")
#: how long it is not believed, after an execution has ended, that it still runs: what is said of one is
#: "eventually consistent" (Step Functions API reference, DescribeExecution)
STALE_S, LOOK_S = 10.0, 1.0
#: what the record of a run says failed, when it was the execution and no state of it
EXECUTION = "Execution"


class NotLetGoError(BreakevenError):
    """Something could not be let go, or looked at; everything else was. Trying again does no harm."""


@dataclass
class Outcome:
    """``gone``: kind -> what was let go of it. ``problems``: what could not be done, in words."""

    gone: dict[str, list[str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def trying(self, what: str, do: Callable[[], T]) -> T | None:
        """What it answers; None where it fails, which is then among the problems."""
        try:
            return do()
        except (ClientError, BotoCoreError, BreakevenError) as error:
            self.problems.append(f"{what}: {error}")
            return None

    def let_go(self, kind: Kind, leftovers: Iterable[Leftover]) -> None:
        for leftover in leftovers:
            before = len(self.problems)
            self.trying(leftover.id, partial(kind.let_go, leftover.id))
            if len(self.problems) == before:
                self.gone.setdefault(kind.name, []).append(leftover.id)

    def raise_if_incomplete(self) -> None:
        """:raises NotLetGoError: with every problem"""
        if self.problems:
            raise NotLetGoError("not let go: " + "; ".join(self.problems))


def let_go(kinds: Sequence[Kind], run_id: str) -> Outcome:
    """Let go of all that the run has made, whatever kind it is of."""
    outcome = Outcome()
    for kind in kinds:
        outcome.let_go(kind, outcome.trying(kind.name, partial(kind.find, run_id)) or [])
    return outcome


def release_rest(services: Services, kinds: Sequence[Kind], run_id: str) -> Outcome:
    """Let go whatever of the run its lanes have not, and put on record that they had not."""
    outcome = let_go(kinds, run_id)
    if late := outcome.gone.get("instances"):
        services.state(run_id).update(RUN, released_late=late, release_failed_at="ReleaseLane")
    return outcome


def clean_up(
    services: Services, kinds: Sequence[Kind], step_functions: StepFunctions, run_id: str, execution: str
) -> Outcome:
    """After an execution has ended badly: let go, record the run's end where nothing else has, free the lock.

    Nothing is done while the execution is under way: it may have been redriven since it was told of.
    """
    until = time.monotonic() + STALE_S
    while not (told := ask(step_functions, execution)).over and time.monotonic() < until:
        time.sleep(LOOK_S)
    if not told.over:
        return Outcome()
    outcome = let_go(kinds, run_id)
    outcome.trying("the run's record", lambda: record_end(services, run_id, told))
    outcome.trying("the lock", lambda: free_lock(services, execution))
    return outcome


def record_end(services: Services, run_id: str, told: Told) -> bool:
    """Write how the execution ended into the run's record, unless it has an end; whether it had none."""
    ended = {"finished_at": datetime.now(UTC).isoformat(timespec="seconds")}
    if told.status == "ABORTED":
        words = ": ".join(word for word in ("the execution was aborted", told.error, told.cause) if word)
        return services.state(run_id).end(status="aborted", reason=words, **ended)
    error = {"Error": told.error or f"States.{told.status}", "Cause": told.cause}
    if told.status == "TIMED_OUT":
        error = {"Error": "States.Timeout", "Cause": told.cause or "the execution outlasted its limit"}
    elif told.status == FORGOTTEN:
        error["Cause"] = "Step Functions does not know the execution any more"
    where, reason = reason_of({EXECUTION: error})
    return services.state(run_id).end(status="failed", failed_at=where, reason=reason, **ended)
