"""A scripted broker, plain and behind TLS."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from tests.certificates import HOST, make_certificate_for
from tests.integration.tls import terminator
from tests.unit.scripted_broker import ScriptedBroker, scripted


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
    with terminator(both, plain_broker.port, damaging) as port:
        plain_broker.is_behind(port, certificate)
        yield plain_broker


@pytest.fixture(params=["plain", "tls"])
def broker(request) -> ScriptedBroker:
    found: ScriptedBroker = request.getfixturevalue(f"{request.param}_broker")
    return found
