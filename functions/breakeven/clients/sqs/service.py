"""Facts of the service from botocore: where it is, who we are, how it says that something is wrong.

Region, endpoint, credentials and certificates come from where boto3 reads them, so that both clients drive
the same server (``AWS_ENDPOINT_URL_SQS`` points to another one).
"""

from __future__ import annotations

from typing import Any

import botocore.session
from botocore.awsrequest import HeadersDict
from botocore.config import Config
from botocore.exceptions import NoCredentialsError
from botocore.parsers import ResponseParserError, create_parser

from breakeven.clients.core.tls_context import TlsContext
from breakeven.clients.sqs.answer import AnswerReader
from breakeven.clients.sqs.both_clients import ANY_CREDENTIALS, ANY_REGION, service_errors
from breakeven.clients.sqs.endpoint import Endpoint
from breakeven.clients.sqs.signing import Identity, SigningKeys


class Service:
    """For all threads.

    :param endpoint: of a server that is not the service and takes any credentials: it gets made-up ones
    :raises botocore.exceptions.BotoCoreError: no region, or an endpoint that is none
    """

    def __init__(self, endpoint: str | None = None) -> None:
        session = botocore.session.get_session()
        if endpoint:
            session.set_credentials(*ANY_CREDENTIALS)
        region = ANY_REGION if endpoint else None
        client = session.create_client(
            "sqs", region_name=region, endpoint_url=endpoint, config=Config(proxies={})
        )
        self.endpoint = Endpoint.of(client.meta.endpoint_url)
        self.keys = SigningKeys(client.meta.region_name)
        # the system's certificate authorities, unless ``AWS_CA_BUNDLE`` or the profile names others
        bundle = session.get_config_variable("ca_bundle")
        self.tls = TlsContext(cafile=bundle, protocols=("http/1.1",)) if self.endpoint.is_tls else None
        self._model: Any = client.meta.service_model
        self._parser: Any = create_parser(self._model.resolved_protocol)
        self._credentials: Any = session.get_credentials()
        client.close()

    def identity(self) -> Identity:
        """Credentials as they are now; those of a role are renewed by botocore before they end.

        :raises ConnectionLost: there are none, or they cannot be renewed
        :raises CallFailed: the service that gives them out says no
        """
        with service_errors():
            if self._credentials is None:
                raise NoCredentialsError
            frozen = self._credentials.get_frozen_credentials()
            return Identity(frozen.access_key, frozen.secret_key, frozen.token)

    def error(self, operation: str, answer: AnswerReader) -> tuple[str, str]:
        """The service's name for what went wrong, as boto3 has it, or the HTTP status; and its message."""
        shape = self._model.operation_model(operation).output_shape
        response = {
            "status_code": answer.status,
            "headers": HeadersDict(answer.headers),
            "body": answer.body,
            "context": {"operation_name": operation},
        }
        try:
            parsed = self._parser.parse(response, shape)
        except (ResponseParserError, AttributeError, TypeError):  # no JSON, or none that is an object
            return str(answer.status), ""
        found = parsed.get("Error", {})
        return str(found.get("Code") or answer.status), str(found.get("Message") or "")
