"""Impairments of the network of one node: who reaches it no more, or late, slowly, or with losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

#: cut: every packet is dropped; slow: it is late, waits for its turn, or is lost now and then. Clients' are
#: those of AMQP, peers' those of Erlang's distribution
NetworkKind = Literal["cut-clients", "slow-clients", "cut-peers", "slow-peers"]
NETWORK_KINDS: tuple[NetworkKind, ...] = get_args(NetworkKind)
CUTS: frozenset[NetworkKind] = frozenset({"cut-clients", "cut-peers"})
OF_CLIENTS: frozenset[NetworkKind] = frozenset({"cut-clients", "slow-clients"})


@dataclass(frozen=True, slots=True)
class Impairment:
    """Of one node's traffic with its clients, or with its peers.

    :param delay_ms: by which what the node sends arrives later, and so every answer of it
    :param mbit_per_s: that pass at most in each direction, of all connections together; None: as many as come
    :param loss_percent: of packets in each direction, chosen at random
    """

    kind: NetworkKind
    delay_ms: float | None = None
    mbit_per_s: float | None = None
    loss_percent: float | None = None

    @property
    def is_cut(self) -> bool:
        return self.kind in CUTS

    @property
    def of_clients(self) -> bool:
        return self.kind in OF_CLIENTS

    @classmethod
    def read(cls, document: Mapping[str, Any] | None) -> Impairment | None:
        """:raises KeyError, TypeError, ValueError: it is none"""
        if document is None:
            return None
        if document["kind"] not in NETWORK_KINDS:
            raise ValueError(f"no impairment: {document['kind']}")
        return cls(**document)
