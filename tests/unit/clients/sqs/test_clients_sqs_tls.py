"""The native SQS client over TLS, with a certificate made for the test."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from breakeven.clients.base import ConnectionLost
from tests.support.scripted.certificates import make_certificate
from tests.support.scripted.scripted_http import Reply, answer
from tests.support.scripted.scripted_sqs import QUEUE, bodies, client_of


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """For this host, signed by itself; its key is in the same file."""
    path = tmp_path / "certificate.pem"
    make_certificate(path)
    return path


def served_by(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def test_over_tls_calls_share_a_connection(monkeypatch: pytest.MonkeyPatch, certificate: Path) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate))
    good = answer(200, {"MessageId": "1"})
    script = [good, Reply([good[:20], good[20:]], pause_s=0.05), Reply([good[:-3]], then_close=True), good]
    with client_of(monkeypatch, *script, tls=served_by(certificate)) as (client, heard):
        sender = client.sender(QUEUE)
        sender.submit([1, 2], bodies(2, 200_000))
        with pytest.raises(ConnectionLost):
            sender.submit([3], bodies(1))
        sender.submit([4], bodies(1))
        assert list(sender.poll(0).sequence) == [1, 2, 4]
        assert heard.connections == 2


def test_a_server_that_no_authority_vouches_for_is_not_spoken_to(
    monkeypatch: pytest.MonkeyPatch, certificate: Path
) -> None:
    with client_of(monkeypatch, tls=served_by(certificate)) as (client, heard):
        with pytest.raises(ConnectionLost, match="CERTIFICATE_VERIFY_FAILED"):
            client.sender(QUEUE)
        assert heard.requests == []
