"""Whom the native clients speak TLS to: by OpenSSL's functions and, without the core, by Python's ``ssl``."""

from __future__ import annotations

import re
import socket
import ssl
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from breakeven.brokers.access import Access, Node, tls_context
from breakeven.clients.core.loading import SWITCH
from breakeven.clients.core.tls_connection import TlsConnection
from breakeven.clients.core.tls_context import TlsContext
from tests.support.scripted.certificates import DAY, HOST, HOUR, make_certificate_of
from tests.support.scripted.tls_server import NAME, Pair, connected, echo, received, sent, serving, trusting


@pytest.fixture(params=["the core's", "Python's"], autouse=True)
def of_the_core(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether it is OpenSSL that is called; both ways must refuse the same."""
    if request.param == "Python's":
        monkeypatch.setenv(SWITCH, "off")
    return str(request.param) == "the core's"


def test_where_there_is_a_core_it_can_drive_the_connection(tmp_path, of_the_core):
    own = make_certificate_of(NAME)
    with serving(own, tmp_path) as server, closing(connected(trusting(own), server.port)) as found:
        assert isinstance(found, TlsConnection) is of_the_core


@pytest.mark.parametrize(
    ("names", "host"),
    [
        ((HOST,), HOST),
        ((NAME,), NAME),
        (("*.corp.example",), NAME),
        (("elsewhere.example", NAME.upper()), NAME),
        (("xn--bcher-kva.example",), "bücher.example"),
    ],
)
def test_a_trusted_server_of_that_name_is_spoken_to(tmp_path, names, host):
    own = make_certificate_of(*names)
    with serving(own, tmp_path) as server:
        with closing(connected(trusting(own), server.port, host)) as found:
            sent(found, b"ping")
            assert received(found, 4) == b"ping"
        assert server.asked_for == [None if host == HOST else host.encode("idna").decode()]


@pytest.mark.parametrize(
    ("names", "host", "words"),
    [
        (("elsewhere.example",), NAME, f"Hostname mismatch, certificate is not valid for '{NAME}'"),
        (("127.0.0.2",), HOST, f"IP address mismatch, certificate is not valid for '{HOST}'"),
        ((HOST,), "127.0.0.2", "IP address mismatch, certificate is not valid for '127.0.0.2'"),
        ((NAME,), HOST, "IP address mismatch"),
        ((NAME,), "fe80::1%eth0", "Hostname mismatch, certificate is not valid for 'fe80::1%eth0'"),
        ((HOST,), NAME, "Hostname mismatch"),
        (("*.corp.example",), "deep.broker.corp.example", "Hostname mismatch"),
        (("bro*.corp.example",), NAME, "Hostname mismatch"),
        ((f"{NAME}.elsewhere",), NAME, "Hostname mismatch"),
    ],
)
def test_a_server_of_another_name_is_refused(tmp_path, names, host, words):
    own = make_certificate_of(*names)
    refused(tmp_path, own, trusting(own), host, words)


@pytest.mark.parametrize(
    ("begins", "ends", "words"),
    [(-2 * DAY, -DAY, "certificate has expired"), (HOUR, DAY, "certificate is not yet valid")],
)
def test_a_certificate_out_of_its_time_is_refused(tmp_path, begins, ends, words):
    own = make_certificate_of(NAME, begins=begins, ends=ends)
    refused(tmp_path, own, trusting(own), NAME, words)


@pytest.mark.parametrize("trusted", ["another of that name", "another", "the system's"])
def test_an_issuer_that_nobody_trusts_is_refused(tmp_path, trusted):
    own = make_certificate_of(NAME)
    context = {
        "another of that name": lambda: trusting(make_certificate_of(NAME)),
        "another": lambda: trusting(make_certificate_of(NAME, issuer="another")),
        "the system's": TlsContext,
    }[trusted]()
    refused(tmp_path, own, context, NAME, "self-signed certificate|signature failure")


def refused(folder: Path, own: Pair, context: TlsContext, host: str, words: str) -> None:
    with serving(own, folder) as server:
        with pytest.raises(ssl.SSLCertVerificationError) as caught:
            connected(context, server.port, host)
        assert re.match(
            rf"\[SSL: CERTIFICATE_VERIFY_FAILED\] certificate verify failed: .*({words})", str(caught.value)
        )
        assert "in order" not in server.ended


def test_authorities_come_from_a_file_or_from_text_and_any_of_them_will_do(tmp_path):
    one, own = make_certificate_of(NAME, issuer="another"), make_certificate_of(NAME)
    bundle = one[0] + "\n" + own[0]
    (tmp_path / "bundle.pem").write_text(bundle)
    with serving(own, tmp_path) as server:
        for context in (TlsContext(cadata=bundle), TlsContext(cafile=str(tmp_path / "bundle.pem"))):
            connected(context, server.port).close()


def test_the_systems_authorities_are_where_the_environment_says(tmp_path, monkeypatch):
    own = make_certificate_of(NAME)
    (tmp_path / "system.pem").write_text(own[0])
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "system.pem"))
    with serving(own, tmp_path) as server:
        connected(TlsContext(), server.port).close()


def test_the_systems_authorities_are_read_once_for_all_connections_to_nodes(tmp_path, monkeypatch):
    managed = Access(username="a", password="b", tls=True, nodes=())
    one, other = make_certificate_of(NAME), make_certificate_of(NAME)
    for name, made in (("one.pem", one), ("other.pem", other)):
        (tmp_path / name).write_text(made[0])
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "one.pem"))
    first = tls_context(managed)
    assert tls_context(managed) is first
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "other.pem"))
    assert tls_context(managed) is not first
    own = Node(name="n", host=NAME, amqp_port=1, management_port=2, certificate=one[0])
    assert len(tls_context(managed.model_copy(update={"nodes": (own,)})).get_ca_certs()) == 1


@pytest.mark.parametrize("content", ["", "no certificate\n"])
def test_a_file_without_certificates_is_refused(tmp_path, content):
    (tmp_path / "empty.pem").write_text(content)
    with pytest.raises(ssl.SSLError):
        TlsContext(cafile=str(tmp_path / "empty.pem"))
    with pytest.raises(FileNotFoundError):
        TlsContext(cafile=str(tmp_path / "absent.pem"))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_server_that_speaks_only_an_old_tls_is_refused(tmp_path):
    own = make_certificate_of(NAME)
    old = serving(own, tmp_path, newest=ssl.TLSVersion.TLSv1_1, ciphers="DEFAULT:@SECLEVEL=0")
    with old as server, pytest.raises(ssl.SSLError, match=r"\[SSL: .*(PROTOCOL_VERSION|UNSUPPORTED)"):
        connected(trusting(own), server.port)


@pytest.mark.parametrize(
    ("says", "error", "words"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", ssl.SSLError, r"\[SSL: WRONG_VERSION_NUMBER\]"),
        (b"", (ssl.SSLEOFError, ConnectionResetError), r"EOF|reset"),
    ],
)
def test_what_speaks_no_tls_is_refused(says, error, words):
    with socket.create_server((HOST, 0)) as listener:

        def answer() -> None:
            plain, _ = listener.accept()
            with plain:
                plain.recv(65_536)
                plain.sendall(says)

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(error, match=words):
            connected(TlsContext(), listener.getsockname()[1])


def test_a_handshake_that_is_not_answered_ends_in_time():
    with socket.create_server((HOST, 0)) as listener:
        began_s = time.monotonic()
        with pytest.raises(TimeoutError, match="handshake operation timed out"):
            connected(TlsContext(), listener.getsockname()[1], timeout_s=0.2)
        assert 0.15 < time.monotonic() - began_s < 60.0


@pytest.mark.parametrize(
    ("host", "converse"),
    [
        ("elsewhere.example", echo),  # refused as OpenSSL shakes hands
        (".".join(["label"] * 60), echo),  # and before that
        (NAME, lambda _: None),  # ended without a word
    ],
)
def test_a_failure_is_its_own_connections_alone(tmp_path, host, converse):
    """OpenSSL keeps errors by thread: one left there would be that of whoever asks next."""
    own = make_certificate_of(NAME)
    with serving(own, tmp_path) as server, serving(own, tmp_path, converse) as other:
        context = ssl.create_default_context(cadata=own[0])
        with context.wrap_socket(
            socket.create_connection((HOST, server.port)), server_hostname=NAME
        ) as healthy:
            healthy.sendall(b"ping")
            assert healthy.recv(4) == b"ping"
            healthy.setblocking(False)
            with suppress(OSError), closing(connected(trusting(own), other.port, host)) as failed:
                assert received(failed, 1) == b""
            with pytest.raises(ssl.SSLWantReadError):
                healthy.recv(1)


@pytest.mark.parametrize("host", ["", ".example", f"{NAME}\0.elsewhere"])
def test_what_is_no_name_of_a_host_is_refused(tmp_path, host):
    own = make_certificate_of(NAME)
    with serving(own, tmp_path) as server, pytest.raises((ValueError, TypeError)):
        connected(trusting(own), server.port, host)


def test_cipher_and_version_are_those_that_pythons_own_context_agrees_upon(tmp_path, monkeypatch):
    agreed: list[object] = []
    own = make_certificate_of(NAME)

    def note(stream: ssl.SSLSocket) -> None:
        agreed.append((stream.version(), stream.cipher(), stream.shared_ciphers()))

    for newest in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        with serving(own, tmp_path, note, newest, ciphers="ALL:@SECLEVEL=0") as server:
            for environment in ("on", "off"):
                monkeypatch.setenv(SWITCH, environment)
                with closing(connected(trusting(own), server.port)) as found:
                    assert received(found, 1) == b""
    assert agreed[0] == agreed[1] != agreed[2] == agreed[3]
