"""Orders and answers as an agent knows them: what it must do to a node, and what became of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from breakeven.agent.impairment import Impairment

#: how the keys of both end, and of what says until when orders may come
ORDER_ENDING, ANSWER_ENDING, EXPECTED_ENDING = ".order.json", ".answer.json", ".expected.json"


class Order(Protocol):
    """Of one fault. Instants are epoch seconds."""

    @property
    def kind(self) -> str: ...
    @property
    def node(self) -> str | None: ...
    @property
    def due_at_s(self) -> float: ...
    @property
    def for_s(self) -> float: ...
    @property
    def network(self) -> Impairment | None: ...


@dataclass(frozen=True, slots=True)
class FaultAnswer:
    """``over``: nothing more is to be done of it, whether it went well or not. Instants are epoch seconds.

    :param injected: of a service, once over: calls that met it, by kind
    :param seen: likewise: calls that could have met it
    """

    over: bool
    injected: Mapping[str, int] | None = None
    seen: int | None = None
    done_at_s: float | None = None
    back_at_s: float | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class NodeOrder:
    """An order as it was read on a node. ``key``: of its object; ``network``: how that is impaired."""

    key: str
    kind: str
    node: str | None
    due_at_s: float
    for_s: float
    network: Impairment | None = None

    @classmethod
    def read(cls, key: str, document: Mapping[str, Any]) -> NodeOrder:
        """:raises KeyError, TypeError, ValueError: it is no order"""
        node = document["node"]
        return cls(
            key=key,
            kind=str(document["kind"]),
            node=None if node is None else str(node),
            due_at_s=float(document["due_at_s"]),
            for_s=float(document["for_s"]),
            network=Impairment.read(document.get("network")),
        )


OrderType = TypeVar("OrderType", bound=Order)


class Orders(Protocol[OrderType]):
    """Those of one lane."""

    def beyond(self, known: Collection[str]) -> Mapping[str, OrderType]:
        """Those whose keys are not known, by key."""

    def answer(self, order: OrderType, answer: FaultAnswer) -> None:
        """In the place of an earlier one."""
