"""The suite: what a YAML file under ``scenarios/`` may say. Every field is described in docs/suites.md.

Values are strict: ``"5"`` is text, not a number. Ranges live here and nowhere else; what only shows
once a suite is expanded (a size over a target's limit, a queue that nobody would drive) is in
``checks``.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    model_validator,
)
from pydantic_core import PydanticCustomError

from breakeven.workload.case import MAX_LOADERS, MAX_RATE, Arrivals, Compared, Mode, Variant
from breakeven.workload.sizes import parse_size

MAX_WORKERS = 800
MAX_LIST = 50
MIN_MESSAGE_BYTES = 16  # the stamp of the ledger
DEFAULT_MESSAGE_BYTES = 1024
FAULT = "suite_fault"  # the type of our own errors among pydantic's


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


def _wrong(field: str, remedy: str) -> PydanticCustomError:
    """A fault of one field that shows only beside others; ``problems`` puts it under that field."""
    return PydanticCustomError(FAULT, "{remedy}", {"field": field, "remedy": remedy})


def _one_or_many(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


def _unique(values: list[Any]) -> list[Any]:
    for index, value in enumerate(values):
        if value in values[:index]:
            remedy = f"entry {index + 1} is there twice; remove it"
            raise PydanticCustomError(FAULT, "{remedy}", {"remedy": remedy})
    return values


def _size(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return parse_size(value)
    except ValueError:
        return value  # the field's own error says what a size looks like


def _allowed(words: str) -> Any:
    """What may stand in a field, in words, for the error message (see ``problems``)."""
    return Field(json_schema_extra={"allowed": words})


Name = Annotated[
    str,
    Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=40),
    _allowed("small letters, digits and single hyphens, at most 40 of them, such as load-unload"),
]
#: ends up on terminals and in reports: nothing that a terminal would take for a command
Text = Annotated[
    str,
    Field(max_length=300, pattern=r"^[^\x00-\x1f\x7f-\x9f]+$"),
    _allowed("one line of text of 1 to 300 characters"),
]
Workers = Annotated[int, Field(ge=1, le=MAX_WORKERS)]
Queues = Annotated[int, Field(ge=1, le=100)]
NodesDown = Annotated[int, Field(ge=0, le=10)]
Size = Annotated[
    int,
    BeforeValidator(_size),
    Field(ge=MIN_MESSAGE_BYTES, le=128 * 1024**2),
    _allowed("a size from 16B (the stamp of the ledger) to 128MiB, such as 16B, 1KiB or 65536 (bytes)"),
]
Rate = Annotated[
    float, Field(gt=0, le=MAX_RATE), _allowed("messages a second, over 0 and at most 10000000, such as 500")
]
Milliseconds = Annotated[float, Field(ge=0, le=600_000)]
StepSeconds = Annotated[float, Field(gt=0, le=800), _allowed("seconds, over 0 and at most 800")]
T = TypeVar("T")
DistinctList = Annotated[list[T], Field(min_length=1, max_length=MAX_LIST), AfterValidator(_unique)]
#: fields that a scenario varies take one value or a list of different ones
Varied = Annotated[DistinctList[T], BeforeValidator(_one_or_many)]


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

    @model_validator(mode="after")
    def _one_way_to_count(self) -> Self:
        if getattr(self, "threads", None) is not None:
            for name in ("producers", "consumers"):
                if getattr(self, name) is not None:
                    raise _wrong(name, "threads is short for producers and consumers; give one or the other")
        return self


class Delivery(Strict):
    """How messages are handed over. What a variant may change, target by target."""

    confirms: bool | None = None
    persistent: bool | None = None
    mandatory: bool | None = None
    consume: Literal["get", "push"] | None = None
    prefetch: Annotated[int, Field(ge=1, le=65535)] | None = None
    window: Annotated[int, Field(ge=1, le=65535)] | None = None
    wait_s: Annotated[float, Field(ge=0, le=20)] | None = None
    client: Literal["ordinary", "native", "pika", "boto3"] | None = None


class Stages(Delivery):
    """Lengths of a case's stages, seconds. ``drain_s``: for load-unload, how long without a new message.

    Of an open loop, how messages arrive beside their ``rate``; of consumers, how long they take for each.
    """

    arrivals: Arrivals | None = None
    rate_per: Literal["case", "producer"] | None = None
    processing_ms: Milliseconds | None = None
    loaders: Annotated[int, Field(ge=1, le=MAX_LOADERS)] | None = None

    warmup_s: Annotated[float, Field(ge=0, le=600)] | None = None
    measure_s: Annotated[float, Field(ge=1, le=800)] | None = None
    drain_s: Annotated[float, Field(ge=1, le=800)] | None = None


class Cell(Counted):
    """One point of a matrix."""

    threads: Workers | None = None
    producers: Workers | None = None
    consumers: Workers | None = None
    queues: Queues | None = None
    message_size: Size | None = None
    rate: Rate | None = None
    nodes_down: NodesDown | None = None


class Defaults(Stages, Cell):
    """What every scenario of the suite has unless it says otherwise."""


class Scenario(Stages, Counted):
    """A workload and what of it is varied; its cells are all combinations of the lists."""

    mode: Mode = "parallel"
    objective_ms: Annotated[float, Field(ge=1, le=600_000)] | None = None
    messages: Annotated[int, Field(ge=1, le=100_000_000)] | None = None
    threads: Varied[Workers] | None = None
    producers: Varied[Workers] | None = None
    consumers: Varied[Workers] | None = None
    queues: Varied[Queues] | None = None
    message_size: Varied[Size] | None = None
    rate: Varied[Rate] | None = None
    nodes_down: Varied[NodesDown] | None = None
    profile: Annotated[list[RateStep], Field(min_length=1, max_length=MAX_LIST)] | None = None
    processing_profile: Annotated[list[ProcessingStep], Field(min_length=1, max_length=MAX_LIST)] | None = (
        None
    )
    cells: DistinctList[Cell] | None = None

    @model_validator(mode="after")
    def _fields_of_the_mode(self) -> Self:
        if self.mode == "load-unload":
            if self.messages is None:
                raise _wrong(
                    "messages", "is required by mode load-unload: how many are loaded, such as 10000"
                )
            for name in ("warmup_s", "measure_s", "rate", "profile", "processing_profile"):
                if getattr(self, name) is not None:
                    raise _wrong(
                        name, "mode load-unload has no measured stage; remove it, or use mode: parallel"
                    )
        elif self.messages is not None:
            raise _wrong(
                "messages", f"mode {self.mode} runs for measure_s; remove it, or use mode: load-unload"
            )
        return self

    @model_validator(mode="after")
    def _fields_of_a_search(self) -> Self:
        if self.mode == "capacity":
            for name in ("profile", "processing_profile"):
                if getattr(self, name) is not None:
                    raise _wrong(
                        name, "mode capacity holds one rate at a time; remove it, or use mode: parallel"
                    )
        elif self.objective_ms is not None:
            raise _wrong("objective_ms", "belongs to mode capacity; remove it, or use that mode")
        return self

    @model_validator(mode="after")
    def _as_long_as_its_profile(self) -> Self:
        if self.profile and self.measure_s is not None:
            raise _wrong("measure_s", "the measured stage is as long as the profile; remove one of them")
        return self

    @model_validator(mode="after")
    def _cells_apart_from_lists(self) -> Self:
        for name in Cell.model_fields:
            in_cells = any(getattr(cell, name) is not None for cell in self.cells or ())
            if in_cells and getattr(self, name) is not None:
                raise _wrong(name, "is given by the scenario and by its cells; keep one of them")
        return self


class Suite(Strict):
    """A whole suite. ``where`` says where it was read, for error messages; it is no part of the document."""

    suite: Name
    title: Text
    source: Text | None = None
    targets: DistinctList[Compared]
    repeats: Annotated[int, Field(ge=1, le=100)] = 1
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    variant: Variant = "equal-guarantees"
    variants: dict[Variant, dict[Compared, Delivery]] = {}
    instrument: bool = True
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

    @property
    def priced_message_bytes(self) -> int:
        """The size that the cost questions are asked for: the suite's default."""
        return self.defaults.message_size or DEFAULT_MESSAGE_BYTES

    def document(self) -> dict[str, Any]:
        """The suite as plain JSON values, sizes in bytes; parsing it gives the same suite."""
        return self.model_dump(mode="json", exclude_none=True, exclude_defaults=True)

    @property
    def sha256(self) -> str:
        """Digest of what the suite says, the same however its file is laid out or commented."""
        return hashlib.sha256(json.dumps(self.document(), sort_keys=True).encode()).hexdigest()
