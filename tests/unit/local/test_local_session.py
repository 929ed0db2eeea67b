"""What a local run hands to its functions' processes."""

from __future__ import annotations

import os
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

import pytest

from breakeven.clients.core.loading import SWITCH
from breakeven.loadgen.self_check.host_use import RUN_PROCESS
from local.servers.endpoints import Endpoints
from local.session import Session


@pytest.mark.parametrize("said", [None, "off"])
def test_a_core_that_is_switched_off_is_off_in_the_loaders_of_a_local_run(monkeypatch, said) -> None:
    monkeypatch.delenv(SWITCH, raising=False)
    if said:
        monkeypatch.setenv(SWITCH, said)
    given: list[dict[str, str]] = []

    def plane(*, env: dict[str, str], **_: Any) -> object:
        given.append(env)
        return nullcontext()

    made = Session.__new__(Session)
    made._endpoints, made._server, made._proxy = Endpoints(), None, None
    made._children = made._machines = lambda: None  # type: ignore[assignment]
    made._work, made._closing = Path("work"), ExitStack()
    made._control_plane(
        plane,
        Path("assembly"),  # type: ignore[arg-type]
        "http://sqs",
        "a server",
    )
    assert given[0].get(SWITCH) == said


@pytest.mark.parametrize(
    ("endpoints", "noted"),
    [
        (Endpoints(), {RUN_PROCESS: str(os.getpid())}),
        (Endpoints(sqs="http://127.0.0.1:9324"), {}),
        (Endpoints(("amqp://a", "amqp://b")), {}),
    ],
)
def test_loaders_are_told_the_runs_process_where_all_its_servers_are_below_it(endpoints, noted) -> None:
    assert endpoints.own_process() == noted
