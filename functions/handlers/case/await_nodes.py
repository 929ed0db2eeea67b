"""Wait until a lane's nodes are all back and in sync. Inside the VPC, where they answer."""

from __future__ import annotations

from aws_lambda_powertools.utilities.typing import LambdaContext

from breakeven.steps.case.nodes_down import await_nodes
from breakeven.steps.services import services
from handlers.common import CaseEvent, entry


@entry(CaseEvent)
def handler(event: CaseEvent, context: LambdaContext) -> None:
    await_nodes(services(), event.run_id, event.target)
