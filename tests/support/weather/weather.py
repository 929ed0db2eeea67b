"""Weather of the control planes: a layer in front of the simulated AWS that answers as the services may.

``Weather(seed)`` is given to ``ControlPlane(layers=…)``; nothing of the product knows that it is there. Calls
of functions, of tasks and of state machines meet it, those of whoever sits at the keyboard do not. Each kind
is counted by the service that it befell. What it does, and where that is documented:

* ``late``: an answer takes up to a second and a half more.
* ``throttled``, ``broken``: a call is not carried out, and its service says so (``service_errors``).
* ``lost answer``: the call is carried out and the connection closed. "A client can't tell whether a request
  has failed or its response was lost": "Making retries safe with idempotent APIs", Amazon Builders' Library.
* ``unknown id``, ``not listed``: EC2 does not know for a second what it has just made. "Eventual consistency
  in the Amazon EC2 API", Amazon EC2 Developer Guide.
* ``repeated``: an asynchronous invocation, as EventBridge makes, runs twice. "How Lambda handles errors and
  retries with asynchronous invocation", AWS Lambda Developer Guide.
* ``short page``, ``empty page``: lists come a few items a page (``pages``).

Step Functions' own calls are throttled and broken, where they start something: its connections, and how it
waits for a job, are its own. A function that it calls is only throttled: a loader that may have run is lost
on AWS, too. A call of boto3 is struck three times in a row at most, and each kind befalls a service at its
first chance; after that it is the seed's to say.
"""

from __future__ import annotations

import random
import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Collection
from xml.etree import ElementTree as ET

from local.aws.boto import PERSON, STATES
from local.aws.strict.front import Answer, Dropped, PassOn, Request
from tests.support.weather.pages import SHORT, Pages
from tests.support.weather.service_errors import OF_WEATHER, UNKNOWN_ID

LATE, REFUSED, FAULTY, LOST = "late", "throttled", "broken", "lost answer"
FORGOTTEN, NOT_LISTED, REPEATED = "unknown id", "not listed", "repeated"
KINDS = frozenset({LATE, REFUSED, FAULTY, LOST, FORGOTTEN, REPEATED, SHORT})
LATE_S, UNKNOWN_S = 1.5, 1.0
MOST_IN_A_ROW = 3
#: what Step Functions calls to start something
STARTS = {
    "athena:StartQueryExecution",
    "codebuild:StartBuild",
    "dynamodb:UpdateItem",
    "ecs:RunTask",
    "lambda:Invoke",
    "sns:Publish",
}
MADE = re.compile(rb"<(?:instance|networkInterface|volume|vpcEndpoint)Id>((?:i|eni|vol|vpce)-[0-9a-f]+)<")
ATTEMPT = re.compile(r"attempt=(\d+)")


class Chances:
    """What is to happen, and what has: ``counts`` by whom it befell and kind. Safe to share by threads.

    :param share: of the calls that a kind may befall, those that it does; each one's first chance is taken
    """

    def __init__(self, seed: int, kinds: Collection[str], share: float) -> None:
        self._random, self._kinds, self._share = random.Random(seed), kinds, share
        self._lock = threading.Lock()
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)

    def befalls(self, kind: str, whom: str, most: int | None = None) -> bool:
        """Whether it does now; it is then counted."""
        with self._lock:
            if kind not in self._kinds:
                return False
            count = self.counts[whom][kind]
            if most is not None and count >= most:
                return False
            if count and self._random.random() >= self._share:
                return False
            self.counts[whom][kind] += 1
        return True

    def count(self, kind: str, whom: str) -> None:
        """It has happened."""
        with self._lock:
            self.counts[whom][kind] += 1

    def happened(self, kind: str) -> int:
        """How often, to whomever."""
        return sum(counts[kind] for counts in self.counts.values())


