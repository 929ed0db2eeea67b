"""Questions put to the prices, as ``report.json`` has them: one set of inputs, and its options' names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field, ValidationError, field_validator

from breakeven import words
from breakeven.errors import first_fault
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, BATCHED
from breakeven.pricing.bill.uncertainty import (
    FILL_OF_BATCHED,
    MANAGED_CAPACITY,
    MANAGED_TRAFFIC,
    inputs_moving,
)
from breakeven.pricing.cluster_form import cluster_name, form_of_inputs
from breakeven.report.contract.earlier_inputs import stored_inputs
from breakeven.report.contract.strict import Strict

InputValue = str | int | float | bool | None
#: of a boundary that is not there at every end of what is not known
OR_NONE = "or no crossing"
#: what an uncertain input's ends are, as ``pricing.bill.uncertainty`` has them
ENDS = {
    "empty receives": "empty receives (none to one per message)",
    "batch fill": "batch fill (half to full)",
    FILL_OF_BATCHED: "how full batches of SQS batched are (half to full)",
    "capacity": "cluster capacity (a quarter less to a quarter more)",
    MANAGED_CAPACITY: "Amazon MQ's capacity (a quarter less to a quarter more)",
    MANAGED_TRAFFIC: "what traffic between Amazon MQ's brokers is charged (nothing to "
    "the price across zones)",
}
#: of an input that a question is priced with at one end: what makes the other
AT_OTHER_END = {
    "empty receives": "if receives are often empty",
    "batch fill": "if batches are half full",
    FILL_OF_BATCHED: "if batches are half full",
    MANAGED_TRAFFIC: "if traffic between Amazon MQ's brokers is charged",
}


def may_be_none(names: Sequence[str], is_fill_measured: bool) -> str:
    """When two options have no crossing that have one as the question is priced.

    :param names: of the uncertain inputs that move either
    :param is_fill_measured: whether batches of SQS batched are priced as full as they were measured
    """
    is_measured = is_fill_measured and FILL_OF_BATCHED in names
    if len(names) != 1 or is_measured or names[0] not in AT_OTHER_END:
        return ", depending on what is not known"
    return f" {AT_OTHER_END[names[0]]}"


class CostQuestion(Strict):
    """What was asked: one set of inputs at one book's prices."""

    question_id: str
    purpose: Literal["headline", "size", "history"] = Field(
        description="size: the crossings of one more size of a sweep, and no more"
    )
    price_book: str
    inputs: dict[str, InputValue]
    options: dict[str, str] = Field(description="option's id -> its name for readers")
    uncertain: list[str] = Field(description="inputs that are not known; the intervals span their ends")
    counted_empty_receives: float | None = Field(
        default=None, description="the most a message that the run counted; the interval reaches to it"
    )
    capacity: str = Field(description="what is known of one cluster's capacity, in words")
    capacity_notes: list[str]
    capacity_mean_msg_per_s: float | None = Field(
        description="the mean that one cluster is priced to carry; null: not known, one whatever the rate"
    )

    amazon_mq_capacity: str | None = Field(
        default=None, description="the same of Amazon MQ beside it; null: it is not"
    )

    @field_validator("inputs")
    @classmethod
    def _can_be_priced(cls, inputs: dict[str, InputValue]) -> dict[str, InputValue]:
        """Those of a newer version may have what this one does not know."""
        try:
            stored_inputs(inputs)
        except ValidationError as error:
            field, _, wrong = first_fault(error, "inputs")
            found = f"{inputs[field]!r}: " if field in inputs else ""
            raise ValueError(f"{field}: {found}{wrong}; is it of another version of breakeven?") from error
        return inputs

    @property
    def priced_with(self) -> Inputs:
        """The inputs; of an earlier version's report such as it took."""
        return stored_inputs(self.inputs)

    def option_name(self, option: str) -> str:
        """For tables and legends; an option of a map is an instance type."""
        return self.options.get(option) or cluster_name(form_of_inputs(self.inputs), option)

    def spoken_option(self, option: str) -> str:
        """In a sentence: SQS; SQS, batched and long-polled; a RabbitMQ pair of m7g.large."""
        if option == AS_USED:
            return "SQS"
        if option == BATCHED:
            return "SQS, batched and long-polled"
        name = self.option_name(option)
        if name.startswith("Amazon MQ cluster"):
            return f"an {name}"
        if name.startswith("Amazon MQ, one "):
            return f"an Amazon MQ broker of {name.removeprefix('Amazon MQ, one ')}"
        return name if name.startswith("RabbitMQ on") or not name.startswith("RabbitMQ") else f"a {name}"

    def uncertain_of(self, *options: str) -> list[str]:
        """Names of the uncertain inputs that move the bill of one of the options."""
        return [name for name in self.uncertain if name in inputs_moving(*options)]

    def or_none(self, *options: str) -> str:
        """'or no crossing', and when."""
        return f"{OR_NONE}{self.may_be_none(*options)}"

    def may_be_none(self, *options: str) -> str:
        """When options have no crossing that have one as the question is priced, and may have none.

        It is known where one input alone is uncertain of them, as that is then at its other end.
        """
        return may_be_none(self.uncertain_of(*options), self.inputs.get("batch_fill") is not None)

    def uncertain_words(self, *options: str) -> str:
        """What the intervals of the question span.

        :param options: whose crossing it is; none: whatever moves any
        """
        ends = dict(ENDS)
        # what a run counted was priced beside our own clusters
        if (self.counted_empty_receives or 0.0) > 1 and AMAZON_MQ not in options:
            counted = f"{words.figure(self.counted_empty_receives)} that this run counted"
            ends["empty receives"] = f"empty receives (none to the {counted} per message)"
        if self.inputs.get("capacity_low_msg_per_s") is not None:
            ends["capacity"] = f"cluster capacity ({self._measured('capacity_high_msg_per_s')})"
        if self.inputs.get("amazon_mq_low_msg_per_s") is not None:
            ends[MANAGED_CAPACITY] = f"Amazon MQ's capacity ({self._measured('amazon_mq_high_msg_per_s')})"
        if self.inputs.get("batch_fill_low") is not None:
            ends[FILL_OF_BATCHED] = "how full batches of SQS batched are (as far as was measured)"
        named = self.uncertain_of(*options) if options else self.uncertain
        return words.listing([ends.get(name, name) for name in named])

    def _measured(self, high: str) -> str:
        found = self.inputs.get(high) is not None
        return "the interval that was measured" if found else "what was measured, or more"
