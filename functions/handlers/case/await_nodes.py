"""Wait until a lane's nodes are all back and in sync. Inside the VPC, where they answer."""

from __future__ import annotations

from breakeven.steps.case.nodes_down import await_nodes
from handlers.common import CaseEvent, entry, services


@entry(CaseEvent)
def handler(event: CaseEvent) -> None:
    await_nodes(services(), event.run_id, event.target)
