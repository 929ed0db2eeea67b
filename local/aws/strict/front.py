"""The front of the simulated AWS: layers that each request passes before moto's server answers it.

A layer is a function of the request and of ``pass_on``, which hands the request to the layers behind it and
to the server, and returns the answer. A layer may

* pass the request on and return the answer as it is, or another one (:meth:`Answer.of`);
* answer instead, so that nothing is carried out;
* pass it on twice, as a client does that has lost the answer;
* raise :class:`Dropped`, before or after: the client then sees its connection closed without an answer.

``requests/calls.py`` says of a request who makes it, and what IAM calls what it asks for; it is read when a
layer first asks. ``ControlPlane(layers=…)`` puts layers in front of its own, the first one outermost.
"""

from __future__ import annotations

import io
import socket
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from http.client import responses
from typing import Any, Self

from moto.server import DomainDispatcherApplication
from werkzeug.test import run_wsgi_app

from local.aws.strict.requests import calls, models
from local.aws.strict.requests.needed import Parameters, Signature, UnreadableCallError
from local.aws.strict.requests.policies import Call
from local.aws.swaps import Swaps

Headers = list[tuple[str, str]]
PassOn = Callable[["Request"], "Answer"]
Layer = Callable[["Request", PassOn], "Answer"]


class Dropped(Exception):
    """The connection is closed without an answer."""


class Request:
    """One HTTP request as it has arrived: WSGI's ``environ``, and its ``body``, which is read already."""

    def __init__(self, environ: dict[str, Any]) -> None:
        self.environ = environ
        self.body = _body(environ)

    @cached_property
    def signature(self) -> Signature | None:
        """The access key, service and region that it is signed with; None where nobody has signed it."""
        return calls.signature(self.environ)

    @property
    def caller(self) -> str | None:
        """The access key: a function's name, a task's family, ``local.aws.boto.STATES``; else a person's."""
        return self.signature.key if self.signature else None

    @property
    def service(self) -> str | None:
        """As it is signed for: ``s3``, ``dynamodb``, ``ec2``, …"""
        return self.signature.service if self.signature else None

    @cached_property
    def operation(self) -> str | None:
        """``service:Operation`` of the API, such as ``s3:HeadObject``; None where that cannot be told."""
        with suppress(UnreadableCallError):
            return calls.operation(self.signature, self.environ, self.body) if self.signature else None
        return None

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """What IAM asks about it: action, resource and condition keys of each; none of an unsigned one.

        :raises UnreadableCallError: ``local/aws/strict/requests/calls.py`` does not know such requests
        """
        if self.signature is None:
            return ()
        operation = calls.operation(self.signature, self.environ, self.body)
        return tuple(calls.needed(operation, self.environ, self.body, self.parameters, self.signature))

    @cached_property
    def parameters(self) -> Parameters:
        """Under the names that the service's model has for them; none where method and path say it all."""
        return models.parameters(self.operation or "", self.environ, self.body)

    def fresh_environ(self, body: bytes | None = None) -> dict[str, Any]:
        """For whoever answers it: may be changed, and its body, or another, is read from its beginning."""
        return {**self.environ, "wsgi.input": io.BytesIO(self.body if body is None else body)}


@dataclass(slots=True)
class Answer:
    status: int
    headers: Headers = field(default_factory=list)
    body: bytes = b""

    @classmethod
    def of(cls, status: int, content_type: str, body: bytes, **headers: str) -> Self:
        """One made by a layer; of ``headers`` underscores stand for hyphens."""
        more = [(name.replace("_", "-"), value) for name, value in headers.items()]
        return cls(status, [("Content-Type", content_type), ("Content-Length", str(len(body))), *more], body)


def install(swaps: Swaps, layers: Sequence[Layer]) -> None:
    """Stand in front of every moto server of this process.

    :param layers: the first is the outermost; what is added to a list later stands behind the others
    """

    def serve(
        original: Any, application: Any, environ: dict[str, Any], start_response: Any
    ) -> Iterable[bytes]:
        request = Request(environ)

        def carry_out(given: Request) -> Answer:
            return _answered(application, original, given)

        try:
            answer = _through(layers, carry_out, request)
        except Dropped:
            return _closed(environ)
        start_response(f"{answer.status} {responses.get(answer.status, '')}", answer.headers)
        return [answer.body]

    swaps.wrap(DomainDispatcherApplication, "__call__", serve)


def _through(layers: Sequence[Layer], carry_out: PassOn, request: Request) -> Answer:
    if not layers:
        return carry_out(request)
    return layers[0](request, lambda given: _through(layers[1:], carry_out, given))


def _answered(application: Any, serve: Any, request: Request) -> Answer:
    """What moto answers."""
    parts, status, headers = run_wsgi_app(partial(serve, application), request.fresh_environ(), buffered=True)
    return Answer(int(status.partition(" ")[0]), headers.to_wsgi_list(), b"".join(parts))


def _body(environ: dict[str, Any]) -> bytes:
    if environ.get("wsgi.input_terminated"):  # sent in chunks
        body: bytes = environ["wsgi.input"].read()
    else:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    return body


def _closed(environ: dict[str, Any]) -> Iterable[bytes]:
    connection = environ["werkzeug.socket"]
    with suppress(OSError):  # the client may have closed it before
        connection.shutdown(socket.SHUT_RDWR)
    raise ConnectionResetError("dropped on purpose")  # which the server takes for the client's own doing
