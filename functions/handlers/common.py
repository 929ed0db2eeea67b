"""Base of every entry point: logs with run and case, metrics, tracing, typed events, services."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar

import boto3
from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.parser import parse
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config
from botocore.session import get_session
from pydantic import BaseModel

from breakeven.planning import rounds
from breakeven.results.store import Store
from breakeven.steps.services import Services
from breakeven.terms import Frozen, TargetName

logger = Logger()
tracer = Tracer(auto_patch=False)  # a patched client would be measured with its tracing
metrics = Metrics()

#: a call that gets no answer is made again while its function still runs: botocore would wait for a minute
QUICK = Config(connect_timeout=3, read_timeout=10)

Handler = Callable[[dict[str, Any], LambdaContext], Any]
Failed = dict[str, dict[str, str]]


class Document(Frozen):
    """What is not expected is refused, not ignored."""


class Event(Document):
    run_id: str


class CaseEvent(Event):
    target: TargetName
    case_id: str


class AttemptEvent(CaseEvent):
    attempt: int


class Leg(rounds.Leg):
    brokers: bool
    managed: bool
    warms_up: bool
    warm_up_s: float


class LegEvent(Event):
    leg: Leg


#: what every log line of a call carries, where the event has it; of which a trace is found by two
NAMES = ("run_id", "target", "case_id", "attempt", "loader", "execution")
ANNOTATED = frozenset({"run_id", "case_id"})


def names_in(event: dict[str, Any]) -> dict[str, Any]:
    """What the event is about: of the run, of its leg, or of the workflow's whole state."""
    places = (event.get("state"), event.get("leg"), event)
    return {name: place[name] for place in places if place for name in NAMES if name in place}


E = TypeVar("E", bound=BaseModel)


def _bind_clients() -> None:
    """Have all of boto3's clients of this process ``QUICK``, but those that say otherwise."""
    session = get_session()
    session.set_default_client_config(QUICK)
    boto3.setup_default_session(botocore_session=session)


_bind_clients()


def count(metric: str, value: float = 1, unit: MetricUnit = MetricUnit.Count) -> None:
    """Send a metric with the call's log."""
    metrics.add_metric(name=metric, unit=unit, value=value)


@cache
def services() -> Services:
    """The process's services; names of bucket, table and key come from the environment."""
    return Services(
        store=Store(
            boto3.client("s3"), os.environ["BREAKEVEN_BUCKET"], kms_key=os.environ.get("BREAKEVEN_KMS_KEY")
        ),
        table=boto3.resource("dynamodb").Table(os.environ["BREAKEVEN_TABLE"]),
    )


def entry(model: type[E]) -> Callable[[Callable[[E], Any]], Handler]:
    """Make a Lambda handler of a function of the parsed event."""

    def decorate(function: Callable[[E], Any]) -> Handler:
        @wraps(function)
        def handler(event: dict[str, Any], context: LambdaContext) -> Any:
            parsed = parse(event=event, model=model)
            named = names_in(event)
            logger.append_keys(**named)
            for key in named.keys() & ANNOTATED:
                tracer.put_annotation(key, named[key])
            return function(parsed)

        measured = metrics.log_metrics(handler)
        traced = tracer.capture_lambda_handler(measured, capture_response=False)
        logged: Handler = logger.inject_lambda_context(traced, clear_state=True)
        return logged

    return decorate
