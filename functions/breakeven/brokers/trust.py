"""Whom a client of a lane's brokers trusts."""

from __future__ import annotations

import ssl

from breakeven.brokers.access import Access


def tls_context(access: Access) -> ssl.SSLContext:
    """For TLS to the nodes: only the certificates that they registered with; the system's where none did."""
    return ssl.create_default_context(cadata=registered_certificates(access))


def registered_certificates(access: Access) -> str | None:
    """The certificates that the nodes registered with, PEM; None where none did."""
    return "\n".join(node.certificate for node in access.nodes if node.certificate) or None
