"""``--rabbitmq-url``: brokers that run already. Read, and tried out before anything is started."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NoReturn
from urllib.parse import SplitResult, parse_qs, quote, unquote, urlsplit

import pika
from pika.exceptions import (
    AMQPError,
    AuthenticationError,
    ConnectionClosedByBroker,
    ProbableAccessDeniedError,
    ProbableAuthenticationError,
)

from breakeven import words
from breakeven.brokers.access import Access, Node
from breakeven.clients.reference.pika_link import connection_parameters, in_words
from breakeven.errors import InputError
from breakeven.targets.rabbitmq.rabbitmq_management import Management, ManagementError
from breakeven.targets.rabbitmq.rabbitmq_releases import missing_in
from breakeven.workload.case import Case

OPTION = "--rabbitmq-url"
#: of a user whose address has none: what a command line says, every program of the machine may read
PASSWORD = "BREAKEVEN_RABBITMQ_PASSWORD"  # noqa: S105  # its name, and no password
SCHEME = "amqp"
SHAPE = f"{SCHEME}://user:password@host:port/vhost"
AMQP_PORT = 5672
#: RabbitMQ's default for the management API is 15672
MANAGEMENT_OFFSET = 10_000
#: AMQP reply codes
ACCESS_REFUSED, NOT_ALLOWED = 403, 530


def parse_rabbitmq_urls(urls: Sequence[str]) -> Access:
    """The cluster that the option names, given once a node; nodes are called by their address for now.

    The management API is expected at the AMQP port + 10000, or where ``?management_port=`` says.

    :raises InputError: never with a password in it
    """
    first, *others = (_parse(url) for url in urls)
    nodes = first.nodes
    for other in others:
        if other.nodes[0] in nodes:
            _refuse("host", masked(other), "this is the same node again: name the cluster's other nodes")
        if first.model_copy(update={"nodes": other.nodes}) != other:
            _refuse("user", masked(other), "all nodes need the same user, password and virtual host")
        nodes += other.nodes
    return first.model_copy(update={"nodes": nodes})


def check_count(urls: Sequence[str], cases: Sequence[Case]) -> None:
    """:raises InputError: a target of the cases has more nodes than the option names, or fewer"""
    for target, nodes in {case.target: case.machines.nodes for case in cases if case.machines}.items():
        if len(urls) != nodes:
            each = f"{target} has {words.plural(nodes, 'node')}: give the option once for each"
            _refuse("nodes", len(urls), f"{each}, and run a suite whose clusters are all of one size")


def check_reachable(access: Access) -> Access:
    """Log in to every node and its management API, and see that they form one cluster.

    Returns the same with the nodes' own names.

    :raises InputError: never with a password in it
    """
    named = [_check_node(access.model_copy(update={"nodes": (node,)})) for node in access.nodes]
    names = [node.name for node, _ in named]
    for node, cluster in named:
        strangers = [name for name in names if name not in cluster]
        if strangers:
            where = masked(access.model_copy(update={"nodes": (node,)}))
            remedy = f"its cluster is {', '.join(cluster)}, without {', '.join(strangers)}: cluster the nodes"
            _refuse("cluster", where, remedy)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        remedy = f"two addresses lead to {twice}: name the cluster's other nodes"
        _refuse("host", masked(access), remedy)
    return access.model_copy(update={"nodes": tuple(node for node, _ in named)})


def check_releases(access: Access, cases: Sequence[Case]) -> None:
    """:raises InputError: a target of the cases cannot run on the brokers' release"""
    release = str(Management(access).overview()["rabbitmq_version"])
    for target in dict.fromkeys(case.target for case in cases if case.machines):
        if missing := missing_in(target, release):
            _refuse("release", masked(access), f"{target}: {missing}")


def masked(access: Access) -> str:
    """The address of the (last) node as a URL whose password cannot be read."""
    node = access.nodes[-1]
    host = f"[{node.host}]" if ":" in node.host else node.host
    user, vhost = quote(access.username, safe=""), quote(access.vhost, safe="")
    return f"amqp://{user}:***@{host}:{node.amqp_port}/{vhost}"


