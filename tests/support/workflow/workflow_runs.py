"""The synthesized workflow with the real handlers and a real pair, and faults where they are wanted.

What stands for EC2 hands out a pair that runs already, and notes what was launched and terminated. Every run
has a state machine of its own, like the deployed one: runs of one machine exclude one another.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from breakeven.brokers.access import Access
from breakeven.installation import OWNER_TAG, Installation
from breakeven.report.contract.report_model import Report
from breakeven.results import layout
from breakeven.results.items import CASES, RUN
from breakeven.results.state import RunState
from breakeven.results.store import Store
from breakeven.workload.case import INLINE_LOADERS
from breakeven.workload.read import parse_suite, parse_yaml
from local.aws.amazon_mq_service import ManagedBrokers
from local.aws.control_plane import ControlPlane
from local.aws.ec2 import Launch
from local.aws.strict.certificates import Certificate
from local.aws.strict.front import Layer
from local.children import Children
from tests.support.aws.definition import STACK, states, template_of
from tests.support.aws.executions import wait_for
from tests.support.grants.roles import open_to

#: limit of a state that is to time out, seconds
SHORT_S = 4
#: longer than any function may take: it is killed before it does anything
SLEEP_S = 1000

SUITE = """
suite: one-case
title: One short case
targets: [rabbitmq-mirrored-pair]
instrument: false
warm_up: false
scenarios:
  parallel: {threads: 1, rate: 100, warmup_s: 0, measure_s: 1, drain_s: 60, message_size: 16B}
"""


#: what is no function of ours -> the resource of its states
SERVICES = {
    "Queries": "athena:startQueryExecution",
    "Notify": "sns:publish",
    "BuildImage": "codebuild:startBuild",
    "Task": "ecs:runTask",
    "Record": "dynamodb:updateItem",
}


def functions_of(entry: str) -> str:
    """The pattern of the names that the entry's functions have."""
    return rf"Functions{entry}(InVpc|Outside)?[0-9A-F]{{8}}"


@dataclass
class Fault:
    """``entry``: the function or service that fails; ``kind``: raise or timeout; ``told``: only with that."""

    entry: str
    kind: str
    given: dict[str, Any] = field(default_factory=dict)

    def hits(self, resource: str, given: Mapping[str, Any]) -> bool:
        """Whether a function of that name, or a task of that resource, is what fails of what it is told."""
        called = re.search(SERVICES.get(self.entry) or functions_of(self.entry), resource)
        return called is not None and self.given.items() <= given.items()


@dataclass
class Machines:
    """Hands out a pair that runs already; remembers each run's instances, and the secrets made for them."""

    access: Access
    plane: ControlPlane | None = None
    bucket: str = ""
    launched: dict[str, set[str]] = field(default_factory=dict)
    terminated: set[str] = field(default_factory=set)
    secrets: set[str] = field(default_factory=set)

    def launch(self, launch: Launch) -> None:
        if launch.tags[OWNER_TAG] != Installation().owner:
            return  # another installation's: its nodes register in its own bucket
        run_id, target = launch.tags["breakeven:run"], launch.tags["breakeven:target"]
        self.launched.setdefault(run_id, set()).update(launch.instance_ids)
        threading.Thread(target=self._register, args=(run_id, target, launch.instance_ids)).start()

    def stop(self, instance_ids: tuple[str, ...]) -> None:
        """The pair stays up: no case here measures it with a node down."""

    start = stop

    def terminate(self, instance_ids: tuple[str, ...]) -> None:
        self.terminated.update(instance_ids)

    def _register(self, run_id: str, target: str, ids: tuple[str, ...]) -> None:
        store = Store(self.plane.client("s3"), self.bucket)
        made = Access.model_validate(store.get_json(layout.access_key(run_id, target)))
        self.secrets |= {made.password, store.get_bytes(layout.cookie_key(run_id, target)).decode()}
        credentials = self.access.model_copy(update={"nodes": ()})
        store.put_secret(layout.access_key(run_id, target), credentials.model_dump_json())
        for instance, node in zip(ids, self.access.nodes, strict=True):
            key = f"{layout.nodes_prefix(run_id, target)}{instance}.json"
            store.put_bytes(key, node.model_dump_json().encode())


