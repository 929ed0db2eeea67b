"""Samples of hosts, by the agents on a lane's nodes, in the rows of a case's watch.

The watch sees a node of EC2 from another host: what that uses it cannot count. The node's agent does, each
second, and leaves it in the bucket (``breakeven.agent``). Both name the instant at which their second ended,
by clocks that AWS's time service keeps; each sample goes to the row of its node that is nearest.
"""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from breakeven.loadgen.case_figures import NodeFigures
from breakeven.results import layout
from breakeven.steps.case.watch_rows import EVERY_S, NO_ANSWER
from breakeven.steps.services import Services
from breakeven.targets.catalog import record_of
from breakeven.workload.case import Case

#: what the figures are of, in the rows
HOST = "host"
NOT_SAMPLED = "the node's agent left no sample of this second"
#: how long the last batch is waited for, seconds: agents leave one each 5 s
WAIT_S, POLL_S = 8.0, 0.5
_FIGURES = NodeFigures.model_fields.keys()

Row = dict[str, Any]
#: node -> when each second ended, epoch seconds -> what was sampled
Sampled = Mapping[str, Mapping[float, Mapping[str, Any]]]


def with_host_samples(services: Services, case: Case, rows: list[Row], wait_s: float = WAIT_S) -> list[Row]:
    """The rows, and those of seconds in which the target told nothing of a node that was sampled.

    As they were where the lane's nodes carry no agent: on one machine, and of services.
    """
    if not rows or not record_of(case.target).own_nodes:
        return rows
    first_s, last_s = rows[0]["at_s"] - EVERY_S / 2, rows[-1]["at_s"] + EVERY_S / 2
    keys = _batches(services, case, last_s, wait_s)
    if not keys:
        return rows
    return merged(rows, _read(services, keys, first_s, last_s))


def merged(rows: Sequence[Row], sampled: Sampled) -> list[Row]:
    """By second and node; ``rows`` are, too."""
    origin_s, found = rows[0]["at_s"] - rows[0]["second"], {(row["second"], row["node"]): row for row in rows}
    result = dict(found)
    for node, samples in sampled.items():
        for at_s, sample in samples.items():
            key = round(at_s - origin_s), node
            result[key] = _filled(found.get(key) or _untold(rows[0]["case_id"], key, at_s), sample)
    for key, row in result.items():
        if row["node"] in sampled and row["taken"] is None:
            result[key] = row | {"unknown": NOT_SAMPLED}
    return [row for _, row in sorted(result.items())]


def _filled(row: Row, sample: Mapping[str, Any]) -> Row:
    """The broker's own figures stay: only what it does not tell is the host's."""
    known = {name: value for name, value in sample.items() if name in _FIGURES and row[name] is None}
    untold = NO_ANSWER if NO_ANSWER in (row["unknown"] or "") else None
    return row | known | {"taken": HOST, "unknown": untold}


def _untold(case_id: str, key: tuple[int, str], at_s: float) -> Row:
    second, node = key
    known = {"case_id": case_id, "node": node, "second": second, "at_s": at_s}
    return {**known, **dict.fromkeys(_FIGURES), "unknown": NO_ANSWER}


def _batches(services: Services, case: Case, until_s: float, wait_s: float) -> list[str]:
    """Keys of all that the lane's nodes have left, once each has left its samples until then."""
    prefix, deadline = layout.samples_prefix(case.run_id, case.target), time.monotonic() + wait_s
    while True:
        keys = services.store.keys(prefix)
        latest = {node: last_s for node, _, last_s in map(_named, sorted(keys, key=_named))}
        if not keys or min(latest.values()) >= until_s or time.monotonic() > deadline:
            return keys
        time.sleep(POLL_S)


def _named(key: str) -> tuple[str, float, float]:
    """Node, and the first and the last second of a batch."""
    node, name = key.split("/")[-2:]
    first, _, last = name.removesuffix(".json.gz").partition("-")
    return node, float(first), float(last)


def _read(services: Services, keys: Sequence[str], first_s: float, last_s: float) -> Sampled:
    sampled: dict[str, dict[float, Mapping[str, Any]]] = {}
    for key in keys:
        node, first, last = _named(key)
        if last >= first_s and first <= last_s:
            within = (each for each in _batch(services, key) if first_s <= each["at_s"] <= last_s)
            sampled.setdefault(node, {}).update({each["at_s"]: each for each in within})
    return sampled


def _batch(services: Services, key: str) -> Iterator[Mapping[str, Any]]:
    yield from json.loads(gzip.decompress(services.store.get_bytes(key)))
