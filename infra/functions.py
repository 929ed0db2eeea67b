"""The Lambda functions: one code asset, one dependency layer, one function and role an entry point."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import aws_cdk as cdk
import jsii
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3_assets as assets
from constructs import Construct

from infra.brokers import Brokers
from infra.network import Network
from infra.results import DATABASE, Results

ROOT = Path(__file__).parent.parent
NAMESPACE = "QueueBreakeven"
PYTHON = "3.13"
#: Lambda's Python 3.13 runs on Amazon Linux 2023 (glibc 2.34); pip wants each tag that may be used named
PLATFORMS = [f"manylinux_2_{minor}_aarch64" for minor in (34, 31, 28, 27, 26, 24, 17)] + [
    "manylinux2014_aarch64"
]
LAMBDA_LIMIT = cdk.Duration.minutes(15)


@dataclass(frozen=True, slots=True)
class Entry:
    """One function. ``network``: inside (reaches brokers), outside (reaches AWS services), or both kinds."""

    handler: str
    network: str
    timeout: cdk.Duration
    memory_mb: int = 512


def minutes(n: float) -> cdk.Duration:
    return cdk.Duration.seconds(int(n * 60))


#: name -> entry; ``both`` makes two functions, suffixed InVpc and Outside
ENTRIES = {
    "Plan": Entry("plan", "outside", minutes(1)),
    "LaunchBrokers": Entry("launch_brokers", "outside", minutes(1)),
    "EstablishLane": Entry("establish_lane", "both", minutes(10)),
    "StopNodes": Entry("stop_nodes", "outside", minutes(5)),
    "PrepareCase": Entry("prepare_case", "both", minutes(2)),
    # 1,769 MB is one vCPU: a loader with less would measure its own throttling
    "Load": Entry("load", "both", LAMBDA_LIMIT, memory_mb=1769),
    "Watch": Entry("watch", "both", LAMBDA_LIMIT),
    "SettleCase": Entry("settle_case", "both", minutes(5), memory_mb=1769),
    "FailCase": Entry("fail_case", "both", minutes(3), memory_mb=1769),
    "StartNodes": Entry("start_nodes", "outside", minutes(5)),
    "AwaitNodes": Entry("await_nodes", "inside", minutes(6)),
    "FailLeg": Entry("fail_leg", "outside", minutes(1)),
    "ReleaseLane": Entry("release_lane", "outside", minutes(2)),
    "ReleaseRun": Entry("release_run", "outside", minutes(3)),
    "BuildReport": Entry("build_report", "outside", minutes(5), memory_mb=1769),
    "FinishRun": Entry("finish_run", "outside", minutes(1)),
}


@jsii.implements(cdk.ILocalBundling)
class PipBundling:
    """Fills the dependency layer with wheels for Lambda's platform; needs no container engine."""

    def try_bundle(self, output_dir: str, *_: object, **__: object) -> bool:
        lock = ROOT / "requirements" / "functions.lock"
        subprocess.run(
            [
                *(sys.executable, "-m", "pip", "install", "--quiet", "--no-compile"),
                *("--require-hashes", "--no-deps", "-r", str(lock), "--target", f"{output_dir}/python"),
                *(option for platform in PLATFORMS for option in ("--platform", platform)),
                *("--python-version", PYTHON, "--only-binary=:all:"),
            ],
            check=True,
            stdout=sys.stderr,
        )
        return True


def _allow_on_brokers(function: lambda_.Function, action: str) -> None:
    """Let it look at instances, and do that to those that a run has launched."""
    function.add_to_role_policy(iam.PolicyStatement(actions=["ec2:DescribeInstances"], resources=["*"]))
    function.add_to_role_policy(
        iam.PolicyStatement(
            actions=[action],
            resources=["*"],
            conditions={"StringLike": {"aws:ResourceTag/breakeven:run": "*"}},
        )
    )


def assemble_code(target: Path) -> None:
    """Copy what is deployed: our packages and the shipped suites, nothing else."""
    ignore = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in ("handlers", "breakeven"):
        shutil.copytree(ROOT / "functions" / name, target / name, ignore=ignore)
    shutil.copytree(ROOT / "scenarios", target / "scenarios", ignore=ignore)


