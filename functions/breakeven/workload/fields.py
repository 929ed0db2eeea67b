"""Fields of a suite: their types, ranges and the words of their errors."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
)
from pydantic_core import CoreSchema, PydanticCustomError
from pydantic_core.core_schema import no_info_after_validator_function

from breakeven.targets.catalog import compared
from breakeven.terms import MAX_NODES, SQS_MAX_BATCH, Frozen
from breakeven.workload.case import MAX_RATE, MOST_UNLIMITED
from breakeven.workload.sizes import parse_size, size_from, size_hint

MAX_WORKERS = 800
MAX_LIST = 50
#: characters of a suite's name, and of those in it
MAX_NAME = 40
#: that are loaded into a case's queues
MAX_MESSAGES = 100_000_000
#: of a profile, one after another
MAX_STEPS = 100
#: seconds of one stage: each second of it is a window of each metric, which loaders and settling hold
MAX_STAGE_S = 10_800
#: messages a second: of the longest stage one message
LEAST_RATE = 0.0001
#: of a lane's warm-up, unless a suite says how many, seconds
MOST_WARM_UP_S = 40.0
MIN_MESSAGE_BYTES = 16  # the stamp of the ledger
MOST_MESSAGE_BYTES = 128 * 1024**2
FAULT = "suite_fault"  # the type of our own errors among pydantic's


#: how much of a suite is run: ``local``, what one machine does in minutes; ``seconds``, a rehearsal of it
ScaleName = Literal["local", "seconds"]


class Strict(Frozen, strict=True, allow_inf_nan=False):
    """What a suite says: values of the type that is asked for, numbers that are finite."""


def wrong(field: str, remedy: str) -> PydanticCustomError:
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
        if remedy := size_hint(value):
            raise PydanticCustomError(FAULT, "{remedy}", {"remedy": remedy}) from None
        return value  # the field's own error says what a size looks like


def _mix(value: Any) -> Any:
    """Percent by bytes; the suite says them by sizes, and its document by bytes as text."""

    def fault(remedy: str) -> PydanticCustomError:
        example = "such as {1KiB: 70, 64KiB: 30}"
        return PydanticCustomError(FAULT, "{remedy}", {"remedy": f"{remedy}, {example}"})

    if not isinstance(value, dict) or not 2 <= len(value) <= MAX_LIST:
        raise fault(f"must be 2 to {MAX_LIST} sizes, each with the percent of messages that have it")
    found: dict[int, int] = {}
    for key, percent in value.items():
        size = _size(int(key) if isinstance(key, str) and key.isdecimal() else key)
        if type(size) is not int or not MIN_MESSAGE_BYTES <= size <= MOST_MESSAGE_BYTES or size in found:
            raise fault(f"{key!r} must be a size from 16B to 128MiB that is there once")
        if type(percent) is not int or not 1 <= percent <= 99:
            raise fault(f"{key} must have a whole number from 1 to 99, the percent of messages")
        found[size] = percent
    if (total := sum(found.values())) != 100:
        raise fault(f"the percentages add up to {total}, and must to 100")
    return found


def _warm_up(value: Any) -> Any:
    return MOST_WARM_UP_S * value if isinstance(value, bool) else value


def _allowed(words: str) -> Any:
    """What may stand in a field, in words, for the error message (see ``problems``)."""
    return Field(json_schema_extra={"allowed": words})


Name = Annotated[
    str,
    Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=MAX_NAME),
    _allowed("small letters, digits and single hyphens, at most 40 of them, such as load-unload"),
]
#: ends up on terminals and in reports: nothing that a terminal would take for a command, ends the line, or
#: turns the direction of what follows
_NO_TEXT = r"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069"
Text = Annotated[
    str,
    Field(max_length=300, pattern=rf"^[^{_NO_TEXT}]*[^{_NO_TEXT}\s][^{_NO_TEXT}]*$"),
    _allowed("one line of text of 1 to 300 characters"),
]
InstanceType = Annotated[
    str,
    Field(pattern=r"^(mq\.)?[a-z0-9-]+\.[a-z0-9-]+$", max_length=40),
    _allowed("an EC2 instance type, such as m7g.large, or Amazon MQ's, such as mq.m7g.large"),
]
Workers = Annotated[int, Field(ge=1, le=MAX_WORKERS)]
#: none of them: what was loaded before the measured stage is received
Producers = Annotated[int, Field(ge=0, le=MAX_WORKERS)]
#: none of them: what is sent is received once the measured stage is over
Consumers = Annotated[int, Field(ge=0, le=MAX_WORKERS)]
Prefill = Annotated[int, Field(ge=0, le=MAX_MESSAGES)]
Queues = Annotated[int, Field(ge=1, le=100)]
GroupSize = Annotated[int, Field(ge=1, le=MAX_NODES)]
Batch = Annotated[int, Field(ge=1, le=SQS_MAX_BATCH)]
#: of a batch, milliseconds
Linger = Annotated[float, Field(ge=0, le=10_000)]
NodesDown = Annotated[int, Field(ge=0, le=10)]
Size = Annotated[
    int,
    BeforeValidator(_size),
    Field(ge=MIN_MESSAGE_BYTES, le=MOST_MESSAGE_BYTES),
    _allowed(size_from(MIN_MESSAGE_BYTES, MOST_MESSAGE_BYTES, " (the stamp of the ledger)")),
]
Mix = Annotated[dict[int, int], BeforeValidator(_mix)]
Rate = Annotated[
    float,
    Field(ge=LEAST_RATE, le=MAX_RATE),
    _allowed(f"messages a second, {LEAST_RATE:g} to {MAX_RATE:.0f}, such as 500"),
]
Milliseconds = Annotated[float, Field(ge=0, le=600_000)]
StepSeconds = Annotated[
    float, Field(gt=0, le=MAX_STAGE_S), _allowed(f"seconds, over 0 and at most {MAX_STAGE_S}")
]
#: of an unlimited number, AMQP says 0
UNLIMITED = 0


def _unlimited(value: Any) -> Any:
    return UNLIMITED if value == "unlimited" else value


Prefetch = Annotated[
    int,
    BeforeValidator(_unlimited),
    Field(ge=UNLIMITED, le=MOST_UNLIMITED),
    _allowed(f"1 to {MOST_UNLIMITED} messages, or unlimited, which is 0 as in AMQP"),
]
AckEvery = Annotated[int, Field(ge=1, le=MOST_UNLIMITED)]
WarmUp = Annotated[
    float,
    BeforeValidator(_warm_up),
    Field(ge=0, le=600),
    _allowed("true, false, or the seconds that it takes at most, from 0 to 600"),
]


class _OneOfTheTargets:
    """Of the annotated text: a target that may be compared, by the catalog of the moment."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return no_info_after_validator_function(self._known, handler(source))

    def __get_pydantic_json_schema__(self, _: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "enum": compared()}

    @staticmethod
    def _known(name: str) -> str:
        if name not in compared():
            raise PydanticCustomError("unknown_target", "not a target")
        return name


Compared = Annotated[str, _OneOfTheTargets()]
T = TypeVar("T")
DistinctList = Annotated[list[T], Field(min_length=1, max_length=MAX_LIST), AfterValidator(_unique)]
#: fields that a scenario varies take one value or a list of different ones
Varied = Annotated[DistinctList[T], BeforeValidator(_one_or_many)]
