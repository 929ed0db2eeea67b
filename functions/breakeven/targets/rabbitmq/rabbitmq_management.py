"""RabbitMQ's management API: the few calls that a target needs, over the nodes of one cluster."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import quote

from breakeven.brokers.access import Access, Node, tls_context
from breakeven.errors import CaseError

#: for one request to one node, seconds
TIMEOUT_S = 5.0


class ManagementError(CaseError):
    """The management API did not do what it was asked.

    ``status`` is the HTTP status of the refusal; None when no node answered.
    """

    def __init__(self, reason: str, status: int | None = None) -> None:
        self.status = status
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Connection:
    """``name`` is what it calls itself; None until the broker's statistics know, some seconds late, and of
    some never. ``peers``: both ends, which tell it from all others that are open.
    """

    node: str
    name: str | None
    peers: str


class Management:
    """Asks the nodes in order until one answers. Requests are small and rare: a connection each."""

    def __init__(self, access: Access, timeout_s: float = TIMEOUT_S) -> None:
        self._access, self._timeout_s = access, timeout_s
        secret = f"{access.username}:{access.password}".encode()
        self._headers = {
            "Authorization": f"Basic {base64.b64encode(secret).decode()}",
            "Content-Type": "application/json",
        }

    def overview(self) -> dict[str, Any]:
        """Versions, the cluster's name, and the node that answered."""
        return dict(self._ask("GET", "/api/overview"))

    def nodes(self) -> list[dict[str, Any]]:
        """All nodes of the cluster as the answering node sees them."""
        return list(self._ask("GET", "/api/nodes"))

    def queue(self, name: str) -> dict[str, Any]:
        """A queue and its mirrors as they are now; without figures, which are late."""
        return dict(self._ask("GET", f"{self._queue(name)}?disable_stats=true"))

    def queues(self) -> list[dict[str, Any]]:
        """The virtual host's queues and their mirrors as they are now; without figures, which are late."""
        return list(self._ask("GET", f"/api/queues/{self._vhost}?disable_stats=true"))

    def messages_unacknowledged(self, name: str) -> int:
        """A queue's messages in flight, up to the broker's statistics interval old."""
        return int(self._ask("GET", self._queue(name)).get("messages_unacknowledged", 0))

    def connections(self) -> list[Connection]:
        """This user's connections to the virtual host that are open now."""
        fresh = self._ask("GET", "/api/connections?disable_stats=true")
        late = self._ask("GET", "/api/connections?columns=name,client_properties")
        names = {one["name"]: one.get("client_properties", {}).get("connection_name", "") for one in late}
        return [
            Connection(node=str(one["node"]), name=names.get(one["name"]), peers=str(one["name"]))
            for one in fresh
            if one.get("vhost") == self._access.vhost and one.get("user") == self._access.username
        ]

    def set_policy(
        self, name: str, pattern: str, definition: Mapping[str, str | int], priority: int = 0
    ) -> None:
        """Put a policy on the queues whose names match; of several that with the highest priority counts."""
        applied = {"apply-to": "queues", "priority": priority}
        body = {"pattern": pattern, "definition": dict(definition), **applied}
        self._ask("PUT", self._policy(name), body)

    def policy(self, name: str) -> dict[str, Any]:
        """A policy as the cluster has it."""
        return dict(self._ask("GET", self._policy(name)))

    def policies(self) -> list[dict[str, Any]]:
        """All of the virtual host."""
        return [dict(policy) for policy in self._ask("GET", f"/api/policies/{self._vhost}")]

    def delete_policy(self, name: str) -> None:
        """Remove a policy; one that is not there is well."""
        try:
            self._ask("DELETE", self._policy(name))
        except ManagementError as error:
            if error.status != 404:
                raise

    def set_global_parameter(self, name: str, value: dict[str, str | int]) -> None:
        """Keep a value in the cluster, for whoever asks it later."""
        self._ask("PUT", _global_parameter(name), {"name": name, "value": value})

    def global_parameter(self, name: str) -> dict[str, Any]:
        """A value kept in the cluster; empty when there is none."""
        try:
            return dict(self._ask("GET", _global_parameter(name))["value"])
        except ManagementError as error:
            if error.status == 404:
                return {}
            raise

    @property
    def _vhost(self) -> str:
        return quote(self._access.vhost, safe="")

    def _queue(self, name: str) -> str:
        return f"/api/queues/{self._vhost}/{quote(name, safe='')}"

    def _policy(self, name: str) -> str:
        return f"/api/policies/{self._vhost}/{quote(name, safe='')}"

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        """One request, answered by the first node that does; a refusal is an answer."""
        payload = None if body is None else json.dumps(body)
        silent: list[str] = []
        for node in self._access.nodes:
            connection = self._connection(node)
            try:
                connection.request(method, path, payload, self._headers)
                reply = connection.getresponse()
                text = reply.read()
            except (OSError, HTTPException) as error:
                silent.append(f"{node.host}:{node.management_port}: {error or type(error).__name__}")
                continue
            finally:
                connection.close()
            return _content(method, path, reply.status, text)
        raise ManagementError(f"no management API answers: {'; '.join(silent)}")

    def _connection(self, node: Node) -> HTTPConnection:
        if self._access.tls:
            context = tls_context(self._access)
            return HTTPSConnection(node.host, node.management_port, timeout=self._timeout_s, context=context)
        return HTTPConnection(node.host, node.management_port, timeout=self._timeout_s)


def _global_parameter(name: str) -> str:
    return f"/api/global-parameters/{quote(name, safe='')}"


def _content(method: str, path: str, status: int, text: bytes) -> Any:
    if status >= 400:
        words = text.decode(errors="replace")[:200]
        raise ManagementError(f"management API: {method} {path}: {status} {words}", status)
    try:
        return json.loads(text) if text else None
    except ValueError as error:
        raise ManagementError(f"management API: {method} {path}: the answer is not JSON") from error
