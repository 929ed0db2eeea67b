"""What stands for Amazon MQ's brokers: real RabbitMQ 4 clusters, or nothing that ever answers.

Each broker has one endpoint, as AMQP and as HTTPS, through TLS by a certificate that is trusted as any
authority's is. Behind it are all of its nodes: each connection comes to another, as behind the service's
network load balancer.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack
from pathlib import Path

from breakeven.brokers.access import Access
from breakeven.targets.rabbitmq.rabbitmq_cluster import ClusterSettings
from local.aws.amazon_mq_service import Asked, Endpoints
from local.children import Children
from local.servers.broker_releases import release_for
from local.servers.brokers import BrokerCluster
from tests.support.scripted.certificates import make_certificate_of
from tests.support.scripted.tls import terminator

HOST = "localhost"


class AnsweringBrokers:
    """Run as soon as the service lets them, and are nothing that could be reached."""

    def create(self, asked: Asked) -> None:
        return

    def endpoints(self, broker_id: str) -> Endpoints:
        return Endpoints(f"amqps://{broker_id}.example:5671", f"https://{broker_id}.example")

    def reboot(self, broker_id: str) -> None:
        return

    def delete(self, broker_id: str) -> None:
        return


class RealBrokers:
    """A cluster for each broker that is asked for, with the user that it is to have.

    ``deleted``: ids of brokers, in the order in which they were deleted. ``asked``: by id. ``may_run``: while
    it is not set, none comes to the end of its creation. ``clusters``: what stands for those that run, by id.
    """

    def __init__(self, children: Children, folder: Path) -> None:
        self._children, self._folder = children, folder
        self.certificate = folder / "endpoints.pem"
        # the key first: who reads the file as authorities reads the certificate alone
        self.certificate.write_text("".join(reversed(make_certificate_of(HOST, "127.0.0.1"))))
        self.asked: dict[str, Asked] = {}
        self.deleted: list[str] = []
        self.may_run = threading.Event()
        self.may_run.set()
        self.clusters: dict[str, BrokerCluster] = {}
        self._endpoints: dict[str, Endpoints] = {}
        self._open: dict[str, ExitStack] = {}
        self._lock = threading.Lock()

    def create(self, asked: Asked) -> None:
        self.asked[asked.broker_id] = asked
        threading.Thread(target=self._start, args=(asked,), daemon=True).start()

    def endpoints(self, broker_id: str) -> Endpoints | None:
        return self._endpoints.get(broker_id) if self.may_run.is_set() else None

    def reboot(self, broker_id: str) -> None:
        found = self._endpoints.pop(broker_id)
        threading.Thread(target=self._restart, args=(broker_id, found), daemon=True).start()

    def delete(self, broker_id: str) -> None:
        self.deleted.append(broker_id)
        self._end(broker_id)

    def close(self) -> None:
        for broker_id in list(self._open):
            self._end(broker_id)

    def _start(self, asked: Asked) -> None:
        release = release_for("13")
        assert release, "RabbitMQ 4 is not to be had here"
        cluster = BrokerCluster(
            self._children,
            self._folder,
            Access(username=asked.username, password=asked.password),
            ClusterSettings(nodes=asked.nodes),
            release=release,
        )
        opened = ExitStack()
        opened.callback(cluster.stop)
        with self._lock:
            self._open[asked.broker_id] = opened
        nodes = cluster.start().nodes
        self.clusters[asked.broker_id] = cluster
        amqps, console = (
            opened.enter_context(terminator(self.certificate, *ports))
            for ports in ([each.amqp_port for each in nodes], [each.management_port for each in nodes])
        )
        self._endpoints[asked.broker_id] = Endpoints(f"amqps://{HOST}:{amqps}", f"https://{HOST}:{console}")

    def _restart(self, broker_id: str, found: Endpoints) -> None:
        """Node by node, as the service has its maintenance ("Maintaining an Amazon MQ broker")."""
        cluster = self.clusters[broker_id]
        for node in cluster.access.nodes:
            cluster.shut_down(node.name)
            cluster.restart(node.name)
        self._endpoints[broker_id] = found

    def _end(self, broker_id: str) -> None:
        with self._lock:
            opened = self._open.pop(broker_id, None)
        self._endpoints.pop(broker_id, None)
        if opened:
            opened.close()
