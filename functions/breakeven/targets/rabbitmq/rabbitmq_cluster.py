"""Base of all RabbitMQ clusters of ours, on one machine and on EC2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: where nodes with TLS answer: AMQP, management API; and, to each other only, port mapper and distribution
AMQPS_PORT, MANAGEMENT_TLS_PORT, EPMD_PORT, DISTRIBUTION_PORT = 5671, 15671, 4369, 25672
#: where whoever starts the brokers notes the settings that the management API does not tell
CLUSTER_PARAMETER = "breakeven"
#: RabbitMQ's own, where it has such a setting
PARTITION_HANDLING = "ignore"
#: the first release that has none, as its metadata is in Khepri, a Raft group. Source: the release notes of
#: RabbitMQ 4.3
WITHOUT_PARTITION_HANDLING = (4, 3)


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """Parameters of the target that a report names. ``net_ticktime_s``: a silent node counts as down."""

    nodes: int = 2
    net_ticktime_s: int = 60
    partition_handling: str = PARTITION_HANDLING

    @property
    def silence_s(self) -> float:
        """From so many seconds of silence on peers may count a node as down, three quarters of the tick time;
        from five quarters on all do. Source: Erlang/OTP, "kernel", ``net_ticktime``.
        """
        return 0.75 * self.net_ticktime_s

    def configuration(self) -> list[str]:
        """The lines of rabbitmq.conf that say so: what is every release's own is left out, as a release that
        no longer deals with partitions so takes the setting without effect (RabbitMQ 4.3, release notes).
        """
        handling = self.partition_handling
        own = [] if handling == PARTITION_HANDLING else [f"cluster_partition_handling = {handling}"]
        return [*own, f"net_ticktime = {self.net_ticktime_s}"]

    def note(self) -> dict[str, str | int]:
        """What the cluster keeps of it as ``CLUSTER_PARAMETER``: nothing of a setting that is left as the
        release has it, and that it may not have.
        """
        handling = self.partition_handling
        own = {} if handling == PARTITION_HANDLING else {"cluster_partition_handling": handling}
        return {"net_ticktime": self.net_ticktime_s, **own}


def partition_handling(release: str, noted: Mapping[str, str | int]) -> str | int:
    """How a cluster of that release, such as ``4.0.5``, deals with a partition, by its own note.

    A cluster that keeps a note was configured here: what that leaves out is RabbitMQ's own.
    """
    if tuple(int(part) for part in release.split(".")[:2]) >= WITHOUT_PARTITION_HANDLING:
        return "by majority (Khepri)"
    return noted.get("cluster_partition_handling", PARTITION_HANDLING if noted else "not known")


def joining(name: str, first: str) -> list[str]:
    """The lines for every node but the first, which begins the cluster without asking.

    The others are started once it is up.
    """
    return [
        "cluster_formation.peer_discovery_backend = classic_config",
        f"cluster_formation.classic_config.nodes.1 = {first}",
        f"cluster_formation.classic_config.nodes.2 = {name}",
        "cluster_formation.discovery_retry_interval = 250",
        "cluster_formation.discovery_retry_limit = 400",
    ]


def tls_listeners(certificate: str, key: str) -> list[str]:
    """The lines for a node that talks to clients over TLS only.

    :param certificate: path of a PEM file on the node; ``key`` likewise
    """
    files = (("certfile", certificate), ("keyfile", key), ("cacertfile", certificate))
    return [
        "listeners.tcp = none",
        f"listeners.ssl.default = {AMQPS_PORT}",
        *(f"ssl_options.{option} = {path}" for option, path in files),
        "ssl_options.verify = verify_none",  # of clients, which show a password instead
        "ssl_options.versions.1 = tlsv1.3",
        "ssl_options.versions.2 = tlsv1.2",
        f"management.ssl.port = {MANAGEMENT_TLS_PORT}",
        *(f"management.ssl.{option} = {path}" for option, path in files),
        "management.ssl.verify = verify_none",
        "management.ssl.versions.1 = tlsv1.3",
        "management.ssl.versions.2 = tlsv1.2",
    ]
