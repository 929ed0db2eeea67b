"""Orders and answers of faults, as objects in the bucket: nothing is opened inwards to a node.

A case's watch writes an order; an agent beside the nodes of the lane, or beside the proxy before its service,
reads it, carries it out at its instant, and writes an answer, twice: once it has begun, and once it is over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import asdict

from pydantic import Field, TypeAdapter

from breakeven.agent.impairment import Impairment
from breakeven.agent.node_orders import ANSWER_ENDING, EXPECTED_ENDING, ORDER_ENDING, FaultAnswer
from breakeven.results import layout
from breakeven.results.store import Store
from breakeven.terms import Frozen
from breakeven.workload.service_faults import AnyFaultKind, ServiceFault

_ANSWERS = TypeAdapter(FaultAnswer)


class FaultOrder(Frozen):
    """Instants are epoch seconds. One without ``node`` is a record: nobody is to carry it out."""

    case_id: str
    attempt: int
    number: int = Field(description="of the case's faults, from 1")
    kind: AnyFaultKind
    aimed_at: str = Field(description="leader, other, or a node's number; of a service which calls")
    node: str | None = Field(
        description="the broker node's name, or what is before the service; null: none could be chosen"
    )
    due_at_s: float
    for_s: float
    in_sync: bool | None = Field(description="whether all replicas were then; null: not known")
    error: str | None = Field(default=None, description="why no node was chosen")
    calls: ServiceFault | None = Field(default=None, description="of a service: what befalls which calls")
    network: Impairment | None = Field(default=None, description="of a node: how its network is impaired")
    queues: tuple[str, ...] = Field(default=(), description="of a service: the case's, by URL")


class FaultOrders:
    """Those of one lane."""

    def __init__(self, store: Store, run_id: str, target: str) -> None:
        self._store, self._run_id, self._target = store, run_id, target

    def give(self, order: FaultOrder) -> None:
        self._store.put_json(
            self._key(order.case_id, order.attempt, order.number, ORDER_ENDING), order.model_dump(mode="json")
        )

    def answer(self, order: FaultOrder, answer: FaultAnswer) -> None:
        """In the place of an earlier one."""
        self._store.put_json(
            self._key(order.case_id, order.attempt, order.number, ANSWER_ENDING), asdict(answer)
        )

    def expect(self, case_id: str, attempt: int, until_s: float) -> None:
        """Say that orders of that attempt may come, until then: agents that pay for each look look more often
        as long. An instant of its own for each call, in the key: whoever lists has it.
        """
        prefix = layout.faults_prefix(self._run_id, self._target, case_id, attempt)
        self._store.put_json(f"{prefix}{until_s:.0f}{EXPECTED_ENDING}", {})

    def given(self, case_id: str, attempt: int) -> dict[int, FaultOrder]:
        """By number."""
        return {
            number: FaultOrder.model_validate(self._store.get_json(key))
            for number, key in self._of_case(case_id, attempt, ORDER_ENDING)
        }

    def answered(self, case_id: str, attempt: int) -> dict[int, FaultAnswer]:
        """By number."""
        return {
            number: _ANSWERS.validate_python(self._store.get_json(key))
            for number, key in self._of_case(case_id, attempt, ANSWER_ENDING)
        }

    def beyond(self, known: Collection[str]) -> dict[str, FaultOrder]:
        """The lane's orders whose keys are not known, by key."""
        keys = self._store.keys(layout.faults_prefix(self._run_id, self._target))
        return {
            key: FaultOrder.model_validate(self._store.get_json(key))
            for key in keys
            if key not in known and key.endswith(ORDER_ENDING)
        }

    def _of_case(self, case_id: str, attempt: int, ending: str) -> Iterator[tuple[int, str]]:
        prefix = layout.faults_prefix(self._run_id, self._target, case_id, attempt)
        for key in self._store.keys(prefix):
            if key.endswith(ending):
                yield int(key.removeprefix(prefix).removesuffix(ending)), key

    def _key(self, case_id: str, attempt: int, number: int, ending: str) -> str:
        prefix = layout.faults_prefix(self._run_id, self._target, case_id, attempt)
        return f"{prefix}{number}{ending}"
