"""Functions that sleep are called, those that do not are left alone, and what cannot be called is told."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from breakeven.errors import CaseError
from breakeven.steps.lane import wake_functions
from breakeven.steps.lane.wake_functions import wake


class Lambda:
    """Functions by name, each with the states that it is found in one after another; the last one stays."""

    def __init__(self, **states: list[str]) -> None:
        self.states, self.called = states, []

    def get_function_configuration(self, FunctionName):
        states = self.states[FunctionName]
        state = states.pop(0) if len(states) > 1 else states[0]
        return {"State": state, "StateReason": "no address is left"}

    def invoke(self, FunctionName, Payload):
        assert Payload == b"{}"
        self.called.append(FunctionName)
        if self.states[FunctionName][0] == "Denied":
            raise ClientError({"Error": {"Code": "AccessDeniedException"}}, "Invoke")
        if self.states[FunctionName][0] != "Active":
            raise ClientError({"Error": {"Code": "ResourceNotReadyException"}}, "Invoke")
        return {"FunctionError": "Unhandled"}


@pytest.fixture(autouse=True)
def _brisk(monkeypatch):
    monkeypatch.setattr(wake_functions, "POLL_S", 0.0)


def test_functions_that_are_awake_are_not_called():
    api = Lambda(load=["Active"], watch=["Active"])
    assert wake(api, ["load", "watch"]) == []
    assert api.called == []


def test_one_that_sleeps_is_called_once_and_waited_for():
    api = Lambda(load=["Inactive", "Pending", "Pending", "Active"], watch=["Active"])
    assert wake(api, ["load", "watch"]) == ["load"]
    assert api.called == ["load"]


def test_one_that_is_being_made_is_waited_for_and_not_called():
    api = Lambda(load=["Pending", "Pending", "Active"])
    assert wake(api, ["load"]) == []
    assert api.called == []


def test_one_that_woke_meanwhile_refuses_the_call_and_all_is_well():
    assert wake(Lambda(load=["Inactive", "Active"]), ["load"]) == ["load"]


def test_one_that_cannot_be_called_is_reported_with_lambdas_reason():
    with pytest.raises(CaseError, match="load cannot be called, it is Failed: no address is left"):
        wake(Lambda(load=["Inactive", "Failed"]), ["load"])


def test_a_call_that_is_denied_is_no_sleep():
    with pytest.raises(ClientError, match="AccessDenied"):
        wake(Lambda(load=["Inactive", "Denied"]), ["load"])


def test_the_wait_has_an_end_and_names_who_is_missing(monkeypatch):
    monkeypatch.setattr(wake_functions, "WAKE_TIMEOUT_S", 0.05)
    with pytest.raises(CaseError, match=r"^load: not ready to be called after"):
        wake(Lambda(load=["Pending"], watch=["Active"]), ["load", "watch"])
