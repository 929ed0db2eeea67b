"""Addresses of brokers, credentials for them, and whom to trust."""

from __future__ import annotations

import secrets
import ssl
from functools import lru_cache
from typing import NamedTuple

from pydantic import Field

from breakeven.agent.node_survey import NodeSurvey
from breakeven.terms import Frozen


class Node(Frozen):
    """Where one broker node answers. It registers itself with this once it is up.

    ``certificate``: its own in PEM, to be trusted for it; None where it speaks no TLS, or one that all know.
    ``packages``: name -> version, of those that its image was made with; empty of one that is no image's.
    ``relay_port``: where a relay before its AMQP port answers, for cases with faults of that network; None:
    none is there.
    ``survey``: of its volume and its connections to its peers, made before it registered; None: none was.
    """

    name: str
    host: str
    amqp_port: int
    management_port: int
    certificate: str | None = None
    packages: dict[str, str] = Field(default_factory=dict)
    relay_port: int | None = None
    survey: NodeSurvey | None = None


class Access(Frozen):
    """How to reach a lane's brokers. Held in one object that only the lane's own may read."""

    username: str
    password: str
    vhost: str = "/"
    tls: bool = False
    nodes: tuple[Node, ...] = ()

    def left(self, nodes_down: int) -> Access:
        """The same with the nodes that are left when that many, the last ones, are stopped."""
        return self.model_copy(update={"nodes": self.nodes[: len(self.nodes) - nodes_down]})

    def relayed(self) -> Access:
        """The same by way of the relays before its nodes, where there are any."""
        return self.model_copy(
            update={
                "nodes": tuple(
                    node.model_copy(update={"amqp_port": node.relay_port or node.amqp_port})
                    for node in self.nodes
                )
            }
        )


def new_credentials() -> Access:
    """Of a lane's brokers, which are nowhere yet.

    Amazon MQ takes them, too: of a password 12 characters at least, none of them ``,``, ``:`` or ``=`` (its
    API reference, "Users").
    """
    return Access(username=f"breakeven-{secrets.token_hex(4)}", password=secrets.token_urlsafe(24))


class Trust(NamedTuple):
    """Whom connections to nodes trust: the same for all that may share a context. Reading the system's 150 or
    so authorities takes 25 ms of a core, which each connection and request would take anew.

    ``certificates``: those that the nodes registered with, PEM; None where none did, and ``system`` says
    where the system's are.
    """

    certificates: str | None
    system: ssl.DefaultVerifyPaths


def trust_of(access: Access) -> Trust:
    """The certificates that the nodes registered with, and no other; the system's where none did."""
    registered = "\n".join(node.certificate for node in access.nodes if node.certificate)
    return Trust(registered or None, ssl.get_default_verify_paths())


def tls_context(access: Access) -> ssl.SSLContext:
    """For TLS to the nodes, to be used as it is: others have the same one."""
    return _context(trust_of(access))


@lru_cache(maxsize=8)
def _context(trust: Trust) -> ssl.SSLContext:
    return ssl.create_default_context(cadata=trust.certificates)
