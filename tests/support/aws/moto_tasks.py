"""What tasks of the simulated Fargate need around them, for the tests of patches and of tasks."""

from __future__ import annotations

from functools import cached_property

ROLE = "arn:aws:iam::123456789012:role/builder"


class Tasks:
    """A cluster, a repository, a project that builds into it, and task definitions of its images."""

    def __init__(self, moto):
        self.moto, self.name = moto, moto.name()
        self.ecs, self.ecr, self.builds, self.ec2 = (
            moto.aws.client(service) for service in ("ecs", "ecr", "codebuild", "ec2")
        )
        self.ecs.create_cluster(clusterName=self.name)
        made = self.ecr.create_repository(repositoryName=self.name, imageTagMutability="IMMUTABLE")
        self.repository = made["repository"]["repositoryUri"]

    def project(self, **variables):
        """A project; returns its name. Its source is under the key ``source.zip``."""
        variables = {"IMAGE_REPOSITORY": self.repository, "IMAGE_TAG": "t1", **variables}
        self.builds.create_project(
            name=(name := f"p{self.moto.name()}"),
            source={"type": "S3", "location": "assets/source.zip"},
            artifacts={"type": "NO_ARTIFACTS"},
            environment={
                "type": "ARM_CONTAINER",
                "image": "aws/codebuild/amazonlinux-aarch64-standard:3.0",
                "computeType": "BUILD_GENERAL1_SMALL",
                "environmentVariables": [{"name": k, "value": v} for k, v in variables.items()],
            },
            serviceRole=ROLE,
        )
        return name

    def definition(self, *command, **container):
        """Register a task definition of the image ``t1``; returns its ARN."""
        return self.ecs.register_task_definition(
            family=f"loader{self.moto.name()}",
            requiresCompatibilities=["FARGATE"],
            networkMode="awsvpc",
            cpu="1024",
            memory="2048",
            containerDefinitions=[
                {
                    "name": "loader",
                    "image": f"{self.repository}:t1",
                    "essential": True,
                    **({"command": list(command)} if command else {}),
                    **container,
                }
            ],
            tags=[{"key": "breakeven:owner", "value": "us"}],
        )["taskDefinition"]["taskDefinitionArn"]

    @cached_property
    def subnet(self):
        network = self.ec2.create_vpc(CidrBlock="10.1.0.0/24")["Vpc"]["VpcId"]
        self.ec2.modify_vpc_attribute(VpcId=network, EnableDnsHostnames={"Value": True})
        return self.ec2.create_subnet(VpcId=network, CidrBlock="10.1.0.0/26")["Subnet"]["SubnetId"]

    @property
    def network(self):
        return {"awsvpcConfiguration": {"subnets": [self.subnet], "securityGroups": ["sg-1"]}}

    def run(self, definition, **given):
        """Start a task by the API; returns its ARN."""
        return self.ecs.run_task(
            cluster=self.name,
            taskDefinition=definition,
            launchType="FARGATE",
            networkConfiguration=self.network,
            **given,
        )["tasks"][0]["taskArn"]

    def look(self, task):
        return self.ecs.describe_tasks(cluster=self.name, tasks=[task], include=["TAGS"])["tasks"][0]

    def state(self, definition, mode=".sync", **more):
        """A task state as the CDK writes it."""
        awsvpc = {"Subnets": [self.subnet], "SecurityGroups": ["sg-1"], "AssignPublicIp": "DISABLED"}
        return {
            "Type": "Task",
            "Resource": f"arn:aws:states:::ecs:runTask{mode}",
            "Parameters": {
                "Cluster": self.name,
                "TaskDefinition": definition,
                "LaunchType": "FARGATE",
                "NetworkConfiguration": {"AwsvpcConfiguration": awsvpc},
                "PropagateTags": "TASK_DEFINITION",
                "Tags": [{"Key": "breakeven:run", "Value.$": "$.run"}],
                "Overrides": {
                    "ContainerOverrides": [
                        {"Name": "loader", "Environment": [{"Name": "ORDER", "Value.$": "$.order"}]}
                    ]
                },
            },
            "End": True,
            **more,
        }

    def build(self, project, mode=".sync"):
        return {
            "Type": "Task",
            "Resource": f"arn:aws:states:::codebuild:startBuild{mode}",
            "Parameters": {"ProjectName": project},
            "End": True,
        }
