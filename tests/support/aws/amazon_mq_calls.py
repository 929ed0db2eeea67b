"""Amazon MQ as far as steps call it, by hand: states that a test sets, and answers that are lost."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import ClientError

from breakeven.steps.lane.create_broker import ManagedPlace, create_broker
from breakeven.workload.machines import Machines

CLUSTER, SINGLE = "amazon-mq-cluster", "amazon-mq-single"
PLACE = ManagedPlace(("subnet-a", "subnet-b"), "sg-1")
HOST = "b-1.mq.us-east-1.on.aws"


def machines(target: str) -> Machines:
    nodes = 3 if target == CLUSTER else 1
    return Machines(
        instance_type="mq.m7g.large",
        service="amazonmq",
        architecture="arm64",
        vcpu=2,
        volume_gb=15,
        nodes=nodes,
    )


class Mq:
    """The service as far as it is called. ``lost``: so many answers of CreateBroker do not arrive."""

    def __init__(self, lost: int = 0) -> None:
        self.brokers: dict[str, dict[str, Any]] = {}
        self.asked: list[dict[str, Any]] = []
        self.deleted: list[str] = []
        self._lost = lost
        self.refusal: str | None = None
        self.unknown = "NotFoundException"
        self.configurations: list[dict[str, Any]] = []

    class meta:
        region_name = "us-east-1"

    def create_broker(self, **given: Any) -> Any:
        self.asked.append(given)
        if self.refusal:
            raise error("BadRequestException", self.refusal)
        if any(each["BrokerName"] == given["BrokerName"] for each in self.brokers.values()):
            raise error("ConflictException", f"Broker name [{given['BrokerName']}] is in use.")
        broker_id = f"b-{len(self.brokers) + 1}"
        self.brokers[broker_id] = {
            "BrokerId": broker_id,
            "BrokerName": given["BrokerName"],
            "BrokerState": "CREATION_IN_PROGRESS",
            "Created": datetime.now(UTC),
            "Tags": given["Tags"],
        }
        made = {"Id": f"c-{broker_id}", "Name": f"{given['BrokerName']}-configuration"}
        self.configurations.append({**made, "Created": datetime.now(UTC)})
        if self._lost:
            self._lost -= 1
            raise ConnectionError("lost")
        return {"BrokerId": broker_id}

    def runs(self, broker_id: str = "b-1", state: str = "RUNNING") -> None:
        instance = {"ConsoleURL": f"https://{HOST}", "Endpoints": [f"amqps://{HOST}:5671"]}
        self.brokers[broker_id] |= {"BrokerState": state, "BrokerInstances": [instance]}

    def describe_broker(self, BrokerId: str) -> Any:
        if BrokerId not in self.brokers:
            raise error(self.unknown, BrokerId)
        return self.brokers[BrokerId]

    def delete_broker(self, BrokerId: str) -> Any:
        state = self.describe_broker(BrokerId)["BrokerState"]
        if state in {"CREATION_IN_PROGRESS", "DELETION_IN_PROGRESS"}:
            raise error("BadRequestException", f"can't be deleted while in state [{state}]")
        self.deleted.append(BrokerId)
        self.brokers[BrokerId]["BrokerState"] = "DELETION_IN_PROGRESS"

    def list_configurations(self, MaxResults: int, NextToken: str = "0") -> Any:
        """One a page, so that pages are turned."""
        assert MaxResults <= 100
        at = int(NextToken)
        page = {"Configurations": self.configurations[at : at + 1]}
        return page | ({"NextToken": str(at + 1)} if at + 1 < len(self.configurations) else {})

    def delete_configuration(self, ConfigurationId: str) -> Any:
        (found,) = [each for each in self.configurations if each["Id"] == ConfigurationId]
        if any(found["Name"].startswith(each["BrokerName"]) for each in self.brokers.values()):
            raise error("ConflictException", f"Configuration [{ConfigurationId}] is in use.")
        self.configurations.remove(found)

    def get_paginator(self, name: str) -> Any:
        assert name == "list_brokers"
        return self

    def paginate(self, **_: Any) -> Any:
        yield {"BrokerSummaries": list(self.brokers.values())}


def error(code: str, message: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": message}}, "any")


class Ec2:
    """Knows no instance."""

    def get_paginator(self, _: str) -> Any:
        return self

    def paginate(self, **_: Any) -> Any:
        return iter(())


def step(services, mq, run_id="run-1", target=CLUSTER) -> bool:
    return create_broker(services, mq, PLACE, run_id, target, machines(target))
