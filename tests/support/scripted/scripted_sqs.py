"""An SQS client of either kind that talks to a scripted server."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from breakeven.clients.base import Client
from breakeven.clients.factory import make_client
from breakeven.loadgen.ledger.stamp import Stamper
from breakeven.terms import Groups
from tests.support.scripted.certificates import make_certificate
from tests.support.scripted.fakes import make_case
from tests.support.scripted.scripted_http import LOOPBACK, Heard, Reply, scripted

QUEUE = "http://sqs.example/123456789012/a-queue"


CREDENTIALS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}


@contextmanager
def client_of(
    monkeypatch: pytest.MonkeyPatch,
    *script: bytes | Reply,
    kind: str = "native",
    batch: int = 1,
    groups: Groups | None = None,
    tls: ssl.SSLContext | None = None,
    credentials: Mapping[str, str] = CREDENTIALS,
) -> Iterator[tuple[Client, Heard]]:
    with scripted(*script, tls=tls) as (port, heard):
        scheme = "https" if tls else "http"
        for name in CREDENTIALS:
            monkeypatch.delenv(name, raising=False)
        for name, value in {"AWS_DEFAULT_REGION": "us-east-1", **credentials}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", f"{scheme}://{LOOPBACK}:{port}")
        batches = {"send_batch": batch, "receive_batch": batch, "delete_batch": batch}
        client = make_client(make_case(client=kind, groups=groups, **batches).workload, None)
        yield client, heard
        client.close()


def tls_of(monkeypatch: pytest.MonkeyPatch, folder: Path) -> ssl.SSLContext:
    """A server's, with a certificate that clients made from now on trust."""
    certificate = folder / "certificate.pem"
    make_certificate(certificate)
    monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def bodies(count: int, size: int = 16) -> list[bytes]:
    return [Stamper("test", 5, size).body(number) for number in range(count)]
