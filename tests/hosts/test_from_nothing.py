"""From a bare Debian, as EC2 Image Builder has it: packages by apt, then a lane as it is on EC2.

The nodes find it through surroundings/aws.sh itself, with Debian's own AWS command line, a metadata service
and an S3 of this machine's. Only what talks to systemd is replaced. Debian 12 gives the mirrored pair,
Debian 13 the trio.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import boto3
import pytest
from moto.moto_api._internal.models import moto_api_backend
from moto.server import ThreadedMotoServer

from breakeven.results import layout
from breakeven.results.store import Store
from breakeven.targets.base import Access, Node
from breakeven.targets.rabbitmq_cluster import CLUSTER_PARAMETER, ClusterSettings
from breakeven.targets.rabbitmq_health import cluster_problem, listener_problem
from breakeven.targets.rabbitmq_management import Management
from breakeven.targets.rabbitmq_mirrored_pair import RabbitMQMirroredPair
from local.ports import free_ports
from tests.hosts.lan import Host, Lan, NoHosts
from tests.hosts.lane import INSTALL, START, Image
from tests.hosts.metadata import metadata_service

#: apt installs an image first
pytestmark = pytest.mark.timeout(1200)
ROOT = Path(__file__).parents[2]
BUCKET, RUN = "breakeven-results", "20261121t000000-test"
ACCESS = Access(username="breakeven-nothing", password="-not_to~guess.2")
COOKIE = "fedcba9876543210"
SERVICES = "broker_is_running()"  # from here on the tests' own surroundings do what systemd does on EC2


@dataclass(frozen=True)
class Release:
    debian: str
    nodes: int
    target: str
    rabbitmq: str


RELEASES = [
    Release("debian-12", 2, "rabbitmq-mirrored-pair", "3.10.8"),
    Release("debian-13", 3, "rabbitmq-quorum-trio", "4.0.5"),
]


@dataclass(frozen=True)
class Cluster:
    release: Release
    image: Image
    hosts: list[Host]
    access: Access
    baked: str


@pytest.fixture(scope="module", params=RELEASES, ids=lambda release: release.debian)
def cluster(request, tmp_path_factory) -> Iterator[Cluster]:
    release, folder = request.param, tmp_path_factory.mktemp("nothing")
    base = ROOT / ".cache" / "hosts" / release.debian
    assert base.exists(), "run setup/hosts.sh, which makes it"
    tags = {"bucket": BUCKET, "run": RUN, "target": release.target, "nodes": str(release.nodes)}
    try:
        with Lan(folder) as lan, metadata_service(lan.address(1), tags) as metadata:
            (port,) = free_ports(1)
            s3 = ThreadedMotoServer(ip_address=lan.address(1), port=port)
            s3.start()
            try:
                yield _started(lan, release, base, folder, metadata, f"http://{lan.address(1)}:{port}")
            finally:
                s3.stop()
                moto_api_backend.reset()  # what is kept is the process's, and the next lane begins with none
    except NoHosts as error:
        pytest.fail(str(error))


def _started(lan: Lan, release: Release, base: Path, folder: Path, metadata: str, endpoint: str) -> Cluster:
    store = Store(_s3(endpoint), BUCKET)
    store.put_secret(layout.access_key(RUN, release.target), ACCESS.model_dump_json())
    store.put_secret(layout.cookie_key(RUN, release.target), COOKIE)
    image = Image(lan, base, folder / "payload", _surroundings(folder, metadata, endpoint))
    baked = image.bake()
    nothing = folder / "nothing"
    nothing.mkdir()
    hosts = [Host(lan, f"i-{number}", number) for number in range(2, 2 + release.nodes)]
    for host in hosts:
        host.boot(base, image.name, image.payload, nothing)
    with ThreadPoolExecutor(len(hosts)) as pool:
        for done in pool.map(lambda host: host.run(START), hosts):
            assert done.returncode == 0, done
    registered = store.keys(layout.nodes_prefix(RUN, release.target))
    nodes = tuple(Node.model_validate_json(store.get_bytes(key)) for key in registered)
    return Cluster(release, image, hosts, ACCESS.model_copy(update={"nodes": nodes, "tls": True}), baked)


def _s3(endpoint: str):
    s3 = boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name="eu-west-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    return s3


def _surroundings(folder: Path, metadata: str, endpoint: str) -> Path:
    own = (ROOT / "tests" / "hosts" / "surroundings.sh").read_text()
    told = {
        "BREAKEVEN_METADATA": metadata,
        "BREAKEVEN_S3_OPTIONS": f"--endpoint-url={endpoint}",
        "AWS_EC2_METADATA_SERVICE_ENDPOINT": f"{metadata}/",
    }
    lines = [f"export {name}={value}\n" for name, value in told.items()]
    path = folder / "aws.sh"
    aws = (ROOT / "nodes" / "surroundings" / "aws.sh").read_text()
    path.write_text("".join(lines) + aws + own[own.index(SERVICES) :])
    return path


def test_the_packages_are_those_that_the_list_names(cluster):
    assert "installing rabbitmq-server=" in cluster.baked
    versions = dict(
        line.split() for line in cluster.hosts[0].read("cat", "/opt/breakeven/versions").splitlines()
    )
    assert versions["rabbitmq-server"].startswith(cluster.release.rabbitmq)
    assert "awscli" in versions


def test_the_nodes_are_one_healthy_cluster_that_answers_over_tls(cluster):
    assert len(cluster.access.nodes) == cluster.release.nodes
    assert cluster_problem(cluster.access, cluster.release.nodes) is None
    assert listener_problem(cluster.access) is None
    management = Management(cluster.access)
    assert management.overview()["rabbitmq_version"] == cluster.release.rabbitmq
    assert management.global_parameter(CLUSTER_PARAMETER) == ClusterSettings().note()


def test_the_pair_mirrors(cluster):
    if cluster.release.nodes == 2:
        target = RabbitMQMirroredPair(cluster.access)
        target.establish()
        assert target.problem() is None


def test_a_second_run_changes_nothing(cluster):
    for host in cluster.hosts:
        broker = host.read("pidof", "beam.smp")
        for script in (INSTALL, START):
            again = host.run(script, BREAKEVEN_SURROUNDINGS=cluster.image.surroundings)
            assert (again.returncode, again.stdout) == (0, "breakeven: nothing to do\n"), again
        assert host.read("pidof", "beam.smp") == broker


def test_the_lease_that_no_tag_gives_is_eight_hours(cluster):
    host = cluster.hosts[0]
    until, now = int(host.read("cat", "/var/lib/breakeven/lease")), int(host.read("date", "+%s"))
    assert 0 < until - now <= 8 * 3600


def test_no_secret_is_in_tags_arguments_or_logs(cluster):
    for host in cluster.hosts:
        said = host.read("sh", "-c", "cat /proc/[0-9]*/cmdline /var/log/rabbitmq/* | tr '\\0' ' '")
        assert "beam.smp" in said
        assert ACCESS.password not in said
        assert COOKIE not in said
