"""SQS where a server of its own stands for it: calls pass the front, which holds them to roles, on their way.

Loaders alone call the server itself, as the front would be what is measured: their role is asked beforehand
whether it allows all that loading does to all queues of the installation, and one that does not is sent to
the front, which then refuses it. What that hides: a loader that calls anything else than these three actions,
or queues of other names. Where there is no such server every call of loaders passes the front:
``tests/e2e/test_clean_up.py`` has such runs.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from moto.core import DEFAULT_ACCOUNT_ID
from urllib3 import PoolManager
from urllib3.exceptions import HTTPError
from werkzeug.datastructures import EnvironHeaders

from breakeven.installation import QUEUES
from local.aws.strict.front import Answer, Dropped, PassOn, Request
from local.aws.strict.permissions.roles import Roles
from local.aws.strict.requests.policies import Call, Verdict

#: longer than any long poll
TIMEOUT_S = 60.0
#: of one connection, and no part of what is said by it
OF_CONNECTIONS = {"connection", "content-length", "host", "keep-alive", "transfer-encoding"}
#: what loaders do with queues, over and over
LOADING = ("sqs:SendMessage", "sqs:ReceiveMessage", "sqs:DeleteMessage")
VARIABLE, QUEUE_PREFIX = "AWS_ENDPOINT_URL_SQS", "BREAKEVEN_QUEUE_PREFIX"


class QueueServer:
    """A layer that answers for SQS. :param endpoint: the server's"""

    def __init__(self, endpoint: str, roles: Roles, region: str) -> None:
        self._endpoint, self._roles, self._region = endpoint, roles, region

    def __call__(self, request: Request, pass_on: PassOn) -> Answer:
        return _forwarded(request, self._endpoint) if request.service == "sqs" else pass_on(request)

    def variables(self, caller: str, declared: Mapping[str, str]) -> dict[str, str]:
        """What a process that signs as ``caller`` is given beside its ``declared`` variables."""
        queues = f"{declared.get(QUEUE_PREFIX, '')}{QUEUES}*"
        return {VARIABLE: self._endpoint} if self._may_load(caller, queues) else {}

    def _may_load(self, caller: str, queues: str) -> bool:
        role, arn = self._roles.of(caller), f"arn:aws:sqs:{self._region}:{DEFAULT_ACCOUNT_ID}:{queues}"
        return role is not None and all(
            role.verdict(Call(caller, action, arn)) is Verdict.ALLOWED for action in LOADING
        )


def _forwarded(request: Request, endpoint: str) -> Answer:
    """:raises Dropped: the server does not answer"""
    environ, url = request.environ, urlsplit(endpoint)
    headers = {name: value for name, value in EnvironHeaders(environ) if name.lower() not in OF_CONNECTIONS}
    url = url._replace(path=environ["PATH_INFO"], query=environ.get("QUERY_STRING", ""))
    try:
        # to a server that speaks TLS trusting what the control plane's own clients trust
        with PoolManager(ca_certs=os.environ.get("AWS_CA_BUNDLE"), timeout=TIMEOUT_S, retries=False) as pool:
            answer = pool.request(
                environ["REQUEST_METHOD"],
                url.geturl(),
                body=request.body,
                headers=headers,
                redirect=False,
                decode_content=False,
            )
    except HTTPError as error:
        raise Dropped(str(error)) from error
    kept = [(name, value) for name, value in answer.headers.items() if name.lower() not in OF_CONNECTIONS]
    return Answer(answer.status, [*kept, ("Content-Length", str(len(answer.data)))], answer.data)
