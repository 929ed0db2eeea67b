"""The calls that reach the simulated AWS, those that are denied among them."""

from __future__ import annotations

import threading

from local.aws.boto import PERSON
from local.aws.strict.front import Answer, PassOn, Request
from local.aws.strict.requests.policies import Call


class Recorder:
    """A layer for ``ControlPlane(layers=…)``; ``calls`` are those made so far."""

    def __init__(self) -> None:
        self.calls: set[Call] = set()
        self._unreadable: list[Exception] = []
        self._lock = threading.Lock()

    def __call__(self, request: Request, pass_on: PassOn) -> Answer:
        if request.caller in {None, PERSON}:
            return pass_on(request)
        try:
            found = request.calls
        except Exception as error:
            self._unreadable.append(error)
        else:
            with self._lock:
                self.calls.update(found)
        return pass_on(request)

    def check(self) -> None:
        """:raises ExceptionGroup: requests that could not be read"""
        if self._unreadable:
            raise ExceptionGroup("requests that cannot be read", self._unreadable[:10])