class Weather(Chances):
    """A layer; ``counts``: how often each service was befallen by each kind.

    :param share: of all calls that each of the kinds befalls, after a service's first
    :param kinds: those that may happen; ``short page`` stands for both of its kinds, ``unknown id`` likewise
    """

    def __init__(self, seed: int, share: float = 0.03, kinds: Collection[str] = KINDS) -> None:
        super().__init__(seed, kinds, share)
        self._fresh: dict[str, float] = {}
        self._pages = Pages(self.count)

    def __call__(self, request: Request, pass_on: PassOn) -> Answer:
        if request.caller in {None, PERSON} and not _is_event(request):
            return pass_on(request)
        if request.operation is None or request.service == "sqs":  # which has weather of its own
            return pass_on(request)
        service = request.operation.partition(":")[0]
        if self.befalls(LATE, service):
            with self._lock:
                wait_s = self._random.uniform(0.0, LATE_S)
            time.sleep(wait_s)
        if refusal := self._refusal(request, service):
            return refusal
        if _is_event(request) and self.befalls(REPEATED, service):
            pass_on(request)
        answer = self._carried_out(request, pass_on, service)
        if self._may_lose(request) and self.befalls(LOST, service):
            raise Dropped
        return answer

    def _refusal(self, request: Request, service: str) -> Answer | None:
        if service == "ec2" and (unknown := self._unknown_id(request)):
            self.count(FORGOTTEN, service)
            return UNKNOWN_ID[unknown.partition("-")[0]].answer(service)
        if not _may_strike(request) or service not in OF_WEATHER:
            return None
        throttled, broken = OF_WEATHER[service]
        if self.befalls(REFUSED, service):
            return throttled.answer(service)
        may_have_run = request.caller == STATES and service == "lambda"
        if not may_have_run and self.befalls(FAULTY, service):
            return broken.answer(service)
        return None

    def _carried_out(self, request: Request, pass_on: PassOn, service: str) -> Answer:
        def without_what_is_new(given: Request) -> Answer:
            answer = pass_on(given)
            return self._of_ec2(given, answer) if service == "ec2" and FORGOTTEN in self._kinds else answer

        if request.caller == STATES or SHORT not in self._kinds:
            return without_what_is_new(request)
        return self._pages.answer(request, without_what_is_new)

    def _of_ec2(self, request: Request, answer: Answer) -> Answer:
        """Without what it has made a moment ago, which is noted where it is being made."""
        operation = request.operation or ""
        if answer.status == 200 and operation.startswith(("ec2:Run", "ec2:Create")):
            until = time.monotonic() + UNKNOWN_S
            with self._lock:
                self._fresh |= {found.decode(): until for found in MADE.findall(answer.body)}
        if answer.status == 200 and operation.startswith("ec2:Describe"):
            return self._without_fresh(answer)
        return answer

    def _unknown_id(self, request: Request) -> str | None:
        return next((each for each in self._unknown() if each.encode() in request.body), None)

    def _unknown(self) -> list[str]:
        now = time.monotonic()
        with self._lock:
            return [each for each, until in self._fresh.items() if until > now]

    def _without_fresh(self, answer: Answer) -> Answer:
        if not any(each.encode() in answer.body for each in self._unknown()):
            return answer
        root = ET.fromstring(answer.body)
        self._take_out(root)
        return Answer.of(200, "text/xml", ET.tostring(root))

    def _take_out(self, element: ET.Element) -> None:
        for child in list(element):
            if self._is_unknown(child):
                element.remove(child)
                self.count(NOT_LISTED, "ec2")
            else:
                self._take_out(child)

    def _is_unknown(self, element: ET.Element) -> bool:
        """Is it an item of a list, and of what is unknown?"""
        unknown = self._unknown()
        ids = (child.text for child in element if child.tag.endswith("Id"))
        return element.tag.endswith("item") and next(ids, None) in unknown

    def _may_lose(self, request: Request) -> bool:
        return request.caller != STATES and _may_strike(request) and not _is_event(request)


def _is_event(request: Request) -> bool:
    """Is it an asynchronous invocation, whoever makes it?"""
    return request.environ.get("HTTP_X_AMZ_INVOCATION_TYPE") == "Event"


def _may_strike(request: Request) -> bool:
    if request.caller == STATES:
        return request.operation in STARTS
    attempt = ATTEMPT.search(request.environ.get("HTTP_AMZ_SDK_REQUEST", ""))
    return attempt is None or int(attempt[1]) <= MOST_IN_A_ROW
