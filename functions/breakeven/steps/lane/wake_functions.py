"""Functions in a VPC, called awake before anything that costs by the hour waits for them.

Lambda takes the network from such a function when nobody has called it for some weeks ("Lambda function
states", AWS Lambda Developer Guide): the next call fails and has the network made again, which may take a
minute. A monthly run is such a caller, and a loader's call is never made twice.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from breakeven.errors import CaseError
from breakeven.results.state import SuppressCodes
from breakeven.steps.aws_clients import Lambda

WAKE_TIMEOUT_S = 240.0
POLL_S = 1.0
#: what Lambda answers to the call that wakes a function
ASLEEP = "ResourceNotReadyException"
#: of a function that has never been called since its network was made, or whose network is being made
ACTIVE, PENDING, INACTIVE = "Active", "Pending", "Inactive"


def wake(api: Lambda, names: Sequence[str]) -> list[str]:
    """Wait until each function can be called; returns those that were asleep.

    :raises CaseError: one of them cannot be called, or is not awake in time
    """
    deadline, slept = time.monotonic() + WAKE_TIMEOUT_S, set()
    states = {name: _state(api, name) for name in names}
    while waiting := [name for name, state in states.items() if state != ACTIVE]:
        if time.monotonic() > deadline:
            raise CaseError(f"{', '.join(waiting)}: not ready to be called after {WAKE_TIMEOUT_S:.0f} s")
        for name in waiting:
            if states[name] == INACTIVE:
                slept.add(name)
                _call(api, name)
        time.sleep(POLL_S)
        states.update({name: _state(api, name) for name in waiting})
    return sorted(slept)


def _state(api: Lambda, name: str) -> str:
    found = api.get_function_configuration(FunctionName=name)
    state = str(found["State"])
    if state not in {ACTIVE, PENDING, INACTIVE}:
        why = found.get("StateReason") or "Lambda does not say why"
        raise CaseError(f"{name} cannot be called, it is {state}: {why}")
    return state


def _call(api: Lambda, name: str) -> None:
    """An event of nothing, which no function takes: one that is awake after all refuses it."""
    with SuppressCodes(ASLEEP):
        api.invoke(FunctionName=name, Payload=b"{}")
