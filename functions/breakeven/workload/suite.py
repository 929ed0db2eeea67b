"""The suite: what a YAML file under ``scenarios/`` may say. Every field is described in docs/suites.md.

Values are strict: ``"5"`` is text, not a number. Ranges live here and nowhere else; what only shows
once a suite is expanded (a size over a target's limit, a queue that nobody would drive) is in
``planning.checks``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PrivateAttr, model_validator

from breakeven.terms import MAX_NODES, Groups, TargetName, VolumeType
from breakeven.workload.case import (
    MAX_LOADERS,
    MAX_RATE,
    Arrivals,
    ConnectTo,
    Leaders,
    LoaderKind,
    Mode,
    QueueMode,
    Variant,
)
from breakeven.workload.fault_fields import FaultList
from breakeven.workload.fields import (
    LEAST_VOLUME_GB,
    MAX_LIST,
    MAX_MESSAGES,
    MAX_STAGE_S,
    MAX_STEPS,
    MOST_WARM_UP_S,
    AckEvery,
    Batch,
    Compared,
    Consumers,
    DistinctList,
    GroupSize,
    InstanceType,
    Linger,
    Milliseconds,
    Mix,
    Name,
    NodesDown,
    Prefetch,
    Prefill,
    Producers,
    Queues,
    Rate,
    ScaleName,
    Size,
    StepSeconds,
    Strict,
    Text,
    Varied,
    WarmUp,
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
    window: Annotated[int, Field(ge=1, le=65535)] | None = None
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


class NodeSize(Strict):
    """What brokers run on; what is left out is the deployment's, or the kind's only one."""

    instance_type: InstanceType | None = None
    volume_gb: Annotated[int, Field(ge=LEAST_VOLUME_GB, le=16_384)] | None = None
    volume_type: VolumeType | None = None
    volume_iops: Annotated[int, Field(ge=100, le=64_000)] | None = None
    nodes: Annotated[int, Field(ge=1, le=MAX_NODES)] | None = None
    architecture: Literal["arm64", "x86_64"] | None = None


#: of each cell
Repeats = Annotated[int, Field(ge=1, le=100)]
#: by the names that the suite gives them
Sizes = Annotated[dict[Name, NodeSize], Field(min_length=1, max_length=MAX_LIST)]


class Scale(Strict):
    """What of a suite is otherwise where it is to take less time, or less of a machine.

    ``scenarios`` and ``defaults`` replace fields one by one, everything else as a whole.
    """

    targets: DistinctList[Compared] | None = None
    machines: dict[Compared, Sizes] | None = None
    repeats: Repeats | None = None
    warm_up: WarmUp | None = None
    leave_out: DistinctList[Name] | None = None
    defaults: dict[str, Any] = Field(default_factory=dict)
    scenarios: dict[Name, dict[str, Any]] = Field(default_factory=dict)


class Suite(Strict):
    """A whole suite. ``where`` says where it was read, for error messages; it is no part of the document.

    ``warm_up``: seconds after which a lane's warm-up begins no window any more; 0: there is no warm-up.
    """

    suite: Name
    title: Text
    source: Text | None = None
    targets: DistinctList[Compared]
    repeats: Repeats = 1
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    variant: Variant = "equal-guarantees"
    variants: dict[Variant, dict[Compared, Delivery]] = Field(default_factory=dict)
    machines: dict[Compared, Sizes] = Field(default_factory=dict)
    instrument: bool = True
    warm_up: WarmUp = MOST_WARM_UP_S
    scale: dict[ScaleName, Scale] = Field(default_factory=dict)
    defaults: Defaults = Defaults()
    scenarios: Annotated[dict[Name, Scenario], Field(min_length=1, max_length=MAX_LIST)]

    _where: str = PrivateAttr(default="suite")

    @property
    def where(self) -> str:
        return self._where

    def read_from(self, where: str) -> Self:
        """The same suite, remembering where it was read."""
        self._where = where
        return self

    def loaders_of(self, scenario: str) -> int | None:
        """How many loaders the scenario asks for itself; None: the plan's own count."""
        return self.scenarios[scenario].loaders or self.defaults.loaders

    def loader_of(self, scenario: str) -> LoaderKind | None:
        """What the scenario asks its loaders to run as; None: as the plan finds by its length."""
        return self.scenarios[scenario].loader or self.defaults.loader

    def subjects(self, scenario: str) -> list[tuple[TargetName, str]]:
        """A scenario's targets by name, and the kind of each: a kind on several machines is several."""
        own = self.scenarios[scenario].targets
        return [
            (TargetName.of(kind, size), kind)
            for kind in self.targets
            if own is None or kind in own
            for size in self.machines.get(kind, ("",))
        ]

    def document(self) -> dict[str, Any]:
        """The suite as plain JSON values, sizes in bytes; parsing it gives the same suite."""
        return self.model_dump(mode="json", exclude_none=True, exclude_defaults=True)

    @property
    def sha256(self) -> str:
        """Digest of what the suite says, the same however its file is laid out or commented."""
        return hashlib.sha256(json.dumps(self.document(), sort_keys=True).encode()).hexdigest()
