"""A broker image: a Debian on which our install script has run, baked by the first run that needs it.

What stands in the stack is what a builder is launched from: a template whose user data is ``nodes/bake``,
which cloud-init runs. It reports, and powers the instance off, of which the run then makes the image
(``breakeven.steps.lane.bake_images``). The name holds a digest of all that is baked in, so that a changed
script makes a new image and nothing else does.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from breakeven.planning.machine_availability import BUILDERS
from breakeven.results import layout
from breakeven.steps.lane.recipes import Recipe
from breakeven.targets.rabbitmq.rabbitmq_cluster import (
    CLUSTER_PARAMETER,
    ClusterSettings,
    joining,
    tls_listeners,
)
from breakeven.terms import Debian
from infra.brokers.broker_template import launch_template
from infra.code import asset
from infra.context.settings import DEBIAN_NAMES, Context
from infra.network import ZONES, vpc_of
from infra.results import Results
from infra.statements import allow, service_role
from infra.storage import Storage

ROOT_GB = 8
#: Debian's mirrors, and AWS's services
WAYS_OUT = (80, 443)
SCRIPTS = Path(__file__).parents[2] / "nodes"
#: of the domain, what the agent on a node consists of
DOMAIN = SCRIPTS.parent / "functions" / "breakeven"
AGENT = ("__init__.py", "errors.py", "agent/*.py")
#: cloud-init runs user data that begins like this
SHEBANG = "#!/usr/bin/env bash"
#: where `start` puts the node's own
CERTIFICATE, KEY = "/etc/rabbitmq/tls/certificate.pem", "/etc/rabbitmq/tls/key.pem"


def parent_parameter(release: Debian, architecture: str) -> str:
    """The Debian project's own image, by the parameter that it keeps in every region.

    :param architecture: arm64 or x86_64
    """
    return f"/aws/service/debian/release/{release}/latest/{DEBIAN_NAMES[architecture]}"


class BuildPlace(Construct):
    """Packages come from Debian's mirrors: whoever builds reaches out, and nobody reaches in.

    A builder is launched in the first of the subnets whose zone has its type.
    """

    def __init__(
        self, scope: Construct, construct_id: str, *, context: Context, storage: Storage, brokers: ec2.IVpc
    ) -> None:
        """:param brokers: the VPC of the brokers; a subnet that the account names is in it"""
        super().__init__(scope, construct_id)
        if context.build_subnet_id:
            # where its mirrors are, and on which port, is its own affair: any way out
            self.subnet_ids = [context.build_subnet_id]
            self.group = self._group(brokers)
            return
        # apart from the brokers' network, which has no way out; one zone alone may lack what builds
        vpc = vpc_of(
            self,
            ec2.SubnetConfiguration(name="build", subnet_type=ec2.SubnetType.PUBLIC, cidr_mask=26),
            zones=context.zones and context.zones[:ZONES],
            storage=storage,
            ip_addresses=ec2.IpAddresses.cidr("10.255.0.0/24"),
        )
        self.subnet_ids = [subnet.subnet_id for subnet in vpc.public_subnets]
        self.group = self._group(vpc, allow_all_outbound=False)
        for port in WAYS_OUT:
            self.group.add_egress_rule(
                ec2.Peer.any_ipv4(), ec2.Port.tcp(port), "packages, and services of AWS"
            )

    def _group(self, vpc: ec2.IVpc, **options: bool) -> ec2.SecurityGroup:
        description = "builds images; no way in"
        return ec2.SecurityGroup(self, "Group", vpc=vpc, description=description, **options)


class BrokerImage(Construct):
    """``recipe`` names the image, and the template of its builder; ``role`` is the builder's.

    :param parent: the id of an image of the account's own, in the place of the Debian project's
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        context: Context,
        place: BuildPlace,
        results: Results,
        release: Debian,
        architecture: str,
        parent: str | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        #: the parameter that EC2 looks the parent up in at launch; None where its id is known
        self.parameter = None if parent else parent_parameter(release, architecture)
        files = asset(self, "Files", assemble_node_files)
        family = f"debian-{release}-{DEBIAN_NAMES[architecture]}"
        found = files.s3_object_url
        # all that an image is made of; who it reports to is in its name
        script = bake_user_data(files="", report="", release=release)
        where = cdk.Stack.of(self).resolve(found)  # its hash, and which bucket
        baked = [where, script, ROOT_GB, context.tags or {}, self.parameter]
        digest = hashlib.sha256(json.dumps(baked).encode()).hexdigest()[:12]
        image = "-".join([context.stack_name, family, digest, *([parent] if parent else [])])
        report = f"s3://{results.bucket.bucket_name}/{layout.bake_prefix(image)}"
        does = "builds a broker image: fetches our scripts, reports how it went"
        self.role = service_role(self, "BuildingRole", "ec2", does)
        # the one object with our scripts
        allow(self.role, ["s3:GetObject"], [files.bucket.arn_for_objects(files.s3_object_key)])
        results.allow_writing(self.role, f"{layout.IMAGES}*")
        # its subnet is given at launch; one of our own gives it an address with which to reach out
        template = launch_template(
            self,
            "Builder",
            image=parent or f"resolve:ssm:{self.parameter}",
            instance_type=BUILDERS[architecture],
            volume_gb=ROOT_GB,
            role=self.role,
            security_group=place.group,
            http_put_response_hop_limit=1,
            # an image is made of an instance that has stopped
            instance_initiated_shutdown_behavior=ec2.InstanceInitiatedShutdownBehavior.STOP,
            user_data=ec2.UserData.custom(bake_user_data(files=found, report=report, release=release)),
        )
        self.recipe = Recipe(image, family, str(template.launch_template_id))


def assemble_node_files(target: Path, settings: ClusterSettings | None = None) -> None:
    """Fill an empty folder with all that ``install`` reads. Nothing in it is secret."""
    settings = settings or ClusterSettings()
    shutil.copytree(SCRIPTS, target, dirs_exist_ok=True)
    for found in (path for pattern in AGENT for path in sorted(DOMAIN.glob(pattern))):
        place = target / "python" / "breakeven" / found.relative_to(DOMAIN)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(found, place)
    _write(target / "rabbitmq.conf", [*settings.configuration(), *tls_listeners(CERTIFICATE, KEY)])
    _write(target / "joining.conf", joining("@NAME@", "@FIRST@"))
    note = {"name": CLUSTER_PARAMETER, "value": settings.note()}
    _write(target / "note.json", [json.dumps(note)])


def bake_user_data(*, files: str, report: str, release: str) -> str:
    """What cloud-init runs on an instance that an image is made of: ``nodes/bake``, and its environment.

    :param files: ``s3://`` URL of the zip of what ``assemble_node_files`` makes
    :param report: ``s3://`` prefix, ending in a slash, of the report
    :param release: of Debian, such as ``12``
    """
    variables = {"BREAKEVEN_FILES": files, "BREAKEVEN_REPORT": report, "BREAKEVEN_RELEASE": release}
    exports = [f"export {name}={value}" for name, value in variables.items()]  # no value has a space
    return "\n".join([SHEBANG, *exports, (SCRIPTS / "bake").read_text()])


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))
