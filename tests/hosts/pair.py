"""A mirrored pair on two hosts of our own."""

from __future__ import annotations

from pathlib import Path

from breakeven.brokers.access import Access
from breakeven.targets.rabbitmq.rabbitmq_management import Management
from breakeven.targets.rabbitmq.rabbitmq_mirrored_pair import RabbitMQMirroredPair
from tests.hosts.lane import Image, Lane
from tests.support.scripted.certificates import make_certificate_for


class Pair:
    """Two nodes, started from the image by their own script."""

    def __init__(self, image: Image, folder: Path, credentials: Access) -> None:
        self.lane = Lane(image, folder, (2, 3), credentials)
        given, _ = self.lane.hosts
        self.given = make_certificate_for(given.address)
        self.lane.give_tls(given, *self.given)
        self.said = self.lane.start(*self.lane.hosts)
        self.access = self.lane.access
        self.management = Management(self.access)
        self.target = RabbitMQMirroredPair(self.access)
        self.target.establish()

    def restore(self) -> None:
        down = [host for host in self.lane.hosts if not host.is_up]
        if down:
            self.lane.start(*down)
        self.target.establish()
