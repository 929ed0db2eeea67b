"""Our signatures are botocore's, and follow credentials and days as they change."""

from __future__ import annotations

import itertools
from email.parser import BytesParser
from hashlib import sha256

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from breakeven.clients.sqs import signing
from breakeven.clients.sqs.endpoint import Endpoint
from breakeven.clients.sqs.signing import Identity, RequestTemplate, SigningKeys

URLS = (
    "https://sqs.eu-west-1.amazonaws.com",
    "http://127.0.0.1:9324",
    "http://[::1]:9324/",
    "https://gateway.example:443/under/a path",
)
IDENTITIES = (Identity("AKID", "se/cr+et"), Identity("ASIA", "other", "to/ken+=="))
PAYLOADS = (b"{}", b'{"MessageBody":"' + b"x" * 300_000 + b'"}')


def parsed(request: bytes) -> tuple[str, dict[str, str], bytes]:
    line, _, rest = request.partition(b"\r\n")
    head, _, body = rest.partition(b"\r\n\r\n")
    headers = BytesParser().parsebytes(head)
    return line.decode(), {name.lower(): value for name, value in headers.items()}, body


def by_botocore(url: str, identity: Identity, headers: dict[str, str], payload: bytes) -> str:
    """The Authorization that botocore gives a request with these headers."""
    auth = SigV4Auth(
        Credentials(identity.access_key, identity.secret_key, identity.token), "sqs", "eu-west-1"
    )
    unsigned = ("authorization", "content-length", "user-agent")
    signed = {name: value for name, value in headers.items() if name not in unsigned}
    request = AWSRequest("POST", url, headers=signed, data=payload)
    request.context["timestamp"] = headers["x-amz-date"]
    signature = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
    names = auth.signed_headers(auth.headers_to_sign(request))
    return f"AWS4-HMAC-SHA256 Credential={auth.scope(request)}, SignedHeaders={names}, Signature={signature}"


@pytest.mark.parametrize(("url", "identity", "payload"), list(itertools.product(URLS, IDENTITIES, PAYLOADS)))
def test_a_request_is_signed_as_botocore_signs_it(url: str, identity: Identity, payload: bytes) -> None:
    template = RequestTemplate("SendMessage", Endpoint.of(url), SigningKeys("eu-west-1"), lambda: identity)
    line, headers, body = parsed(template.request(payload))
    assert body == payload
    assert line == f"POST {Endpoint.of(url).path} HTTP/1.1"
    assert headers["content-length"] == str(len(payload))
    assert headers["x-amz-target"] == "AmazonSQS.SendMessage"
    assert headers.get("x-amz-security-token") == identity.token
    assert headers["authorization"] == by_botocore(url, identity, headers, payload)


def test_each_second_has_its_date_and_credentials_that_rotated(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, identities, asked = [1_700_000_000.9], list(IDENTITIES), []

    def identity() -> Identity:
        asked.append(clock[0])
        return identities[min(len(asked), len(identities)) - 1]

    monkeypatch.setattr(signing.time, "time", lambda: clock[0])
    template = RequestTemplate("SendMessage", Endpoint.of(URLS[0]), SigningKeys("eu-west-1"), identity)
    dates = []
    for clock[0], expected in (
        (1_700_000_000.9, IDENTITIES[0]),
        (1_700_000_000.99, IDENTITIES[0]),
        (1_700_000_001.0, IDENTITIES[1]),
        (1_700_000_000.5, IDENTITIES[1]),  # a clock that was set back
        (1_700_086_400.0, IDENTITIES[1]),  # another day: another key
    ):
        _, headers, _ = parsed(template.request(b"{}"))
        dates.append(headers["x-amz-date"])
        assert headers["authorization"] == by_botocore(URLS[0], expected, headers, b"{}")
    assert dates == [
        *("20231114T221320Z", "20231114T221320Z", "20231114T221321Z", "20231114T221320Z"),
        "20231115T221320Z",
    ]
    assert len(asked) == 4


def test_the_key_is_derived_once_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    derived = []

    def digest(key: bytes, message: bytes, kind: str) -> bytes:
        derived.append(message)
        return sha256(key + message).digest()

    monkeypatch.setattr(signing.hmac, "digest", digest)
    keys = SigningKeys("eu-west-1")
    first = keys.key("secret", "20231114")
    assert keys.key("secret", "20231114") is first
    assert derived == [b"20231114", b"eu-west-1", b"sqs", b"aws4_request"]
    assert len({first, keys.key("secret", "20231115"), keys.key("other", "20231115")}) == 3


@pytest.mark.parametrize("url", ["sqs.example.com", "ftp://sqs.example.com", "http://"])
def test_what_is_no_http_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="not an HTTP address"):
        Endpoint.of(url)
