"""One loader in a process of its own, on the Python under test: a case on stdin, its result on stdout; JSON.

python -m tests.support.loaders.loader_child <order.json

``{"case": …, "queue": …}``; the queue is where the environment says that SQS is.
"""

from __future__ import annotations

import json
import sys

from breakeven.clients.factory import make_client
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.coordination import SoleLoader
from breakeven.loadgen.loader import run_loader
from breakeven.workload.case import Case


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
