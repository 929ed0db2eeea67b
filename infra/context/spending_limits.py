"""What a run may spend at most: the part of the context that no execution's input can raise."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from breakeven.planning.budget.allowance import Allowance
from breakeven.workload.read import shipped_suites

ALLOWED = Allowance()


def listed(value: object) -> object:
    """``a,b``, as the command line gives a list."""
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


def _are_shipped(names: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if names is not None and not (names and set(names) <= set(shipped_suites())):
        raise ValueError
    return names


class SpendingLimits(BaseModel):
    """A field's description is the remedy where another value is given."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    max_msg_per_s: float = Field(
        default=ALLOWED.max_msg_per_s, gt=0, description="messages a second that a case may ask for, above 0"
    )
    max_sqs_usd: float = Field(
        default=ALLOWED.max_sqs_usd, ge=0, description="dollars that a run's SQS requests could cost, from 0"
    )
    suites: Annotated[tuple[str, ...] | None, BeforeValidator(listed), AfterValidator(_are_shipped)] = Field(
        default=None, description=f"names out of {', '.join(shipped_suites())}, with commas"
    )
    budget_usd: float = Field(
        default=40.0, ge=0, description="dollars a month of the whole account, 0 for no budget"
    )

    @property
    def allowance(self) -> Allowance:
        return Allowance(max_msg_per_s=self.max_msg_per_s, max_sqs_usd=self.max_sqs_usd, suites=self.suites)
