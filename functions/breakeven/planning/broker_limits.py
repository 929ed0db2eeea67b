"""Limits of a broker of Amazon MQ by its type, and cases that ask for more.

Channels, consumers of a channel and queues are bounded, too, and no suite comes near: each client has a
channel and at most a consumer on it, so that connections are at their bound before, and every type takes as
many queues as a suite may have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from breakeven.planning.budget.durations import expected
from breakeven.planning.footprint import connections, workers_asked
from breakeven.planning.refusal import Refusal, origin
from breakeven.pricing.prices.broker_types import BrokerLimits, broker_types, form_of_nodes
from breakeven.targets.catalog import record_of
from breakeven.workload.case import Case
from breakeven.workload.suite import Suite


@dataclass(frozen=True, slots=True)
class Need:
    """What a case needs of one of a broker's limits.

    :param limit: the field of ``BrokerLimits``
    :param field: the suite's, which asks for it
    :param said: the need in words, and what the limit is of
    """

    limit: str
    amount: int
    field: str
    value: int
    said: str

    def is_met(self, limits: BrokerLimits) -> bool:
        most = getattr(limits, self.limit)
        return most is None or self.amount <= most


def refusals(suite: Suite, cases: Sequence[Case]) -> Iterator[Refusal]:
    """Cases that go beyond a limit however their clients come to lie on the nodes."""
    for case in cases:
        if (limits := _limits(case)) is None:
            continue
        for need in _needs(suite, case):
            if not need.is_met(limits):
                most = getattr(limits, need.limit)
                why = f"{need.said}, and {_type(case)} takes {most:,} unless it is configured otherwise"
                remedy = f"{why}: give less{_larger(case, need)}"
                yield Refusal(case_id=case.case_id, field=need.field, value=need.value, remedy=remedy)


def notes(cases: Sequence[Case]) -> list[str]:
    """Clients that one node alone would not take: the endpoint leads each to any node."""
    found: dict[str, str] = {}
    for case in cases:
        limits, clients = _limits(case), connections(case.workload, case.target)
        if limits and limits.connections < clients <= limits.connections * case.nodes:
            found[case.target] = (
                f"{case.target}: {clients:,} connections reach the nodes through one endpoint, and a node of "
                f"{_type(case)} takes {limits.connections:,}. One that is full refuses more, which fails "
                "the case."
            )
    return list(found.values())


def _limits(case: Case) -> BrokerLimits | None:
    """None of a target that is no broker of Amazon MQ."""
    return _of_type(case, _type(case)) if record_of(case.target).broker else None


def _of_type(case: Case, broker_type: str) -> BrokerLimits | None:
    limits = broker_types()[broker_type].limits
    return limits[form_of_nodes(case.nodes)] if limits else None


def _type(case: Case) -> str:
    assert case.machines, f"{case.case_id} has brokers of a type"
    return case.machines.instance_type


def _needs(suite: Suite, case: Case) -> Iterator[Need]:
    work, nodes = case.workload, case.nodes
    field, workers = workers_asked(suite, case)
    each = ceil(connections(work, case.target) / nodes)
    where = "" if nodes == 1 else f" on each of {nodes} nodes at best"
    yield Need("connections", each, field, workers, f"its clients have {each:,} connections{where}")
    name, waiting = _waiting(case)
    of_a_queue = ceil(waiting / work.queues)
    field = origin(suite, case.scenario, name)
    said = f"up to {of_a_queue:,} messages wait in a queue, which rejects what is beyond its maximum length"
    yield Need("max_length", of_a_queue, field, getattr(work, name) or 0, said)


def _waiting(case: Case) -> tuple[str, int]:
    """The field by which most messages come to wait before any is received, and how many those are."""
    work = case.workload
    if work.messages is not None:
        return "messages", work.messages
    if work.consumers:
        return "prefill", work.prefill
    return "measure_s", round(expected(work, case.target, "aws").messages)


def _larger(case: Case, need: Need) -> str:
    """The smallest type that would do, where there is one."""
    fits = (
        name
        for name in broker_types()
        if (limits := _of_type(case, name)) is not None and need.is_met(limits)
    )
    return f", or {found} under machines.{case.target.kind}" if (found := next(fits, "")) else ""