def _parse(url: str) -> Access:
    try:
        parts = urlsplit(url)
    except ValueError:
        _refuse("url", url.rpartition("@")[2], f"expected {SHAPE}")
    if "://" not in url:
        remedy = f"must be the whole address, {SHAPE}, such as {SCHEME}://guest:guest@localhost:{AMQP_PORT}/"
        _refuse("url", _after_the_login(url), remedy)
    if parts.scheme != SCHEME:
        why = "these brokers are spoken to without TLS; " if parts.scheme == "amqps" else ""
        _refuse("scheme", parts.scheme, f"{why}must be {SCHEME}: expected {SHAPE}")
    if parts.fragment or url.endswith("#"):  # what follows it may be of a password
        _refuse("url", None, f"# ends an address; write it as %23: expected {SHAPE}")
    if "@" in url and "@" not in parts.netloc:  # what follows it may be of a password, too
        _refuse(
            "url", None, f"/ or ? ends the host; write them as %2F and %3F in front of @: expected {SHAPE}"
        )
    if not parts.hostname:
        _refuse("host", "", f"the host is missing: expected {SHAPE}")
    amqp_port = _amqp_port(parts)
    node = Node(
        name=f"{parts.hostname}:{amqp_port}",
        host=parts.hostname,
        amqp_port=amqp_port,
        management_port=_management_port(parts.query, amqp_port),
    )
    kept = os.environ.get(PASSWORD) if parts.username else None
    return Access(
        username=unquote(parts.username or "guest"),
        password=unquote(parts.password) if parts.password else kept or "guest",
        vhost=unquote(parts.path[1:]) or "/",
        nodes=(node,),
    )


def _amqp_port(parts: SplitResult) -> int:
    try:
        port = AMQP_PORT if parts.port is None else parts.port
    except ValueError:
        port = 0
    if not port:
        given = _after_the_login(parts.netloc)
        remedy = f"a port is a number from 1 to 65535, such as {AMQP_PORT}: expected {SHAPE}"
        _refuse("port", given.rpartition(":")[2] if given else None, remedy)
    return port


def _after_the_login(address: str) -> str | None:
    """Host and port of an address; None where what stands there may be user and password."""
    login, _, rest = address.rpartition("@")
    return rest if login or ":" not in rest or rest.rpartition(":")[2].isdecimal() else None


def _management_port(query: str, amqp_port: int) -> int:
    asked = parse_qs(query, keep_blank_values=True)
    text = asked.pop("management_port", [str(amqp_port + MANAGEMENT_OFFSET)])[-1]
    if asked:
        _refuse("query", ", ".join(asked), "only management_port may follow the question mark")
    if not text.isdecimal() or not 0 < int(text) < 65_536:
        _refuse("management_port", text, "a port is a number from 1 to 65535: add ?management_port=15672")
    return int(text)


def _check_node(access: Access) -> tuple[Node, list[str]]:
    """The node with its own name, and the running members of its cluster."""
    _check_amqp(access)
    node = access.nodes[0]
    try:
        management = Management(access)
        name = str(management.overview()["node"])
        cluster = [str(one["name"]) for one in management.nodes() if one.get("running")]
    except ManagementError as error:
        _refuse("management", masked(access), _management_remedy(error))
    return node.model_copy(update={"name": name}), cluster


def _management_remedy(error: ManagementError) -> str:
    if error.status in (401, 403):
        return "the management API refuses this user: give it the tag 'policymaker' or 'administrator'"
    return f"{error}: enable the plugin rabbitmq_management, or name its port with ?management_port="


def _check_amqp(access: Access) -> None:
    (node,) = access.nodes
    try:
        pika.BlockingConnection(connection_parameters(access, node, "breakeven check")).close()
    except (AuthenticationError, ProbableAuthenticationError, ProbableAccessDeniedError) as error:
        _refuse_login(access, error)
    except ConnectionClosedByBroker as error:
        if error.reply_code in (ACCESS_REFUSED, NOT_ALLOWED):
            _refuse_login(access, error)
        _refuse_host(access, error)
    except (AMQPError, OSError, ValueError) as error:  # ValueError: a name that none can have
        _refuse_host(access, error)


def _refuse_login(access: Access, error: Any) -> NoReturn:
    remedy = f"the broker refuses this user, password or virtual host ({in_words(error)})"
    _refuse("user", masked(access), remedy)


def _refuse_host(access: Access, error: Exception) -> NoReturn:
    (node,) = access.nodes
    remedy = f"nothing speaks AMQP at {node.host}:{node.amqp_port} ({in_words(error)}): is it running?"
    _refuse("host", masked(access), remedy)


def _refuse(field: str, value: object, remedy: str) -> NoReturn:
    raise InputError(OPTION, field, value, remedy)
