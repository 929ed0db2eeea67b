"""Negotiation with a broker when a connection is opened."""

from __future__ import annotations

from typing import Any

from pika import spec

from breakeven.brokers.access import Access
from breakeven.clients.amqp.events import ProtocolError
from breakeven.version import VERSION

#: what a broker then tells us, each of which we read
CAPABILITIES = {
    "publisher_confirms": True,
    "basic.nack": True,
    "consumer_cancel_notify": True,
    "connection.blocked": True,
    "authentication_failure_close": True,
}


def start_ok(start: Any, access: Access, name: str) -> Any:
    """The answer to ``connection.start``.

    :param name: the connection's in the broker's lists
    :raises ProtocolError: the broker takes no user name and password
    """
    offered = start.mechanisms.split() if isinstance(start.mechanisms, str) else start.mechanisms.split(b" ")
    if "PLAIN" not in offered and b"PLAIN" not in offered:
        raise ProtocolError("the broker does not take a user name and a password (PLAIN)")
    return spec.Connection.StartOk(
        client_properties={
            "product": "Queue Breakeven",
            "version": VERSION,
            "connection_name": name,
            "capabilities": CAPABILITIES,
        },
        mechanism="PLAIN",
        response=f"\0{access.username}\0{access.password}",
        locale="en_US",
    )


def tune_ok(tune: Any, frame_max: int, heartbeat_s: int) -> Any:
    """The answer to ``connection.tune``: the smaller frame of both (0: no limit), and our heartbeat.

    :raises ProtocolError: the broker wants frames smaller than every peer must take
    """
    if 0 < tune.frame_max < spec.FRAME_MIN_SIZE:
        raise ProtocolError(f"the broker wants frames of at most {tune.frame_max} bytes")
    return spec.Connection.TuneOk(
        channel_max=tune.channel_max,
        frame_max=min(tune.frame_max or frame_max, frame_max),
        heartbeat=heartbeat_s,
    )
