"""The live page's server: this machine only, by its own name only, GET only, and gone when the run is."""

from __future__ import annotations

import http.client
import json
import re
import socket
import threading
import time

import pytest

from breakeven.errors import InputError
from cli.running.live import live_server
from cli.running.live.live_server import LiveServer

REPORT = {"index.html": b"<h1>SQS is cheaper</h1>", "report.json": b"{}"}


@pytest.fixture
def server():
    with LiveServer(0, "r1", "Quick & <small>") as found:
        yield found


def asked(server, path="/", method="GET", host=None, **headers):
    """Status, headers and body of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    connection.putrequest(method, path, skip_host=True)
    for name, value in {"Host": host or f"127.0.0.1:{server.port}", **headers}.items():
        for each in [value] if isinstance(value, str) else value:
            connection.putheader(name, each)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read()
    connection.close()
    return found


def test_it_listens_on_loopback_only(server):
    assert server._server.server_address[0] == "127.0.0.1"
    assert server.address == f"http://127.0.0.1:{server.port}/"


def test_the_page_runs_its_one_script_and_asks_nobody_else(server):
    status, headers, body = asked(server)
    text = body.decode()
    assert status == 200
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    digest = re.search(r"script-src '(sha256-[^']+)'", headers["Content-Security-Policy"])
    assert digest
    assert "connect-src 'self'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "Quick &amp; &lt;small&gt;" in text
    assert text.count("<script>") == text.count("</script>") == 1
    assert not re.search(r"https?://(?!www\.w3\.org/)", text)


def test_every_answer_is_kept_by_nobody_and_read_from_nowhere_else(server):
    for path in ("/", "/status.json", "/nothing"):
        headers = asked(server, path)[1]
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert "Access-Control-Allow-Origin" not in headers
        assert headers["Server"].strip() == "breakeven"


def test_its_status_is_what_was_shown_last(server):
    server.show({"outcome": "running", "lines": ["</script>"]})
    assert json.loads(asked(server, "/status.json")[2]) == {"outcome": "running", "lines": ["</script>"]}
    assert asked(server, "/status.json?x=1")[0] == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "[::1]:{port}", " "]
)
def test_who_asks_for_another_name_is_refused(server, host):
    status, _, body = asked(server, "/status.json", host=host.format(port=server.port))
    assert (status, body) == (421, b"this address is asked for by its own name only\n")


def test_two_names_or_none_are_refused(server):
    own = f"127.0.0.1:{server.port}"
    assert asked(server, host=(own, "evil.example"))[0] == 421
    assert asked(server, host=(own, own))[0] == 421
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as raw:
        raw.sendall(b"GET /status.json HTTP/1.1\r\n\r\n")
        assert b" 421 " in raw.makefile("rb").readline()


def test_localhost_is_this_machine_too(server):
    assert asked(server, host=f"localhost:{server.port}")[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE"])
def test_only_get_is_answered(server, method):
    status, headers, body = asked(server, method=method)
    assert (status, headers["Allow"]) == (405, "GET")
    assert body == (b"" if method == "HEAD" else b"GET only\n")


@pytest.mark.parametrize(
    "path",
    ["/x", "/report/index.html", "/report/", "/report/../state.json", "/../../etc/passwd", "//etc/passwd"],
)
def test_nothing_else_is_there(server, path):
    assert asked(server, path)[0] == 404


def test_in_the_end_the_report_is_there_and_no_other_file_of_its_folder(server, tmp_path):
    for name, body in {**REPORT, "secret.txt": b"no"}.items():
        (tmp_path / name).write_bytes(body)
    server.end({"outcome": "ok"}, tmp_path)
    assert json.loads(asked(server, "/status.json")[2]) == {"outcome": "ok", "report": "/report/index.html"}
    status, headers, body = asked(server, "/report/index.html")
    assert (status, body) == (200, REPORT["index.html"])
    assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert asked(server, "/report/report.json")[1]["Content-Type"] == "application/json"
    assert asked(server, "/report/secret.txt")[0] == 404
    assert asked(server, "/report/cases.csv")[0] == 404


def test_a_port_that_is_taken_and_one_that_is_not_to_be_had_are_named(server):
    with pytest.raises(
        InputError, match=rf"--live: '{server.port}': is taken by another program; give another"
    ):
        LiveServer(server.port, "r2", "Quick")
    with pytest.raises(OverflowError):  # the command line takes no such port
        LiveServer(70000, "r2", "Quick")


def closing_s(server) -> float:
    began = time.monotonic()
    server.close()
    return time.monotonic() - began


def test_it_ends_at_once_where_no_page_is_open(tmp_path):
    server = LiveServer(0, "r1", "Quick")
    server.end({}, tmp_path)
    closing_s(server)
    assert not [thread for thread in threading.enumerate() if thread.name == "live"]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port))


def test_it_waits_for_a_page_that_is_open_to_take_the_report(tmp_path, monkeypatch):
    (tmp_path / "index.html").write_bytes(REPORT["index.html"])
    server = LiveServer(0, "r1", "Quick")
    asked(server, "/status.json")
    server.end({}, tmp_path)
    closing = threading.Thread(target=server.close)
    closing.start()
    assert asked(server, "/status.json")[0] == 200, "it is still there"
    assert asked(server, "/report/index.html")[0] == 200
    closing.join(live_server.FAREWELL_S / 2)
    assert not closing.is_alive()


def test_a_page_that_is_open_and_never_comes_again_keeps_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(live_server, "FAREWELL_S", 0.1)
    server = LiveServer(0, "r1", "Quick")
    asked(server, "/status.json")
    server.end({}, None)
    closing_s(server)


def test_a_request_that_never_ends_keeps_nobody_else_and_not_the_end(monkeypatch):
    with LiveServer(0, "r1", "Quick") as server, socket.create_connection(("127.0.0.1", server.port)) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\n")
        assert asked(server)[0] == 200
