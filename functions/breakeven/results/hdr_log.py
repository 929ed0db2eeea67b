"""A case's latencies as an HdrHistogram log, for the tools that read that format.

A bin of ours is a counter of an HdrHistogram with a unit of one nanosecond and three significant digits:
same bounds, same index. So nothing is recorded anew, and nothing is lost.

Log format 1.3: https://hdrhistogram.github.io/HdrHistogram/JavaDoc/org/HdrHistogram/HistogramLogReader.html
Encoding V2: ``ENCODING.rst`` of https://github.com/HdrHistogram/HdrHistogram_py
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from breakeven.loadgen.record.histogram import MAX_NS, Histogram

_COOKIE, _COMPRESSED_COOKIE = 0x1C849313, 0x1C849314
_DIGITS = 3
_LEGEND = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'


class Interval(NamedTuple):
    """One metric in its stage: start by the wall clock, epoch seconds; length in seconds."""

    metric: str
    start_s: float
    length_s: float
    latencies: Histogram


def hdr_log(facts: Mapping[str, str], intervals: Iterable[Interval]) -> bytes:
    """The log's text: one line for each metric that has latencies, tagged with its name.

    :param facts: written above them as comments, such as the case's name
    """
    kept = sorted((each for each in intervals if each.latencies.count), key=lambda each: each.start_s)
    lines = [f"#{name}: {_one_line(value)}" for name, value in facts.items()]
    lines += [
        "#latencies in nanoseconds; StartTimestamp (of the metric's stage, since the epoch) and "
        "Interval_Length in seconds; Interval_Max in milliseconds",
        "#[Histogram log format version 1.3]",
    ]
    if kept:
        start = datetime.fromtimestamp(kept[0].start_s, UTC).isoformat(" ", "milliseconds")
        lines.append(f"#[StartTime: {kept[0].start_s:.3f} (seconds since epoch), {start}]")
    lines += [_LEGEND, *map(_line, kept)]
    return ("\n".join(lines) + "\n").encode()


def _line(interval: Interval) -> str:
    greatest_ms = (interval.latencies.max_ns or 0) / 1e6
    numbers = f"{interval.start_s:.3f},{interval.length_s:.3f},{greatest_ms:.6f}"
    return f"Tag={interval.metric},{numbers},{_encoded(interval.latencies)}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _encoded(latencies: Histogram) -> str:
    counts = b"".join(_counts(latencies.bins))
    # cookie, length of the counts, offset, digits, lowest and highest value, ratio to whole numbers
    header = struct.pack(">IIIIQQd", _COOKIE, len(counts), 0, _DIGITS, 1, MAX_NS, 1.0)
    packed = zlib.compress(header + counts)
    return base64.b64encode(struct.pack(">II", _COMPRESSED_COOKIE, len(packed)) + packed).decode()


def _counts(bins: Mapping[int, int]) -> Iterable[bytes]:
    """Every counter up to the last that is not zero; a run of zeros is its length, negative."""
    expected = 0
    for index, count in sorted(bins.items()):
        if zeros := index - expected:
            yield _varint(2 * zeros - 1)
        yield _varint(2 * count)
        expected = index + 1


def _varint(zigzag: int) -> bytes:
    """LEB128. (The ninth byte of a number of 56 bits or more would differ; no count is that large.)"""
    encoded = bytearray()
    while zigzag > 0x7F:
        encoded.append(zigzag & 0x7F | 0x80)
        zigzag >>= 7
    encoded.append(zigzag)
    return bytes(encoded)