@dataclass
class Calls:
    """What is done to calls of functions. ``before``: called with the run's id and the function's name."""

    faults: dict[str, list[Fault]] = field(default_factory=dict)
    before: list[Callable[[str, str], None]] = field(default_factory=list)
    #: runs of which every call is made twice, one after the other; only the second's answer is heard
    twice: set[str] = field(default_factory=set)
    made: list[tuple[str, str]] = field(default_factory=list)
    plane: ControlPlane | None = None

    def on_invoke(self, function: str, event: Any) -> dict[str, Any] | None:
        # what the workflow calls has its run's id; the rule and the schedule have events of their own
        run_id = event.get("run_id") or event.get("state", {}).get("run_id", "")
        if run_id in self.twice:
            self._make_first(function, event)
        for look in self.before:
            look(run_id, function)
        for fault in self.faults.get(run_id, []):
            if fault.hits(function, event):
                return {"raise": "Injected"} if fault.kind == "raise" else {"sleep": SLEEP_S}
        return None

    def _make_first(self, function: str, event: Any) -> None:
        call = (function, json.dumps(event, sort_keys=True))
        self.made.append(call)
        if self.made.count(call) == 1:
            answer = self.plane.client("lambda").invoke(FunctionName=function, Payload=json.dumps(event))
            assert "FunctionError" not in answer, answer["Payload"].read()


@dataclass
class Workflow:
    """``outputs`` and ``template`` are the deployed stack's."""

    plane: ControlPlane
    outputs: dict[str, str]
    machines: Machines
    calls: Calls
    template: dict[str, Any]

    def run(self, run_id: str, *faults: Fault, **wanted: Any) -> str:
        """Run the suite with the faults to its end, on a machine of its own; the execution's status."""
        self.calls.faults[run_id] = list(faults)
        return self.end(self.start(run_id, self.machine(run_id, faults), **wanted))

    def report_of(self, run_id: str, suite: str | Mapping[str, Any]) -> Report:
        """Run that suite as on AWS, to its good end; its report.

        :param suite: its text, or what that parses to
        """
        parsed = parse_suite_text(suite) if isinstance(suite, str) else suite
        status = self.run(run_id, suite=parsed, surroundings={"name": "aws"})
        state = self.state(run_id)
        reasons = [case.get("reason") for case in state.items(CASES).values()]
        assert (status, state.get(RUN)["status"]) == ("SUCCEEDED", "ok"), reasons
        return Report.model_validate(self.store().get_json(layout.report_key(run_id, "report.json")))

    def start(self, run_id: str, machine: str | None = None, **wanted: Any) -> str:
        """Start the suite on the deployed state machine, or on this one; returns the execution's ARN.

        :param wanted: what the execution's input has otherwise, such as another suite
        """
        given = {"suite": parse_suite_text(SUITE), "surroundings": {"name": "local"}, **wanted}
        return self.plane.start(machine or self.outputs["StateMachineArn"], given, name=run_id)

    def call(self, entry: str, event: dict[str, Any]) -> None:
        """Call a function of the stack with the event that AWS would send; AssertionError if it fails."""
        api = self.plane.client("lambda")
        (name,) = [
            function["FunctionName"]
            for page in api.get_paginator("list_functions").paginate()
            for function in page["Functions"]
            if function["Handler"].endswith(f".{entry}.handler")
        ]
        answer = api.invoke(FunctionName=name, Payload=json.dumps(event))
        assert "FunctionError" not in answer, answer["Payload"].read().decode()

    def end(self, execution: str) -> str:
        """The execution's status, once it has ended."""
        return str(wait_for(self.plane, execution)["status"])

    def machine(self, run_id: str, faults: Sequence[Fault] = (), inline: int = INLINE_LOADERS) -> str:
        """A state machine like the deployed one, with short limits where a time-out is wanted.

        :param inline: of how many loaders the inline map runs a case; more are run by the distributed one
        """
        api = self.plane.client("stepfunctions")
        deployed = api.describe_state_machine(stateMachineArn=self.outputs["StateMachineArn"])
        index = f"$.case.loaders[{INLINE_LOADERS}]"
        assert index in deployed["definition"]
        definition = shortened(deployed["definition"].replace(index, f"$.case.loaders[{inline}]"), faults)
        definition = looked_at_often(definition)
        made = api.create_state_machine(name=run_id, definition=definition, roleArn=deployed["roleArn"])
        open_to(self.plane, self.outputs["StateMachineArn"], made["stateMachineArn"])
        return str(made["stateMachineArn"])

    def state(self, run_id: str) -> RunState:
        return RunState(self.plane.resource("dynamodb").Table(self.outputs["StateTableName"]), run_id)

    def store(self) -> Store:
        return Store(self.plane.client("s3"), self.outputs["BucketName"])


