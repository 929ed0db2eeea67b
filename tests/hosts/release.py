"""From a bare Debian to a lane's nodes: what AWS and the workflow do around the scripts."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from breakeven.brokers.access import Access, Node
from breakeven.results import layout
from breakeven.results.store import Store
from infra.brokers.image_builders import assemble_node_files, bake_user_data
from tests.hosts.cloud import Cloud
from tests.hosts.instance import Instance
from tests.hosts.loader_host import LoaderHost
from tests.hosts.stand_ins import REGION

BUCKET, ASSETS, RUN = "breakeven-results", "breakeven-assets", "20261121t000000-test"
ACCESS = Access(username="breakeven-nothing", password="-not_to~guess.2")
COOKIE = "fedcba9876543210"
BUILDER, NODE_UNIT, LEASE_UNIT = "i-builder", "breakeven-node.service", "breakeven-lease.service"
AGENT_UNIT = "breakeven-agent.service"
#: descriptions of the template's security groups
BROKERS, LOADERS, BUILDERS = "broker nodes", "loaders and", "builds images"


@dataclass(frozen=True)
class Release:
    """``rabbitmq``: how its version begins. ``packages``: where ``nodes/packages`` has no list of its own."""

    debian: str
    nodes: int
    target: str
    rabbitmq: str
    packages: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What ``bake`` is told; none of one that has no number yet."""
        return "" if self.packages else self.debian.removeprefix("debian-")


RELEASES = [
    Release("debian-12", 2, "rabbitmq-mirrored-pair", "3.10.8"),
    Release("debian-13", 3, "rabbitmq-quorum-trio", "4.0.5"),
    # whose RabbitMQ gets newer: 4.3.6 in November 2026, with Khepri alone
    Release(
        "debian-testing",
        3,
        "rabbitmq-quorum-trio",
        "4.",
        packages=(
            *("rabbitmq-server=4.*", "erlang-base=*", "openssl=3.*", "curl=*"),
            *("awscli=2.*", "python3-boto3=1.*", "nftables=1.*", "iproute2=*"),
        ),
    ),
]


def group_named(template: Mapping[str, Any], description: str) -> str:
    """The logical id of the one security group whose description begins so."""
    (found,) = [
        name
        for name, each in template["Resources"].items()
        if each["Type"] == "AWS::EC2::SecurityGroup"
        and each["Properties"]["GroupDescription"].startswith(description)
    ]
    return str(found)


def cloud_image(folder: Path, base: Path, trusted: Path) -> list[Path]:
    """A bare Debian, as AWS has it: it trusts who signs for AWS's names. Its layers, the upper first."""
    certificate = trusted.read_text()
    own = folder / "ami"
    for path, begins in (
        ("etc/ssl/certs/ca-certificates.crt", (base / "etc/ssl/certs/ca-certificates.crt").read_text()),
        ("usr/local/share/ca-certificates/aws.crt", ""),
    ):
        (own / path).parent.mkdir(parents=True)
        (own / path).write_text(begins + certificate)
    return [own, base]


class Installation:
    """A cloud with the buckets, a builder's template and a lane's."""

    def __init__(self, cloud: Cloud, template: Mapping[str, Any], release: Release, base: Path) -> None:
        self.cloud, self.release = cloud, release
        self.groups = {what: group_named(template, what) for what in (BROKERS, LOADERS, BUILDERS)}
        self.private = [subnet for subnet in cloud.subnets if not subnet.to_internet]
        # a builder goes to the next only where the first one's zone has no room for it
        self.public = next(subnet for subnet in cloud.subnets if subnet.to_internet)
        self.debian = cloud_image(cloud.folder, base, cloud.services.trusted)
        self.s3 = cloud.services.client("s3")
        for bucket in (BUCKET, ASSETS):
            self.s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION})
        self.store = Store(self.s3, BUCKET)

    def bake(self) -> Instance:
        """An instance of Debian's, with the user data of an image's builder, once it has powered off."""
        self.s3.put_object(Bucket=ASSETS, Key="nodes.zip", Body=self._payload())
        place = self.cloud.place(self.public, self.groups[BUILDERS], 0)
        builder = Instance(self.cloud, BUILDER, place, self.debian, user_data=self._user_data())
        builder.boot()
        builder.await_off()
        return builder

    def _user_data(self) -> str:
        return bake_user_data(
            files=f"s3://{ASSETS}/nodes.zip",
            report=f"s3://{BUCKET}/images/",
            release=self.release.name,
        )

    def _payload(self) -> bytes:
        folder = self.cloud.folder / "payload"
        folder.mkdir()
        assemble_node_files(folder)
        if packages := self.release.packages:
            # its os-release has no VERSION_ID
            (folder / "packages" / "debian-").write_text("".join(f"{each}\n" for each in packages))
        return _zipped(folder)

    def report(self, ending: str) -> str | None:
        """What the builder reported with that ending; None where it did not."""
        key = f"images/{BUILDER}.{ending}"
        return self.store.get_bytes(key).decode() if key in self.store.keys("images/") else None

    def launch(self, image: Instance) -> list[Instance]:
        """The lane's nodes, from the disk that the builder left, in the brokers' subnets in turn."""
        release = self.release
        self.store.put_secret(layout.access_key(RUN, release.target), ACCESS.model_dump_json())
        self.store.put_secret(layout.cookie_key(RUN, release.target), COOKIE)
        tags = {"bucket": BUCKET, "run": RUN, "target": release.target, "nodes": str(release.nodes)}
        nodes = []
        for number in range(release.nodes):
            subnet = self.private[number % len(self.private)]
            place = self.cloud.place(subnet, self.groups[BROKERS], number)
            nodes.append(Instance(self.cloud, f"i-{number}", place, image.layers, tags=tags))
        for node in nodes:
            node.boot()
        for node in nodes:
            node.await_unit(NODE_UNIT)
        return nodes

    def access(self) -> Access:
        """As the workflow puts it together from what the nodes registered."""
        keys = self.store.keys(layout.nodes_prefix(RUN, self.release.target))
        nodes = [Node.model_validate_json(self.store.get_bytes(key)) for key in sorted(keys)]
        return ACCESS.model_copy(update={"nodes": tuple(nodes), "tls": True})

    def loader(self) -> LoaderHost:
        return LoaderHost(self.cloud, self.cloud.place(self.private[0], self.groups[LOADERS], 0))


def _zipped(folder: Path) -> bytes:
    """As the CDK puts an asset that is a folder into its bucket."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder))
    return held.getvalue()
