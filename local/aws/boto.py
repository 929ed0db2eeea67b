"""boto3 that talks to one endpoint on this machine and to nothing else, whatever the user has configured."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import boto3
from botocore.config import Config

from breakeven.workload.case import MAX_LOADERS

#: the key of who sits at the keyboard, and of everything that is no function, task or state machine
PERSON = "local"
#: whose calls those of state machines' own tasks are
STATES = "states"
AS_STATES = {"aws_access_key_id": STATES, "aws_secret_access_key": "local"}
#: one connection for each of the most loaders that run at once, and some to spare
_CONNECTIONS = MAX_LOADERS + 24


def environment(endpoint: str, region: str, token: str = "local") -> dict[str, str]:  # noqa: S107
    """The variables that bind a process's boto3 to ``endpoint``; no file, no instance metadata is read.

    :param token: see ``local.aws.strict.admission.Admission``
    """
    return {
        "AWS_ACCESS_KEY_ID": PERSON,
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_SESSION_TOKEN": token,
        "AWS_REGION": region,
        "AWS_DEFAULT_REGION": region,
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


class Aws:
    """Clients of the simulated AWS at ``endpoint``: one kept for each service, safe to share by threads."""

    def __init__(self, endpoint: str, region: str) -> None:
        self.endpoint, self.region = endpoint, region
        self._lock = threading.Lock()  # making a client is not thread-safe in botocore, using one is
        self._clients: dict[tuple[str, str, str], Any] = {}
        self._session = boto3.Session()  # reads what ``bound_environment`` has set

    def client(self, service: str) -> Any:
        return self._kept("client", service, self.region, Config())

    def resource(self, service: str) -> Any:
        return self._kept("resource", service, self.region, Config())

    def task_client(self, service: str, region: str, config: Config) -> Any:
        """A state machine's client; they all bring the same ``config``."""
        return self._kept("task", service, region, config)

    def _kept(self, kind: str, service: str, region: str, config: Config) -> Any:
        key = (kind, service, region)
        as_states = {**AS_STATES, "aws_session_token": os.environ["AWS_SESSION_TOKEN"]}
        with self._lock:
            if key not in self._clients:
                make: Any = self._session.resource if kind == "resource" else self._session.client
                # no proxies, unlike None, keeps the user's HTTP_PROXY away from the loopback
                plain = Config(proxies={}, max_pool_connections=_CONNECTIONS)
                self._clients[key] = make(
                    service,
                    region_name=region,
                    endpoint_url=self.endpoint,
                    config=config.merge(plain),
                    **(as_states if kind == "task" else {}),
                )
            return self._clients[key]


@contextmanager
def bound_environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Put ``variables`` in the place of all of the user's AWS settings, for moto reads them too."""
    users = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
    for name in users:
        del os.environ[name]
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            os.environ.pop(name, None)
        os.environ.update(users)
