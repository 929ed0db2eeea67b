"""Address of the service: the parts of its URL that a connection and a signature need."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """``netloc`` is the value of the Host header: no port where it is the scheme's own."""

    host: str
    port: int
    netloc: str
    path: str
    is_tls: bool

    @classmethod
    def of(cls, url: str) -> Endpoint:
        """:raises ValueError: it is no address of an HTTP server"""
        parts = urlsplit(url)
        if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
            raise ValueError(f"not an HTTP address: {url!r}")
        default = DEFAULT_PORTS[parts.scheme]
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        port = parts.port or default
        return cls(
            host=parts.hostname,
            port=port,
            netloc=host if port == default else f"{host}:{port}",
            path=quote(parts.path or "/", safe="/~%"),
            is_tls=parts.scheme == "https",
        )