def parse_suite_text(text: str) -> dict[str, Any]:
    return parse_suite(parse_yaml(text.encode(), "test"), "test").document()


def shortened(definition: str, faults: Sequence[Fault]) -> str:
    """The definition with short waits at each state that is to fail, and a short limit for a time-out."""
    tree = json.loads(definition)
    for fault in faults:
        hit = [
            state
            for state in states(tree).values()
            if fault.hits(state.get("Resource", ""), state.get("Parameters", {}))
        ]
        assert hit, fault.entry
        for state in hit:
            for retrier in filter(waits_longer_each_time, state.get("Retry", [])):
                retrier["MaxDelaySeconds"] = max(1, retrier["IntervalSeconds"])
            if fault.kind == "timeout":
                state.pop("TimeoutSecondsPath", None)  # of a task, which has one or the other
                state["TimeoutSeconds"] = SHORT_S
    return json.dumps(tree)


def waits_longer_each_time(retrier: Mapping[str, Any]) -> bool:
    """Whether a fault would make it: one retry waits no longer than the first, and no fault is of Lambda's
    own errors. Definitions that are left alone are one, and a definition takes a second to parse.
    """
    is_lambdas = all(error.startswith("Lambda.") for error in retrier["ErrorEquals"])
    return retrier["MaxAttempts"] > 1 and not is_lambdas


def looked_at_often(definition: str) -> str:
    """The definition with images, and brokers of Amazon MQ, looked for each second, and metrics after one."""
    waits = "AwaitImages|AwaitMetrics|BrokerAwaitBroker|BrokerAwaitRelease"
    return re.sub(rf'("(?:{waits})":\s*\{{[^}}]*"Seconds":\s*)\d+', r"\g<1>1", definition)


@contextmanager
def workflow_at(
    assembly: Path,
    pair: Access,
    sqs_endpoint: str | None,
    folder: Path,
    layers: Iterable[Layer] = (),
    certificate: Certificate | None = None,
    *,
    baked: bool = True,
    machines: Machines | None = None,
    brokers: ManagedBrokers | None = None,
    env: Mapping[str, str] | None = None,
) -> Iterator[Workflow]:
    """The assembly's stack, deployed in a control plane of its own.

    :param sqs_endpoint: where SQS answers; None for the control plane itself
    :param layers: of the control plane
    :param certificate: of the control plane, and of ``sqs_endpoint``, where both speak TLS
    :param baked: the brokers' image is there, as if an earlier run had made it
    :param machines: what instances stand for, where they are more than the pair
    :param brokers: what brokers of Amazon MQ stand for
    :param env: of the functions' processes, beside what the template declares
    """
    machines, calls = machines or Machines(pair), Calls()
    with (
        Children() as children,
        ControlPlane(
            children=children,
            cloud_assembly=assembly,
            machines=machines,
            env=env or {},
            sqs_endpoint=sqs_endpoint,
            log_dir=folder / "logs",
            on_invoke=calls.on_invoke,
            layers=layers,
            certificate=certificate,
            brokers=brokers,
        ) as plane,
    ):
        outputs = plane.deploy(STACK)
        if baked:
            plane.have_images()
        machines.plane, machines.bucket = plane, outputs["BucketName"]
        calls.plane = plane
        yield Workflow(plane, outputs, machines, calls, template_of(assembly))
