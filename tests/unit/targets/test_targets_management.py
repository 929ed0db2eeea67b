"""The management API's client against answers that a healthy broker does not give."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from breakeven.brokers.access import Access, Node
from breakeven.targets.rabbitmq.rabbitmq_management import Management, ManagementError
from local.ports import free_ports


class Answering(BaseHTTPRequestHandler):
    """Answers what the server was told to, and keeps what it was asked."""

    def do_GET(self) -> None:
        self.server.asked.append((self.command, self.path, self.headers["Authorization"]))
        status, text = self.server.answer
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_PUT = do_DELETE = do_GET

    def log_message(self, *args: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    found = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    found.asked, found.answer = [], (200, b"{}")
    thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield found
    found.shutdown()
    thread.join()
    found.server_close()


@pytest.fixture
def management(server) -> Management:
    (silent,) = free_ports(1)
    nodes = tuple(
        Node(name=str(port), host="127.0.0.1", amqp_port=1, management_port=port)
        for port in (silent, server.server_port)
    )
    return Management(Access(username="ann", password="pä:ss", vhost="a/b", nodes=nodes))


def test_a_silent_node_is_passed_over_and_names_are_quoted(management, server):
    server.answer = (200, b'{"synchronised_slave_nodes": ["x"]}')
    assert management.queue("q/1 ä")["synchronised_slave_nodes"] == ["x"]
    ((verb, path, authorization),) = server.asked
    assert (verb, path) == ("GET", "/api/queues/a%2Fb/q%2F1%20%C3%A4?disable_stats=true")
    assert base64.b64decode(authorization.removeprefix("Basic ")).decode() == "ann:pä:ss"


@pytest.mark.parametrize("status", [401, 404, 500])
def test_a_refusal_is_an_answer_with_its_status(management, server, status):
    server.answer = (status, b'{"reason": "Not today"}')
    with pytest.raises(ManagementError, match=rf"GET /api/overview: {status} .*Not today") as caught:
        management.overview()
    assert caught.value.status == status
    assert "pä:ss" not in str(caught.value)


def test_what_is_gone_need_not_be_deleted(management, server):
    server.answer = (404, b"{}")
    management.delete_policy("p")
    assert management.global_parameter("g") == {}
    assert [(verb, path) for verb, path, _ in server.asked] == [
        ("DELETE", "/api/policies/a%2Fb/p"),
        ("GET", "/api/global-parameters/g"),
    ]


def test_other_refusals_to_delete_are_reported(management, server):
    server.answer = (403, b"no")
    with pytest.raises(ManagementError, match="403"):
        management.delete_policy("p")
    with pytest.raises(ManagementError, match="403"):
        management.global_parameter("g")


def test_an_answer_that_is_not_json_is_reported(management, server):
    server.answer = (200, b"<html>")
    with pytest.raises(ManagementError, match="not JSON"):
        management.nodes()


def test_where_nobody_answers_all_addresses_are_reported(management, server):
    server.shutdown()
    server.server_close()
    with pytest.raises(ManagementError) as caught:
        management.overview()
    assert str(caught.value).count("127.0.0.1:") == 2
    assert caught.value.status is None
