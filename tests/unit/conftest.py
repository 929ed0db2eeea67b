"""A scripted broker, plain and behind TLS; functions of the simulated AWS that do as they are told."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from breakeven.report.charts.drawing import Drawing
from cli.running.run_command import ENDING
from local.stored.answers import ask
from tests.support.money.kept_answers import keep_answers
from tests.support.scripted.certificates import HOST, make_certificate_for
from tests.support.scripted.scripted_broker import ScriptedBroker, scripted
from tests.support.scripted.tls import terminator


@pytest.fixture(scope="session", autouse=True)
def kept_answers() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        keep_answers(patch, ask)
        yield


@pytest.fixture
def signals_of_a_terminal() -> Iterator[None]:
    """They end a program: who starts the tests with ``nohup``, or behind a shell, has them ignored."""
    before = {number: signal.getsignal(number) for number in ENDING}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def plain_broker() -> Iterator[ScriptedBroker]:
    with scripted() as found:
        yield found


@pytest.fixture
def damaging() -> threading.Event:
    """Of the TLS: once it is set, what the broker says arrives as it is."""
    return threading.Event()


@pytest.fixture
def tls_broker(plain_broker, damaging, tmp_path) -> Iterator[ScriptedBroker]:
    certificate, key = make_certificate_for(HOST)
    both = tmp_path / "broker.pem"
    both.write_text(certificate + key)
    with terminator(both, plain_broker.port, damaging=damaging) as port:
        plain_broker.is_behind(port, certificate)
        yield plain_broker


@pytest.fixture(params=["plain", "tls"])
def broker(request) -> ScriptedBroker:
    found: ScriptedBroker = request.getfixturevalue(f"{request.param}_broker")
    return found


@pytest.fixture
def undrawn(monkeypatch) -> None:
    """Charts are empty pictures: drawing a report's takes seconds, and not every test looks at them."""
    monkeypatch.setattr(
        Drawing, "_svg", lambda drawing, form, _: f'<svg id="{drawing.slug}-{form.name}"></svg>'
    )


@pytest.fixture(scope="module")
def moto() -> Iterator[Any]:
    """A server of the simulated AWS: ``tests.support.aws.moto_server.Moto``."""
    from tests.support.aws.moto_server import moto_server  # noqa: PLC0415  costly to load, and few tests need it

    with moto_server() as server:
        yield server


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """Set when a function that was told to wait may answer; set at the end at the latest."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def function(moto, released):
    """A function's ARN. It answers with its payload; ``{"wait": ...}`` has it wait for ``released``."""

    # costly to load, and few tests need them
    from moto.awslambda.models import LambdaFunction  # noqa: PLC0415

    from local.aws.swaps import Swaps  # noqa: PLC0415
    from tests.support.aws.moto_server import LIMIT_S  # noqa: PLC0415

    def invoke(_function, event=None):
        if isinstance(event, dict) and "wait" in event:
            released.wait(LIMIT_S)
        return json.dumps(event), False, ""

    with Swaps() as swaps:
        swaps.attribute(LambdaFunction, "_invoke_lambda", invoke)
        yield moto.function()
