"""A certificate of its own for the servers of a simulated AWS, which speaks TLS wherever AWS does."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Certificate:
    """``path``: a PEM file with a key and a certificate that is its own authority."""

    path: Path

    def server(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path)
        return context

    def trusted(self) -> dict[str, str]:
        """The variable by which boto3, and the SQS client, trust it and no one else."""
        return {"AWS_CA_BUNDLE": str(self.path)}
