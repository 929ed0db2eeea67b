"""A scenario of a suite: a workload, and what of it is varied. Every field is described in docs/suites.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from breakeven.terms import Groups
from breakeven.workload.case import (
    MAX_LOADERS,
    MAX_RATE,
    MOST_UNLIMITED,
    Arrivals,
    ConnectTo,
    Leaders,
    LoaderKind,
    Mode,
    QueueMode,
)
from breakeven.workload.fault_fields import FaultList
from breakeven.workload.fields import (
    MAX_MESSAGES,
    MAX_STAGE_S,
    MAX_STEPS,
    AckEvery,
    Batch,
    Compared,
    Consumers,
    DistinctList,
    GroupSize,
    Linger,
    Milliseconds,
    Mix,
    NodesDown,
    Prefetch,
    Prefill,
    Producers,
    Queues,
    Rate,
    Size,
    StepSeconds,
    Strict,
    Varied,
    Workers,
    wrong,
)


class RateStep(Strict):
    """A rate held for a while, or with ``ramp`` reached by a straight line from the rate before."""

    rate: Annotated[float, Field(ge=0, le=MAX_RATE)]
    for_s: StepSeconds
    ramp: bool = False


class ProcessingStep(Strict):
    """The same of the time that a consumer takes for a message."""

    ms: Milliseconds
    for_s: StepSeconds
    ramp: bool = False


class Counted(Strict):
    """Has workers. ``threads: n`` is short for ``producers: n`` and ``consumers: n``."""

    def _refuse(self, names: Sequence[str], remedy: str) -> None:
        """The first of these fields that is given is wrong."""
        for name in names:
            if getattr(self, name) is not None:
                raise wrong(name, remedy)

    @model_validator(mode="after")
    def _one_way_to_count(self) -> Self:
        if getattr(self, "threads", None) is not None:
            remedy = "threads is short for producers and consumers; give one or the other"
            self._refuse(("producers", "consumers"), remedy)
        return self


class Handover(Strict):
    """How messages are handed over, the same in all cells of a scenario."""

    confirms: bool | None = None
    persistent: bool | None = None
    mandatory: bool | None = None
    acks: bool | None = None
    ack_every: AckEvery | None = None
    consume: Literal["get", "push"] | None = None
    window: Annotated[int, Field(ge=1, le=MOST_UNLIMITED)] | None = None
    wait_s: Annotated[float, Field(ge=0, le=20)] | None = None
    client: Literal["ordinary", "native", "pika", "boto3"] | None = None


class Delivery(Handover):
    """What a variant may change, target by target."""

    prefetch: Prefetch | None = None


class Stages(Handover):
    """Lengths of a case's stages, seconds. ``drain_s``: for load-unload, how long without a new message.

    Of an open loop, how messages arrive beside their ``rate``; of consumers, how long they take for each.
    ``message_mix``: percent of the messages by their bytes, in the place of one size.
    """

    arrivals: Arrivals | None = None
    rate_per: Literal["case", "producer"] | None = None
    processing_ms: Milliseconds | None = None
    message_mix: Mix | None = None
    loaders: Annotated[int, Field(ge=1, le=MAX_LOADERS)] | None = None
    loader: LoaderKind | None = None

    warmup_s: Annotated[float, Field(ge=0, le=600)] | None = None
    measure_s: Annotated[float, Field(ge=1, le=MAX_STAGE_S)] | None = None
    drain_s: Annotated[float, Field(ge=1, le=MAX_STAGE_S)] | None = None


SIZED_TWICE = "sizes are given by message_size and by message_mix; keep one of them"
#: fields that count the same workers
SAME = {
    "threads": ("threads", "producers", "consumers"),
    "producers": ("producers", "threads"),
    "consumers": ("consumers", "threads"),
}


class Cell(Counted):
    """One point of a matrix."""

    threads: Workers | None = None
    producers: Producers | None = None
    consumers: Consumers | None = None
    queues: Queues | None = None
    message_size: Size | None = None
    rate: Rate | None = None
    prefill: Prefill | None = None
    nodes_down: NodesDown | None = None
    leaders: Leaders | None = None
    connect_to: ConnectTo | None = None
    queue_mode: QueueMode | None = None
    group_size: GroupSize | None = None
    groups: Groups | None = None
    prefetch: Prefetch | None = None
    send_batch: Batch | None = None
    receive_batch: Batch | None = None
    delete_batch: Batch | None = None
    linger_ms: Linger | None = None


class Defaults(Stages, Cell):
    """What every scenario of the suite has unless it says otherwise."""

    @model_validator(mode="after")
    def _one_size_or_a_mix(self) -> Self:
        if self.message_mix is not None:
            self._refuse(("message_size",), SIZED_TWICE)
        return self


class Scenario(Stages, Counted):
    """A workload and what of it is varied; its cells are all combinations of the lists.

    ``targets``: those of the suite's that it is measured on; None: all of them.
    """

    mode: Mode = "parallel"
    targets: DistinctList[Compared] | None = None
    objective_ms: Annotated[float, Field(ge=1, le=600_000)] | None = None
    confirm_s: Annotated[float, Field(ge=0, le=MAX_STAGE_S)] | None = None
    messages: Annotated[int, Field(ge=1, le=MAX_MESSAGES)] | None = None
    threads: Varied[Workers] | None = None
    producers: Varied[Producers] | None = None
    consumers: Varied[Consumers] | None = None
    queues: Varied[Queues] | None = None
    message_size: Varied[Size] | None = None
    rate: Varied[Rate] | None = None
    prefill: Varied[Prefill] | None = None
    nodes_down: Varied[NodesDown] | None = None
    leaders: Varied[Leaders] | None = None
    connect_to: Varied[ConnectTo] | None = None
    queue_mode: Varied[QueueMode] | None = None
    group_size: Varied[GroupSize] | None = None
    groups: Varied[Groups] | None = None
    prefetch: Varied[Prefetch] | None = None
    send_batch: Varied[Batch] | None = None
    receive_batch: Varied[Batch] | None = None
    delete_batch: Varied[Batch] | None = None
    linger_ms: Varied[Linger] | None = None
    profile: Annotated[list[RateStep], Field(min_length=1, max_length=MAX_STEPS)] | None = None
    processing_profile: Annotated[list[ProcessingStep], Field(min_length=1, max_length=MAX_STEPS)] | None = (
        None
    )
    faults: FaultList | None = None
    cells: DistinctList[Cell] | None = None

    @model_validator(mode="after")
    def _fields_of_the_mode(self) -> Self:
        if self.mode == "load-unload":
            if self.messages is None:
                raise wrong("messages", "is required by mode load-unload: how many are loaded, such as 10000")
            remedy = "mode load-unload has no measured stage; remove it, or use mode: parallel"
            timed = ("warmup_s", "measure_s", "rate", "profile", "processing_profile", "faults")
            self._refuse(timed, remedy)
        elif self.messages is not None:
            raise wrong(
                "messages", f"mode {self.mode} runs for measure_s; remove it, or use mode: load-unload"
            )
        return self

    @model_validator(mode="after")
    def _fields_of_a_search(self) -> Self:
        if self.mode == "capacity":
            remedy = "mode capacity holds one rate at a time; remove it, or use mode: parallel"
            self._refuse(("profile", "processing_profile", "faults"), remedy)
        else:
            self._refuse(
                ("objective_ms", "confirm_s"), "belongs to mode capacity; remove it, or use that mode"
            )
        return self

    @model_validator(mode="after")
    def _one_size_or_a_mix(self) -> Self:
        cells = self.cells or ()
        if self.message_mix is not None and any(cell.message_size is not None for cell in cells):
            raise wrong("message_mix", SIZED_TWICE)
        if self.message_mix is not None:
            self._refuse(("message_size",), SIZED_TWICE)
        return self

    @model_validator(mode="after")
    def _as_long_as_its_profile(self) -> Self:
        if self.profile and self.measure_s is not None:
            raise wrong("measure_s", "the measured stage is as long as the profile; remove one of them")
        return self

    @model_validator(mode="after")
    def _cells_apart_from_lists(self) -> Self:
        for name in [name for name in Cell.model_fields if getattr(self, name) is not None]:
            for same in SAME.get(name, (name,)):
                if any(getattr(cell, same) is not None for cell in self.cells or ()):
                    by = "by" if same == name else f"{same} by"
                    raise wrong(name, f"is given by the scenario, and {by} its cells; keep one of them")
        return self
