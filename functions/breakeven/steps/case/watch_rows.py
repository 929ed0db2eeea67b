"""The rows of a watch: a row a second and node, from what the target tells and what ``/proc`` counts."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from breakeven.loadgen.case_figures import NodeFigures
from breakeven.steps.case.process_meter import ProcessMeter
from breakeven.targets.target import Depth, NodeProcess, NodeSample

EVERY_S = 1.0
NO_ANSWER = "the target gave no figures in this second"
NOT_COUNTED = "the node's process had only just been found, or had ended"
#: fields of a sample that are no figures
_ABOUT_PROCESS = ("process", "no_process")


class WatchRows:
    """Rows by second and node. One thread adds what the target tells, another what ``/proc`` counts; a node
    of which neither has anything in a second has no row for it.

    :param since_s: of the case's watch, what the calls before this one took
    """

    def __init__(self, case_id: str, since_s: int = 0) -> None:
        self._case_id, self._since_s = case_id, since_s
        self._start, self._start_s = time.monotonic(), time.time()
        self._lock = threading.Lock()
        self._rows: dict[tuple[int, str], dict[str, Any]] = {}
        self._answered: set[tuple[int, str]] = set()
        self._processes: dict[str, NodeProcess] = {}

    def know_processes(self, samples: list[NodeSample]) -> None:
        """From now on, which processes the nodes are."""
        with self._lock:
            self._processes = {each.node: each.process for each in samples if each.process}

    def add_samples(self, samples: list[NodeSample], depth: Depth | None) -> None:
        """Take the target's own figures of just now, of the nodes that run; ``depth`` None: it gave none."""
        counts: dict[str, int | None] = {}
        if depth is not None:
            counts = {"depth": depth.total, "ready": depth.ready, "unacknowledged": depth.unacknowledged}
        second = self._second()
        with self._lock:
            for sample in samples:
                reported = {
                    name: value for name, value in asdict(sample).items() if name not in _ABOUT_PROCESS
                }
                row = self._row(second, sample.node)
                row |= counts | reported
                if row["taken"] is None:
                    row["unknown"] = sample.no_process or NOT_COUNTED
                self._answered.add((second, sample.node))

    @contextmanager
    def with_processes(self) -> Iterator[None]:
        """Within the block, count what the nodes' processes use each second, as far as they are known: a
        target that keeps others waiting does not keep this.
        """
        ended = threading.Event()
        thread = threading.Thread(target=self._count, args=(ended,), name="process meter", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def rows(self) -> list[dict[str, Any]]:
        """All rows, by second and node, with the columns of ``results.schemas.NODES``."""
        with self._lock:
            return [row | self._unanswered(key) for key, row in sorted(self._rows.items())]

    def _unanswered(self, key: tuple[int, str]) -> dict[str, str]:
        """What there is to say of a row to which the target has added nothing; the lock is held."""
        if key in self._answered:
            return {}
        return {"unknown": "; ".join(filter(None, (self._rows[key]["unknown"], NO_ANSWER)))}

    def _count(self, ended: threading.Event) -> None:
        meter, ticks = ProcessMeter(), 0
        while not ended.wait(max(0.0, self._start + ticks * EVERY_S - time.monotonic())):
            with self._lock:
                processes = dict(self._processes)
            self._add_used(processes, meter)
            ticks = max(ticks + 1, int((time.monotonic() - self._start) / EVERY_S))

    def _add_used(self, processes: Mapping[str, NodeProcess], meter: ProcessMeter) -> None:
        uses, second = meter.look(set(processes.values())), self._second()
        with self._lock:
            for node, process in processes.items():
                if use := uses.get(process):
                    self._row(second, node).update(asdict(use))

    def _second(self) -> int:
        return self._since_s + int(time.monotonic() - self._start)

    def _row(self, second: int, node: str) -> dict[str, Any]:
        """The row, made if there is none; the lock is held."""
        ended_s = self._start_s + second - self._since_s
        return self._rows.setdefault(
            (second, node),
            {
                "case_id": self._case_id,
                "node": node,
                "second": second,
                "at_s": round(ended_s, 3),
                **dict.fromkeys(NodeFigures.model_fields),
            },
        )
