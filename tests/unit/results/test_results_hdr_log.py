"""HdrHistogram's own reader reads what is written for it."""

from __future__ import annotations

import base64
import math
import zlib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from hypothesis import given, settings
from hypothesis import strategies as st

from breakeven.loadgen.record.histogram import MAX_NS, Histogram, midpoint
from breakeven.results.hdr_log import Interval, hdr_log

START_S = 1_700_000_000.25
FACTS = {"case": "a.b.c.r1", "provenance": "measured"}


def filled(values: object) -> Histogram:
    histogram = Histogram()
    histogram.add_many(np.asarray(values, dtype=np.int64))
    return histogram


def read(path: Path, log: bytes) -> dict[str, HdrHistogram]:
    path.write_bytes(log)
    reader = HistogramLogReader(str(path), HdrHistogram(1, MAX_NS, 3))
    found = {}
    while (interval := reader.get_next_interval_histogram()) is not None:
        found[interval.get_tag()] = interval
    reader.input_file.close()
    return found


def counts(histogram: HdrHistogram) -> dict[int, int]:
    return {
        index: count
        for index in range(histogram.counts_len)
        if (count := histogram.get_count_at_index(index))
    }


def nearest_rank(histogram: Histogram, percentile: float) -> int:
    rank, seen = math.ceil(Fraction(str(percentile)) * histogram.count / 100), 0
    for index, count in histogram.bins.items():
        seen += count
        if seen >= rank:
            return midpoint(index)
    raise AssertionError("empty")


def test_each_metric_comes_back_with_its_stage_and_counts(tmp_path: Path) -> None:
    random = np.random.default_rng(11)
    measured = {
        "produce": filled(random.lognormal(14, 1.5, 50_000)),
        "settle": filled(random.integers(0, 3000, 1000)),
        "consume": filled([1, MAX_NS, MAX_NS + 10**9]),
        "end_to_end": filled(np.concatenate([random.normal(1e6, 1e4, 9000), random.normal(3e9, 1e7, 1000)])),
    }
    intervals = [
        Interval(name, START_S + n, 20.5, histogram) for n, (name, histogram) in enumerate(measured.items())
    ]
    back = read(tmp_path / "case.hlog", hdr_log(FACTS, reversed(intervals)))
    assert list(back) == list(measured), "in the order of their starts"
    for interval in intervals:
        theirs, ours = back[interval.metric], interval.latencies
        assert theirs.get_start_time_stamp() == interval.start_s * 1000
        assert theirs.get_end_time_stamp() == (interval.start_s + 20.5) * 1000
        assert theirs.get_total_count() == ours.count
        assert counts(theirs) == ours.bins
        for percentile in (1, 10, 50, 90, 95, 99, 99.9):
            expected = nearest_rank(ours, percentile)
            assert theirs.get_value_at_percentile(percentile) == pytest.approx(expected, rel=1e-3)


@settings(deadline=None)
@given(
    st.lists(st.integers(0, MAX_NS) | st.integers(0, 5000), min_size=1, max_size=300), st.integers(1, 2**40)
)
def test_the_encoding_is_the_reference_librarys_to_the_byte(values: list[int], times: int) -> None:
    ours, theirs = Histogram(), HdrHistogram(1, MAX_NS, 3)
    for value in values:
        ours.add(value)
        theirs.record_value(value)
    for value in set(values):
        theirs.record_value(value, times)
    document = ours.to_json()
    own = filled(sorted(set(values))).bins
    document["bins"] = [[index, count + times * own.get(index, 0)] for index, count in document["bins"]]
    (line,) = hdr_log({}, [Interval("m", 0, 1, Histogram.from_json(document))]).decode().splitlines()[-1:]
    encoded = line.split(",")[-1]
    assert payload(encoded) == payload(theirs.encode().decode())


def payload(encoded: str) -> tuple[bytes, bytes]:
    """Cookie and contents; how tightly zlib packed them may differ."""
    raw = base64.b64decode(encoded)
    return raw[:4], zlib.decompress(raw[8:])


def test_a_reader_is_shown_what_it_reads() -> None:
    log = hdr_log({"case": "a\nTag=b"}, [Interval("produce", START_S, 2, filled([2_500_000]))]).decode()
    head, line = log.splitlines()[:-1], log.splitlines()[-1]
    assert head == [
        "#case: a Tag=b",
        "#latencies in nanoseconds; StartTimestamp (of the metric's stage, since the epoch) and "
        "Interval_Length in seconds; Interval_Max in milliseconds",
        "#[Histogram log format version 1.3]",
        "#[StartTime: 1700000000.250 (seconds since epoch), 2023-11-14 22:13:20.250+00:00]",
        '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ]
    assert line.startswith("Tag=produce,1700000000.250,2.000,2.500000,HISTFAAA")


def test_a_metric_without_latencies_has_no_line(tmp_path: Path) -> None:
    log = hdr_log(FACTS, [Interval("consume", START_S, 2, Histogram())])
    assert read(tmp_path / "empty.hlog", log) == {}
