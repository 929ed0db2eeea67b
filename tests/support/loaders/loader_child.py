"""One loader in a process of its own, on the Python under test: a case on stdin, its result on stdout; JSON.

python -m tests.support.loaders.loader_child <order.json

``{"case": …, "queue": …}``; the queue is where the environment says that SQS is.
"""

from __future__ import annotations

import json
import sys
import time

from breakeven.clients.factory import make_client
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.coordination import CaseProgress, Progress
from breakeven.loadgen.loader import run_loader
from breakeven.workload.case import Case


class SoleLoader:
    """The coordinator of a case with one loader."""

    def arrive(self, gate: str) -> None:
        self._opens_s = time.time() + 0.2

    def opens_at(self, gate: str) -> float | None:
        return self._opens_s

    def exchange(self, mine: Progress) -> CaseProgress:
        return CaseProgress(1, mine.producing, mine.sent, mine.expected, mine.received, None, mine.unknown)


def main() -> None:
    order = json.loads(sys.stdin.read())
    case = Case.model_validate(order["case"])
    client = make_client(case.workload, None)
    try:
        result = run_loader(Assignment(case, 1, 0, (order["queue"],)), client, SoleLoader(), lambda _: None)
    finally:
        client.close()
    print(json.dumps(result.to_json()))


if __name__ == "__main__":
    main()
