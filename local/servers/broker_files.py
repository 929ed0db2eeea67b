"""Files of one RabbitMQ node of ours: its configuration, and the environment it is started in."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from breakeven.brokers.access import Access, Node
from breakeven.targets.rabbitmq.rabbitmq_cluster import ClusterSettings, joining
from local.ports import LOOPBACK
from local.servers.broker_memory import watermark

#: what needs no quoting in rabbitmq.conf
PLAIN = re.compile(r"[A-Za-z0-9_./~-]+")


@dataclass(frozen=True, slots=True)
class NodePlan:
    """A node to be started: where it will answer, its port for other nodes, and its folder."""

    node: Node
    distribution_port: int
    folder: Path

    @property
    def log(self) -> Path:
        return self.folder / "log" / f"{self.node.name}.log"

    @property
    def output(self) -> Path:
        return self.folder / "output"


def write_cookie(home: Path, cookie: str) -> None:
    """The secret that lets nodes talk to each other. Erlang refuses one that others may read."""
    home.mkdir(mode=0o700)
    path = home / ".erlang.cookie"
    path.write_text(cookie)
    path.chmod(0o400)


def write_node(plan: NodePlan, first: str, credentials: Access, settings: ClusterSettings) -> None:
    """Make the node's folder with all that it reads; only the present user may look into it."""
    plan.folder.mkdir(mode=0o700)
    for name in ("data", "log", "conf.d"):
        (plan.folder / name).mkdir()
    (plan.folder / "environment").touch()
    (plan.folder / "enabled_plugins").write_text("[rabbitmq_management].\n")
    (plan.folder / "advanced.config").write_text("[].\n")
    path = plan.folder / "rabbitmq.conf"
    path.touch(mode=0o600)
    path.write_text("".join(f"{line}\n" for line in _configuration(plan, first, credentials, settings)))


def _configuration(plan: NodePlan, first: str, credentials: Access, settings: ClusterSettings) -> list[str]:
    for plain in (credentials.username, credentials.password, credentials.vhost):
        if not PLAIN.fullmatch(plain):
            raise ValueError("user, password and virtual host of our own brokers are plain characters")
    return [
        f"listeners.tcp.1 = {LOOPBACK}:{plan.node.amqp_port}",
        f"management.tcp.ip = {LOOPBACK}",
        f"management.tcp.port = {plan.node.management_port}",
        f"default_vhost = {credentials.vhost}",
        f"default_user = {credentials.username}",
        f"default_pass = {credentials.password}",
        *settings.configuration(),
        "disk_free_limit.absolute = 50MB",
        # all nodes and the loaders share this host's memory
        f"vm_memory_high_watermark.relative = {watermark(settings.nodes):.3g}",
        *(joining(plan.node.name, first) if plan.node.name != first else ()),
    ]


def environment(plan: NodePlan, home: Path, epmd_port: int) -> dict[str, str]:
    """The whole environment of a node: nothing of the machine's own RabbitMQ is read or written."""
    folder = plan.folder
    return {
        **mapper_environment(home),
        "LANG": "C.UTF-8",
        "ERL_EPMD_PORT": str(epmd_port),
        "ERL_EPMD_ADDRESS": LOOPBACK,
        # For every Erlang process that scripts and nodes start, helpers included. A node looks for the port
        # mapper each minute: where it finds none, as while all are stopped, a helper would start a daemon.
        "ERL_AFLAGS": "-kernel inet_dist_use_interface {127,0,0,1} -start_epmd false",
        "RABBITMQ_NODENAME": plan.node.name,
        "RABBITMQ_DIST_PORT": str(plan.distribution_port),
        "RABBITMQ_CONF_ENV_FILE": str(folder / "environment"),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
        "RABBITMQ_CONFIG_FILES": str(folder / "conf.d"),
        "RABBITMQ_ADVANCED_CONFIG_FILE": str(folder / "advanced.config"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
        "RABBITMQ_MNESIA_BASE": str(folder / "data"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
    }


def mapper_environment(home: Path) -> dict[str, str]:
    """The whole environment of the port mapper."""
    return {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home)}
