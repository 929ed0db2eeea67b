"""The self-test's target: a server in a child process of the loader that does what the case's program says.

It is started with the case's client and stopped with it, so it works wherever a loader does, and nothing of
it is there before or after. A case of it has one loader.
"""

from __future__ import annotations

from typing import Any

from breakeven.brokers.access import Access, Node
from breakeven.clients.base import Client, Receiver, Sender
from breakeven.clients.factory import make_client
from breakeven.errors import CaseError
from breakeven.instrument.process import HOST, Instrument
from breakeven.instrument.program import Program
from breakeven.targets.target import Description, Prepared, Target, queue_names
from breakeven.workload.case import Case, Workload

#: which clients speak a protocol
SPEAKS = {"amqp": ("native", "pika"), "sqs": ("native", "boto3")}


class InstrumentClient:
    """A client of the workload's kind on an instrument of its own."""

    def __init__(self, workload: Workload, program: Program) -> None:
        self._instrument = Instrument(program)
        try:
            self._client = _client(workload, program, self._instrument.port)
        except BaseException:
            self._instrument.stop()
            raise
        self.name = self._client.name

    @property
    def record(self) -> dict[str, Any] | None:
        """What the instrument did; there once the client is closed, None when it could not say."""
        return self._instrument.record

    def sender(self, queue: str) -> Sender:
        return self._client.sender(queue)

    def receiver(self, queue: str) -> Receiver:
        return self._client.receiver(queue)

    def close(self) -> None:
        self._client.close()
        self._instrument.stop()


class InstrumentTarget(Target):
    name = "instrument"
    exact_depth = True

    def establish(self) -> Description:
        return Description(server="a server of this project's own", provenance="measured")

    def prepare(self, case: Case, attempt: int) -> Prepared:
        """Its queues are there as soon as they are named."""
        return Prepared(queue_names(case, attempt), mirrors=None)

    def client(self, workload: Workload) -> InstrumentClient:
        if workload.program is None:
            raise CaseError("instrument: the case has no program")
        return InstrumentClient(workload, workload.program)

    def depth(self, queues: tuple[str, ...]) -> int:
        """Its messages end with its process: what no consumer had is missing."""
        return 0

    def release(self, queues: tuple[str, ...]) -> None:
        """They are gone with its process."""


def _client(workload: Workload, program: Program, port: int) -> Client:
    if workload.client not in SPEAKS[program.protocol]:
        raise CaseError(f"client {workload.client} does not speak {program.protocol}")
    if program.protocol == "sqs":
        return make_client(workload, None, f"http://{HOST}:{port}")
    node = Node(name="instrument", host=HOST, amqp_port=port, management_port=0)
    access = Access(username="any", password="any", nodes=(node,))  # noqa: S106  it looks at neither
    return make_client(workload, access)
