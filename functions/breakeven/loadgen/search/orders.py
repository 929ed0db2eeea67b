"""Messages between the loaders of one capacity search: the first orders, each hands in its part."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field, PlainSerializer, PlainValidator

from breakeven.loadgen.record.histogram import Histogram
from breakeven.terms import Frozen


def _packed(latencies: Histogram) -> str:
    return base64.b64encode(zlib.compress(json.dumps(latencies.to_json()).encode())).decode()


def _unpacked(given: Histogram | str) -> Histogram:
    if isinstance(given, Histogram):
        return given
    return Histogram.from_json(json.loads(zlib.decompress(base64.b64decode(given))))


#: packed, as it has some thousands of bins and goes through an item of the state table
Packed = Annotated[Histogram, PlainValidator(_unpacked), PlainSerializer(_packed)]


class Order(Frozen):
    """What all loaders of a search do next. ``number`` counts orders, from 1."""

    number: int
    kind: Literal["settling", "probe", "end"]
    rate: float = Field(default=0.0, description="of all loaders together, messages a second")
    probe: int = Field(default=0, description="number of the probe, from 1")
    for_s: float = Field(
        default=0.0, description="how long the rate is offered, a probe's warm-up not counted"
    )
    opens_s: float | None = Field(default=None, description="when all begin, epoch seconds; null: not yet")
    stopped: bool = Field(default=False, description="offer nothing more of it")
    telling: tuple[str, ...] = Field(
        default=(), description="of the end: the stages between which the capacity lies"
    )
    why: str | None = Field(default=None, description="of the end: why the case has failed")


class Part(Frozen):
    """One loader's part of what came of an order; ``latencies`` are end to end."""

    number: int
    offered: int
    achieved: int
    delays: tuple[tuple[float, float], ...] = Field(description="as ``DelayTrend.blocks`` has them")
    latencies: Packed
    drained: bool = Field(description="every message is accounted for")


def latencies(parts: Iterable[Part]) -> Histogram:
    """Those of all parts."""
    found = Histogram()
    for part in parts:
        found.merge(part.latencies)
    return found