class Functions(Construct):
    def __init__(
        self, scope: Construct, construct_id: str, *, network: Network, results: Results, brokers: Brokers
    ) -> None:
        super().__init__(scope, construct_id)
        self._network, self._results, self._brokers = network, results, brokers
        with tempfile.TemporaryDirectory() as folder:
            assemble_code(Path(folder))
            # staged here and now, so that the folder may go
            code = assets.Asset(self, "Code", path=folder)
        self._code = lambda_.Code.from_bucket_v2(code.bucket, code.s3_object_key)
        self._layer = self._dependencies()
        self._by_name: dict[str, lambda_.Function] = {}
        self._inside: list[lambda_.Function] = []
        for name, entry in ENTRIES.items():
            for inside in {"inside": [True], "outside": [False], "both": [True, False]}[entry.network]:
                self._make(name, entry, inside=inside)
        self._grant()

    def get(self, name: str, *, inside: bool = False) -> lambda_.Function:
        """The function of that name; of those that exist twice, the one inside the VPC or outside."""
        if ENTRIES[name].network == "both":
            name += "InVpc" if inside else "Outside"
        return self._by_name[name]

    def _dependencies(self) -> lambda_.LayerVersion:
        # the hash is of the lock file, so that the template is the same whether or not wheels were fetched
        lock = (ROOT / "requirements" / "functions.lock").read_bytes()
        digest = hashlib.sha256(lock + f"{PYTHON}{PLATFORMS}".encode()).hexdigest()
        return lambda_.LayerVersion(
            self,
            "Dependencies",
            compatible_runtimes=[lambda_.Runtime.PYTHON_3_13],
            compatible_architectures=[lambda_.Architecture.ARM_64],
            code=lambda_.Code.from_asset(
                str(ROOT / "requirements"),
                exclude=["*.in", "run.lock", "test.lock"],
                asset_hash=digest,
                asset_hash_type=cdk.AssetHashType.CUSTOM,
                bundling=cdk.BundlingOptions(
                    image=lambda_.Runtime.PYTHON_3_13.bundling_image, local=PipBundling()
                ),
            ),
        )

    def _make(self, name: str, entry: Entry, *, inside: bool) -> None:
        if entry.network == "both":
            name += "InVpc" if inside else "Outside"
        log_group = logs.LogGroup(
            self,
            f"{name}Logs",
            retention=logs.RetentionDays.ONE_MONTH,
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )
        made = self._by_name[name] = lambda_.Function(
            self,
            name,
            runtime=lambda_.Runtime.PYTHON_3_13,
            architecture=lambda_.Architecture.ARM_64,
            code=self._code,
            layers=[self._layer],
            handler=f"handlers.{entry.handler}.handler",
            timeout=entry.timeout,
            memory_size=entry.memory_mb,
            log_group=log_group,
            tracing=lambda_.Tracing.ACTIVE,
            environment=self._environment(entry),
            **self._placement(inside=inside),
        )
        if inside:
            self._inside.append(made)

    def _environment(self, entry: Entry) -> dict[str, str]:
        return {
            "BREAKEVEN_BUCKET": self._results.bucket.bucket_name,
            "BREAKEVEN_TABLE": self._results.state_table.table_name,
            "POWERTOOLS_SERVICE_NAME": entry.handler,
            "POWERTOOLS_METRICS_NAMESPACE": NAMESPACE,
        }

    def _placement(self, *, inside: bool) -> dict[str, object]:
        if not inside:
            return {}
        return {
            "vpc": self._network.vpc,
            "vpc_subnets": ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
            "security_groups": [self._network.loaders],
        }

    def _grant(self) -> None:
        bucket, table = self._results.bucket, self._results.state_table
        for function in self._by_name.values():
            table.grant_read_write_data(function)
            bucket.grant_read_write(function, "runs/*")
            bucket.grant_put(function, "rows/*")
        for function in self._inside:
            bucket.grant_read_write(function, "secrets/*")
        # what the runs of a suite found of their loaders, read by the next plan
        bucket.grant_read(self.get("Plan"), "advice/*")
        bucket.grant_read_write(self.get("FinishRun"), "advice/*")
        self._grant_prices()
        self._grant_brokers()
        self._grant_sqs()
        self._grant_queries()

    def _grant_prices(self) -> None:
        # list prices are public and belong to no resource
        self.get("Plan").add_to_role_policy(
            iam.PolicyStatement(actions=["pricing:GetProducts"], resources=["*"])
        )

    def _grant_brokers(self) -> None:
        launch, template = self.get("LaunchBrokers"), self._brokers.launch_template
        launch.add_environment("BREAKEVEN_LAUNCH_TEMPLATE", str(template.launch_template_id))
        launch.add_environment("BREAKEVEN_SUBNETS", ",".join(self._network.subnets.subnet_ids))
        self._results.bucket.grant_put(launch, "secrets/*")
        self._brokers.role.grant_pass_role(launch.grant_principal)
        launch.add_to_role_policy(
            iam.PolicyStatement(actions=["ec2:RunInstances", "ec2:CreateTags"], resources=["*"])
        )
        for name in ("ReleaseLane", "ReleaseRun"):
            function = self.get(name)
            self._results.bucket.grant_read(function, "secrets/*")
            self._results.bucket.grant_delete(function, "secrets/*")
            _allow_on_brokers(function, "ec2:TerminateInstances")
        _allow_on_brokers(self.get("StopNodes"), "ec2:StopInstances")
        _allow_on_brokers(self.get("StartNodes"), "ec2:StartInstances")

    def _grant_sqs(self) -> None:
        queues = cdk.Stack.of(self).format_arn(service="sqs", resource="be-*")
        driven = ["EstablishLane", "PrepareCase", "Load", "Watch", "SettleCase", "FailCase"]
        for function in [*(self.get(name) for name in driven), self.get("ReleaseRun")]:
            function.add_to_role_policy(
                iam.PolicyStatement(
                    actions=[
                        "sqs:CreateQueue",
                        "sqs:TagQueue",
                        "sqs:DeleteQueue",
                        "sqs:GetQueueAttributes",
                        "sqs:GetQueueUrl",
                        "sqs:SendMessage",
                        "sqs:ReceiveMessage",
                        "sqs:DeleteMessage",
                    ],
                    resources=[queues],
                )
            )
        # lists no queue of anyone else's: it only shows that the service answers
        self.get("EstablishLane").add_to_role_policy(
            iam.PolicyStatement(
                actions=["sqs:ListQueues"],
                resources=[cdk.Stack.of(self).format_arn(service="sqs", resource="*")],
            )
        )

    def _grant_queries(self) -> None:
        report = self.get("BuildReport")
        report.add_environment("BREAKEVEN_DATABASE", DATABASE)
        self._results.bucket.grant_read(report, "athena/*")
        report.add_to_role_policy(
            iam.PolicyStatement(
                actions=["athena:GetQueryExecution", "athena:GetQueryResults"],
                resources=[
                    cdk.Stack.of(self).format_arn(
                        service="athena", resource="workgroup", resource_name=DATABASE
                    )
                ],
            )
        )
