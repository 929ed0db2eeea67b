"""The relay between clients and nodes: what passes, how late, how fast, and what a cut holds back."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from breakeven.agent.impairment import Impairment
from breakeven.brokers.access import Access, Node
from breakeven.errors import BreakevenError
from local.children import Children
from local.servers.relay.client_relay import ClientRelay
from tests.support.workflow.processes import eventually

#: of loopback connections that answer at once
SOON_S = 5.0
NAME = "rabbit1@localhost"


def node_at(port: int) -> Node:
    return Node(name=NAME, host="127.0.0.1", amqp_port=port, management_port=1)


@contextmanager
def echo() -> Iterator[int]:
    """A server that says what it hears, and closes when its client does; its port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                while heard := connection.recv(65536):
                    connection.sendall(heard)

        def accept() -> None:
            with suppress(OSError):
                while True:
                    connection = listener.accept()[0]
                    threading.Thread(target=serve, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


class Relayed:
    """One relay before an echo."""

    def __init__(self, relay: ClientRelay, nodes: tuple[Node, ...]) -> None:
        self.relay, self.nodes = relay, nodes

    def impair(self, kind: str, **extent: float) -> float:
        return self.relay.impair(NAME, Impairment(kind, **extent), 1.0)  # type: ignore[arg-type]

    @contextmanager
    def client(self) -> Iterator[socket.socket]:
        (node,) = Access(username="u", password="p", nodes=self.nodes).relayed().nodes
        assert node.amqp_port == node.relay_port
        with socket.create_connection((node.host, node.amqp_port), SOON_S) as made:
            yield made


@pytest.fixture
def relayed(tmp_path) -> Iterator[Relayed]:
    with Children() as children, echo() as port:
        relay = ClientRelay(children, tmp_path)
        yield Relayed(relay, relay.start([node_at(port)]))
        relay.stop()
        assert (children.running(), list(tmp_path.iterdir())) == ([], [])


def said(to: socket.socket, data: bytes) -> float:
    """Say it, and hear it back; how long that took, seconds."""
    begun = time.monotonic()
    sender = threading.Thread(target=to.sendall, args=(data,))
    sender.start()
    heard = b""
    while len(heard) < len(data):
        more = to.recv(65536)
        assert more, "closed before all was heard"
        heard += more
    sender.join()
    assert heard == data
    return time.monotonic() - begun


def hears_nothing(to: socket.socket, for_s: float = 0.3) -> bool:
    to.settimeout(for_s)
    try:
        to.recv(1)
    except TimeoutError:
        return True
    finally:
        to.settimeout(SOON_S)
    return False


def test_what_is_said_passes_both_ways_and_a_close_does(relayed) -> None:
    with relayed.client() as to:
        assert said(to, bytes(range(256)) * 8192) < SOON_S
        to.shutdown(socket.SHUT_WR)
        assert to.recv(1) == b""


def test_a_slow_network_has_every_answer_late_and_only_while_it_is(relayed) -> None:
    with relayed.client() as to:
        said(to, b"warm")
        relayed.impair("slow-clients", delay_ms=200)
        assert said(to, b"late") >= 0.2
        relayed.relay.restore(NAME)
        assert eventually(lambda: said(to, b"soon") < 0.2), "none could be while it was late"


def test_its_bandwidth_is_that_of_all_connections_together(relayed) -> None:
    with relayed.client() as one, relayed.client() as other:
        relayed.impair("slow-clients", mbit_per_s=8)
        begun = time.monotonic()
        both = [threading.Thread(target=said, args=(each, bytes(250_000))) for each in (one, other)]
        for each in both:
            each.start()
        for each in both:
            each.join()
        # half a megabyte each way at a megabyte a second, the ways at the same time
        assert 0.45 < time.monotonic() - begun < SOON_S


def test_a_cut_holds_back_what_is_said_and_a_close_until_it_ends(relayed) -> None:
    with relayed.client() as to, relayed.client() as leaving:
        said(to, b"before")
        said(leaving, b"before")
        at_s = relayed.impair("cut-clients")
        assert at_s == pytest.approx(time.time(), abs=SOON_S)
        to.sendall(b"meanwhile")
        leaving.shutdown(socket.SHUT_WR)
        assert hears_nothing(to)
        assert hears_nothing(leaving)
        with relayed.client() as late:  # a connection is made, and nothing answers on it
            late.sendall(b"hello?")
            assert hears_nothing(late)
            relayed.relay.restore(NAME)
            assert late.recv(16) == b"hello?"
        assert to.recv(16) == b"meanwhile"
        assert leaving.recv(1) == b""


def test_a_slow_network_passes_on_what_came_before_it_was_restored_in_its_order(relayed) -> None:
    with relayed.client() as to:
        said(to, b"before")
        relayed.impair("slow-clients", delay_ms=5000)
        to.sendall(b"one")
        assert hears_nothing(to)
        relayed.relay.restore(NAME)
        to.sendall(b"two")
        heard = b""
        while len(heard) < 6:
            heard += to.recv(16)
        assert heard == b"onetwo"


def test_a_client_that_resets_ends_nothing_but_its_own_connection(relayed) -> None:
    with relayed.client() as other:
        with relayed.client() as to:
            said(to, b"here")
            to.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        assert said(other, b"still") < SOON_S


def test_a_node_that_is_down_closes_its_clients_connection(tmp_path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, Children() as children:
        port = taken.getsockname()[1]
        taken.close()
        relay = ClientRelay(children, tmp_path)
        (node,) = relay.start([node_at(port)])
        assert node.relay_port
        with socket.create_connection(("127.0.0.1", node.relay_port), SOON_S) as to:
            assert to.recv(1) == b""


@pytest.mark.parametrize(
    "impairment",
    [Impairment("slow-clients", loss_percent=1.0), Impairment("cut-peers"), Impairment("slow-peers", 5.0)],
)
def test_it_refuses_what_no_relay_can_cause(relayed, impairment) -> None:
    with pytest.raises(BreakevenError, match=f"causes {impairment.kind} so"):
        relayed.relay.impair(NAME, impairment, 1.0)
