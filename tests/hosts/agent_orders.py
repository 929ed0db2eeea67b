"""Orders to agents on nodes, and what they answer, as a case's watch gives and reads them."""

from __future__ import annotations

import time

from breakeven.agent.impairment import Impairment
from breakeven.agent.node_orders import FaultAnswer
from breakeven.results.fault_orders import FaultOrder, FaultOrders
from breakeven.workload.node_faults import FaultKind
from tests.hosts.instance import Instance
from tests.hosts.launched_lane import Lane
from tests.hosts.release import AGENT_UNIT, RUN
from tests.support.workflow.processes import eventually

PATIENCE_S = 180.0
#: how late a signal may be, and a command, which takes a second or two of a machine that does much else
SIGNAL_LATE_S, COMMAND_LATE_S = 1.0, 20.0
numbers = iter(range(1, 1000))


def orders(lane: Lane) -> FaultOrders:
    return FaultOrders(lane.installation.store, RUN, lane.release.target)


def name_of(lane: Lane, node: Instance) -> str:
    return next(each.name for each in lane.access.nodes if each.host == node.address)


def give(
    lane: Lane,
    node: Instance,
    kind: FaultKind,
    for_s: float,
    in_s: float = 4.0,
    network: Impairment | None = None,
) -> FaultOrder:
    order = FaultOrder(
        case_id="case",
        attempt=1,
        number=next(numbers),
        kind=kind,
        aimed_at="1",
        node=name_of(lane, node),
        due_at_s=time.time() + in_s,
        for_s=for_s,
        in_sync=True,
        network=network,
    )
    orders(lane).give(order)
    return order


def impair(lane: Lane, node: Instance, impairment: Impairment, for_s: float) -> FaultOrder:
    return give(lane, node, impairment.kind, for_s, network=impairment)


def answer(lane: Lane, order: FaultOrder, *, over: bool = True) -> FaultAnswer:
    def found() -> FaultAnswer | None:
        noted = orders(lane).answered("case", 1).get(order.number)
        return noted if noted and noted.over >= over else None

    assert eventually(lambda: found() is not None, PATIENCE_S), [
        node.journal(AGENT_UNIT) for node in lane.nodes
    ]
    noted = found()
    assert noted
    return noted


def assert_done(order: FaultOrder, noted: FaultAnswer, late_s: float) -> None:
    assert noted.error is None
    assert noted.done_at_s is not None
    assert noted.back_at_s is not None
    assert 0 <= noted.done_at_s - order.due_at_s < late_s
    assert noted.back_at_s - noted.done_at_s >= order.for_s - 0.01


def assert_whole(lane: Lane) -> None:
    assert eventually(lambda: lane.problem() is None, PATIENCE_S), lane.problem()
