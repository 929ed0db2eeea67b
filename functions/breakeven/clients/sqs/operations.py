"""Calls of the SQS JSON protocol: one operation on one connection."""

from __future__ import annotations

import json
from json.encoder import encode_basestring_ascii
from typing import Any

from breakeven.clients.base import CallFailed
from breakeven.clients.sqs.answer import AnswerReader
from breakeven.clients.sqs.connection import Begun, Connection
from breakeven.clients.sqs.service import Service
from breakeven.clients.sqs.signing import Parts, RequestTemplate

#: our name for an answer of status 200 that is none
MALFORMED = "MalformedAnswer"


class Operation:
    """:param name: such as ``SendMessage``"""

    def __init__(self, name: str, service: Service, connection: Connection) -> None:
        self._name, self._service, self._connection = name, service, connection
        self._template = RequestTemplate(name, service.endpoint, service.keys, service.identity)

    def call(self, payload: bytes) -> bytes:
        """The body of the answer.

        :param payload: the request's JSON document
        :raises CallFailed: with the service's code
        :raises ConnectionLost: it is unknown what became of the call
        """
        return self._good(self._connection.exchange(self._template.request(payload)))

    def rest_of_call(self, begun: Begun) -> bytes:
        """The same, of a call that the core has begun."""
        return self._good(self._connection.finish(begun))

    def parts(self) -> Parts:
        """What all calls of this second have in common. Raises ConnectionLost, CallFailed."""
        return self._template.parts()

    def _good(self, answer: AnswerReader) -> bytes:
        if answer.status != 200:
            code, said = self._service.error(self._name, answer)
            raise CallFailed(code, said=said)
        return answer.body

    def call_for_document(self, payload: bytes) -> dict[str, Any]:
        """The same, with the answer's JSON object.

        :raises CallFailed: ``MalformedAnswer`` as well: it is not one
        """
        return document_of(self.call(payload))


def document_of(body: bytes) -> dict[str, Any]:
    """:raises CallFailed: ``MalformedAnswer``: it is no JSON object"""
    try:
        document = json.loads(body)
    except ValueError:
        raise CallFailed(MALFORMED) from None
    if not isinstance(document, dict):
        raise CallFailed(MALFORMED)
    return document


def quoted(text: str) -> bytes:
    """The text as a JSON string."""
    return encode_basestring_ascii(text).encode()


def prefix(queue: str) -> bytes:
    """The beginning of a request's document: what follows is its other members and the closing brace."""
    return b'{"QueueUrl":' + quoted(queue) + b","
