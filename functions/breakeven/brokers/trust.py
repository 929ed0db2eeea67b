"""Whom a client of a lane's brokers trusts."""

from __future__ import annotations

import ssl

from breakeven.brokers.access import Access


def tls_context(access: Access) -> ssl.SSLContext:
    """For TLS to the nodes: only the certificates that they registered with; the system's where none did."""
    registered = "\n".join(node.certificate for node in access.nodes if node.certificate)
    return ssl.create_default_context(cadata=registered or None)
