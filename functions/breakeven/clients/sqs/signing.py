"""Signature Version 4, for requests that differ in their body only.

What stays the same for a second (date, credentials, all headers, the beginning of the string to sign) is put
together once a second; a request costs two SHA-256 and one HMAC. The signing key is derived once a day.
Source: "Create a signed AWS API request", IAM User Guide; the tests compare with botocore's SigV4Auth.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

from breakeven.clients.sqs.endpoint import Endpoint

SERVICE = "sqs"
ALGORITHM = "AWS4-HMAC-SHA256"
CONTENT_TYPE = "application/x-amz-json-1.0"
USER_AGENT = "queue-breakeven"


@dataclass(frozen=True, slots=True)
class Identity:
    """Credentials as they are now; ``token`` belongs to those of a role."""

    access_key: str
    secret_key: str
    token: str | None = None


class SigningKeys:
    """The signing key of a secret, day and region: derived when one of them changes. For all threads."""

    def __init__(self, region: str) -> None:
        self.region = region
        self._latest: tuple[str, str, bytes] = ("", "", b"")

    def key(self, secret: str, day: str) -> bytes:
        """:param day: as YYYYMMDD, UTC"""
        of_secret, of_day, key = self._latest  # one read: other threads may replace it
        if (of_secret, of_day) != (secret, day):
            key = f"AWS4{secret}".encode()
            for part in (day, self.region, SERVICE, "aws4_request"):
                key = hmac.digest(key, part.encode(), "sha256")
            self._latest = (secret, day, key)
        return key


@dataclass(frozen=True, slots=True)
class Parts:
    """What all requests of one second have in common.

    ``head``: of the request, up to where the signature goes. ``canonical`` and ``to_sign``: what comes before
    the document's digest in the canonical request, and before that one's in the string to sign. ``key``: the
    signing key, 32 bytes.
    """

    second: int
    head: bytes
    canonical: bytes
    to_sign: bytes
    key: bytes

    def request(self, payload: bytes) -> bytes:
        """The whole HTTP request with that JSON document."""
        digest = sha256(payload).hexdigest().encode()
        canonical = sha256(self.canonical + digest).hexdigest().encode()
        signature = hmac.digest(self.key, self.to_sign + canonical, "sha256").hex().encode()
        return b"%b%b%b%b" % (self.head, signature, behind_signature(len(payload)), payload)


def behind_signature(payload_size: int) -> bytes:
    """The rest of a request's headers."""
    return b"\r\nContent-Length: %d\r\n\r\n" % payload_size


class RequestTemplate:
    """Makes signed requests of one operation. Used by one thread.

    :param operation: such as ``SendMessage``
    :param identity: asked once a second at most, so that credentials may rotate; it may raise
    """

    def __init__(
        self, operation: str, endpoint: Endpoint, keys: SigningKeys, identity: Callable[[], Identity]
    ) -> None:
        self._target = f"AmazonSQS.{operation}"
        self._endpoint, self._keys, self._identity = endpoint, keys, identity
        self._parts = Parts(-1, b"", b"", b"", b"")

    def parts(self) -> Parts:
        """Of this second. Raises what ``identity`` does."""
        second = int(time.time())
        if second != self._parts.second:
            self._parts = self._made(second)
        return self._parts

    def request(self, payload: bytes) -> bytes:
        """The whole HTTP request with that JSON document."""
        return self.parts().request(payload)

    def _made(self, second: int) -> Parts:
        identity = self._identity()
        date = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(second))
        scope = f"{date[:8]}/{self._keys.region}/{SERVICE}/aws4_request"
        headers = self._headers(date, identity.token)
        names = ";".join(headers)
        lines = [f"{name}:{value}\n" for name, value in headers.items()]
        head = (
            f"POST {self._endpoint.path} HTTP/1.1\r\n",
            *(f"{name}: {value}\r\n" for name, value in headers.items()),
            f"user-agent: {USER_AGENT}\r\n",
            f"authorization: {ALGORITHM} Credential={identity.access_key}/{scope}, ",
            f"SignedHeaders={names}, Signature=",
        )
        return Parts(
            second=second,
            head="".join(head).encode(),
            canonical=f"POST\n{self._endpoint.path}\n\n{''.join(lines)}\n{names}\n".encode(),
            to_sign=f"{ALGORITHM}\n{date}\n{scope}\n".encode(),
            key=self._keys.key(identity.secret_key, date[:8]),
        )

    def _headers(self, date: str, token: str | None) -> dict[str, str]:
        """What is signed, by name in alphabetical order, as the signature wants it."""
        return {
            "content-type": CONTENT_TYPE,
            "host": self._endpoint.netloc,
            "x-amz-date": date,
            **({"x-amz-security-token": token} if token else {}),
            "x-amz-target": self._target,
        }
