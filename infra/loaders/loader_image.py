"""The image that loaders are started from as tasks: built by CodeBuild when a run first needs it.

Deploying builds nothing and needs no container engine: it leaves what the image is made of as an asset. The
image's tag is the asset's digest, so that other code has another image and the same code is built once.
"""

from __future__ import annotations

import json
from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_codebuild as codebuild
from aws_cdk import aws_ecr as ecr
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3_assets as assets
from constructs import Construct

from infra.code import LOCK, PYTHON, assemble, asset
from infra.statements import acknowledge, allow, service_role
from infra.storage import Storage

#: where the code is in the image
FOLDER = "/opt/breakeven"
#: Docker's official image as AWS mirrors it: no account and no quota of Docker's is needed
PARENT = f"public.ecr.aws/docker/library/python:{PYTHON}-slim"
DOCKERFILE = f"""\
FROM {PARENT}
WORKDIR {FOLDER}
ENV PYTHONUNBUFFERED=1
COPY {LOCK.name} ./
RUN pip install --no-cache-dir --no-deps --require-hashes --only-binary=:all: --requirement {LOCK.name}
COPY . ./
USER nobody
ENTRYPOINT ["python"]
CMD ["-m", "handlers.task"]
"""
#: a log-in for the registry goes from one command to the other, and is in no argument
LOG_IN = "aws ecr get-login-password | docker login --username AWS --password-stdin ${IMAGE_REPOSITORY%%/*}"
BUILD = ["docker build --tag $IMAGE_REPOSITORY:$IMAGE_TAG .", "docker push $IMAGE_REPOSITORY:$IMAGE_TAG"]
#: images of the code before, for a deployment that is rolled back
KEPT = 2
#: and how long one may wait for a machine; the shortest that CodeBuild takes
BUILD_LIMIT, QUEUE_LIMIT = cdk.Duration.minutes(10), cdk.Duration.minutes(5)
PUSH = [
    "ecr:BatchCheckLayerAvailability",
    "ecr:BatchGetImage",
    "ecr:CompleteLayerUpload",
    "ecr:InitiateLayerUpload",
    "ecr:PutImage",
    "ecr:UploadLayerPart",
]
PULL = ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"]


class LoaderImage(Construct):
    """``uri`` names the image; ``project`` builds it; ``tag`` is looked for in ``repository``."""

    def __init__(self, scope: Construct, construct_id: str, *, storage: Storage) -> None:
        super().__init__(scope, construct_id)
        self._storage = storage
        self._files = asset(self, "Files", assemble_image)
        self.tag = self._files.asset_hash[:32]
        self.repository = ecr.Repository(
            self,
            "Repository",
            encryption=ecr.RepositoryEncryption.KMS if storage.key else ecr.RepositoryEncryption.AES_256,
            encryption_key=storage.key,
            image_scan_on_push=True,
            image_tag_mutability=ecr.TagMutability.IMMUTABLE,
            lifecycle_rules=[ecr.LifecycleRule(max_image_count=KEPT)],
            removal_policy=cdk.RemovalPolicy.DESTROY,
            empty_on_delete=True,
        )
        self.uri = f"{self.repository.repository_uri}:{self.tag}"
        self.project = self._project()

    def may_pull(self, role: iam.Role) -> None:
        allow(role, PULL, [self.repository.repository_arn])
        _may_log_in(role)

    def _project(self) -> codebuild.CfnProject:
        logs = self._storage.log_group(self, "BuildLogs")
        files = self._files
        does = "builds the image of loaders: fetches our code, pushes the image"
        fetch = {"Fetch": _fetching(files)}
        role = service_role(self, "BuildRole", "codebuild", does, inline_policies=fetch)
        allow(role, PUSH, [self.repository.repository_arn])
        allow(role, ["logs:CreateLogStream", "logs:PutLogEvents"], [logs.log_group_arn])
        _may_log_in(role)
        project = codebuild.CfnProject(
            self,
            "Project",
            description="builds the image of loaders that are tasks, when a run first needs it",
            service_role=role.role_arn,
            artifacts=codebuild.CfnProject.ArtifactsProperty(type="NO_ARTIFACTS"),
            source=codebuild.CfnProject.SourceProperty(
                type="S3",
                location=f"{files.s3_bucket_name}/{files.s3_object_key}",
                build_spec=json.dumps(_build_spec()),
            ),
            environment=codebuild.CfnProject.EnvironmentProperty(
                type="ARM_CONTAINER",
                compute_type="BUILD_GENERAL1_SMALL",
                image="aws/codebuild/amazonlinux-aarch64-standard:3.0",
                privileged_mode=True,
                environment_variables=[
                    codebuild.CfnProject.EnvironmentVariableProperty(name=name, value=value)
                    for name, value in {
                        "IMAGE_REPOSITORY": self.repository.repository_uri,
                        "IMAGE_TAG": self.tag,
                    }.items()
                ],
            ),
            logs_config=codebuild.CfnProject.LogsConfigProperty(
                cloud_watch_logs=codebuild.CfnProject.CloudWatchLogsConfigProperty(
                    status="ENABLED", group_name=logs.log_group_name
                )
            ),
            timeout_in_minutes=int(BUILD_LIMIT.to_minutes()),
            queued_timeout_in_minutes=int(QUEUE_LIMIT.to_minutes()),
        )
        project.node.add_dependency(role)
        why = "Docker's daemon builds it, and runs in the build's own container only where that is privileged"
        nothing = "a build keeps nothing but the image, which the repository encrypts: there are no artifacts"
        acknowledge(project, {"CB3": why, "CB4": nothing})
        return project


def assemble_image(folder: Path) -> None:
    """All that the image is made of."""
    assemble(folder)
    (folder / "Dockerfile").write_text(DOCKERFILE)
    (folder / LOCK.name).write_bytes(LOCK.read_bytes())


def _build_spec() -> dict[str, object]:
    phases = {"pre_build": {"commands": [LOG_IN]}, "build": {"commands": BUILD}}
    return {"version": "0.2", "phases": phases}


def _fetching(files: assets.Asset) -> iam.PolicyDocument:
    """The one object with our code, and where CodeBuild looks for it."""
    objects = files.bucket.arn_for_objects(files.s3_object_key)
    return iam.PolicyDocument(
        statements=[
            iam.PolicyStatement(actions=["s3:GetObject", "s3:GetObjectVersion"], resources=[objects]),
            iam.PolicyStatement(
                actions=["s3:GetBucketLocation", "s3:ListBucket"], resources=[files.bucket.bucket_arn]
            ),
        ]
    )


def _may_log_in(role: iam.Role) -> None:
    allow(role, ["ecr:GetAuthorizationToken"], ["*"])
    acknowledge(role, {"IAM5[Resource::*]": "ecr:GetAuthorizationToken names no resource: it is one for all"})
