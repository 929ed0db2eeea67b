"""The reason of a failure, in words, from what a Step Functions catch holds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

#: all that Step Functions says of a distributed map in which one has failed, whatever it has failed of
THRESHOLD = "States.ExceedToleratedFailureThreshold"
#: how the reason of a loader begins that was a task
OF_TASK = "its task stopped"
MAX_REASON = 2000  # a refusal names each line of the estimate


def reason_of(failed: Mapping[str, Mapping[str, str]]) -> tuple[str, str]:
    """The first failed state's name and its error in words.

    ``failed`` maps a state's name to ``{"Error": ..., "Cause": ...}``. A Lambda's cause is JSON with
    ``errorType`` and ``errorMessage``; a service's is text.
    """
    if not failed:
        return "unknown", "no state recorded an error"
    where, error = next(iter(failed.items()))
    return where, f"{where}: {_words(error)}"[:MAX_REASON]


def with_loaders_words(reason: str, said: Iterable[str | None]) -> str:
    """The reason, and where it tells no more than that one of many loaders has failed, what one says of it.

    :param said: why each could not go on; of those that were ended for that reason it says the same
    """
    own = (each for each in said if each and reason not in each)
    first = next(own, None) if THRESHOLD in reason or OF_TASK in reason else None
    return f"{reason}: {first}"[:MAX_REASON] if first else reason


def _of_task(document: Mapping[str, Any]) -> str:
    """Of a task of ECS, which Step Functions describes whole: why it stopped, and how its container ended.

    :raises KeyError: it is no task
    """
    (container, *_) = document["Containers"] or [{}]
    code = container.get("ExitCode")
    said = [str(document.get("StoppedReason") or ""), str(container.get("Reason") or "")]
    how = [*(each for each in said if each), *([f"exit code {code}"] if code is not None else [])]
    return f"{OF_TASK}: {'; '.join(how)}" if how else OF_TASK


def _words(error: Mapping[str, str]) -> str:
    kind, cause = error.get("Error", "error"), error.get("Cause", "")
    try:
        document = json.loads(cause)
        message = document["errorMessage"] if "errorMessage" in document else _of_task(document)
    except (ValueError, TypeError, KeyError):
        message = cause
    if kind == "States.Timeout" and not message:
        message = "the state did not end within its time limit"
    return f"{kind}: {message}" if message else kind
