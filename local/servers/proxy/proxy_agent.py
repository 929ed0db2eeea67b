"""Agent that has the proxy before a service cause a lane's faults: it looks in the bucket for orders, as the
agent beside nodes does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from breakeven.agent.node_orders import FaultAnswer
from breakeven.agent.order_agent import OrderAgent
from breakeven.errors import BreakevenError
from breakeven.results.fault_orders import FaultOrder, FaultOrders
from breakeven.workload.service_faults import ServiceFault
from local.servers.proxy.fault_proxy import Injected


class Proxy(Protocol):
    """As :class:`FaultProxy`."""

    def begin(self, name: str, fault: ServiceFault, queues: Sequence[str]) -> float: ...
    def end(self, name: str) -> Injected: ...


class ProxyAgent(OrderAgent[FaultOrder]):
    """Of one lane."""

    def __init__(
        self, orders: FaultOrders, proxy: Proxy, stopped: Callable[[], bool] = lambda: False
    ) -> None:
        super().__init__(orders, stopped)
        self._proxy = proxy

    def _apply(self, order: FaultOrder, node: str) -> None:
        try:
            self._cause(order)
        except BreakevenError as refused:
            self._answer(order, FaultAnswer(over=True, error=str(refused)))

    def _cause(self, order: FaultOrder) -> None:
        """:raises BreakevenError: the proxy has gone"""
        if order.calls is None:
            raise BreakevenError("the order does not say what befalls which calls")
        name = f"{order.case_id}/a{order.attempt}/{order.number}"
        begun_s = self._proxy.begin(name, order.calls, order.queues)
        self._answer(order, FaultAnswer(over=False, done_at_s=begun_s))
        if self._is_over_after(begun_s + order.for_s - time.time()):
            return
        self._answer(order, self._outcome(name, begun_s))

    def _outcome(self, name: str, begun_s: float) -> FaultAnswer:
        """Of one that was caused, even where the proxy has gone with its counts."""
        try:
            ended = self._proxy.end(name)
        except BreakevenError as gone:
            return FaultAnswer(over=True, done_at_s=begun_s, error=str(gone))
        return FaultAnswer(
            over=True,
            done_at_s=begun_s,
            back_at_s=ended.at_s,
            injected={str(kind): count for kind, count in ended.calls.items()},
            seen=ended.seen,
        )
