"""Free ports, and starting again when one is taken meanwhile."""

from __future__ import annotations

import socket

import pytest

from local import ports
from local.ports import LOOPBACK, PortTaken, free_ports, is_port_taken, start_on_free_ports


def test_ports_are_different_free_and_not_for_outgoing_connections():
    found = free_ports(20)
    assert len(set(found)) == 20
    for port in found:
        assert port in ports.PORT_RANGE
        with socket.socket() as probe:
            probe.bind((LOOPBACK, port))


def test_a_port_in_use_is_passed_over(monkeypatch):
    (taken, free) = free_ports(2)
    monkeypatch.setattr(ports, "PORT_RANGE", [taken])
    with socket.socket() as holder:
        holder.bind((LOOPBACK, taken))
        holder.listen()
        with pytest.raises(StopIteration):
            free_ports(1)
        monkeypatch.setattr(ports, "PORT_RANGE", [taken, free])
        assert free_ports(1) == [free]


def starts(*outcomes: Exception | None) -> tuple[list[str], Exception | None]:
    """What was done, and what came out, when starting goes as given."""
    done: list[str] = []
    coming = iter(outcomes)

    def start() -> None:
        done.append("start")
        outcome = next(coming)
        if outcome:
            raise outcome

    try:
        start_on_free_ports(start, lambda: done.append("stop"))
    except Exception as error:
        return done, error
    return done, None


def test_a_taken_port_is_a_reason_to_start_again():
    assert starts(None) == (["start"], None)
    assert starts(PortTaken("x"), None) == (["start", "stop", "start"], None)


def test_it_gives_up_in_the_end():
    done, error = starts(*(PortTaken(str(number)) for number in range(5)))
    assert done == ["start", "stop"] * ports.ATTEMPTS
    assert isinstance(error, PortTaken)


def test_any_other_failure_is_final_and_leaves_nothing():
    done, error = starts(ValueError("no"))
    assert done == ["start", "stop"]
    assert isinstance(error, ValueError)


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ("ERROR: distribution port 25672 in use by another node", True),
        ("Failed to start Ranch listener for reason eaddrinuse (address already in use)", True),
        ("java.net.BindException: Address already in use", True),
        ("Cookie file must be accessible by owner only", False),
    ],
)
def test_what_servers_say_of_a_taken_port(said, taken):
    assert is_port_taken(said) is taken
