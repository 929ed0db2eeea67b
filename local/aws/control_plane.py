"""The AWS control plane on this machine: an unmodified synthesized stack, deployed and run in this process.

One server on a loopback port answers for every service: to the state machine's own tasks, to boto3 in the
functions' processes, and to the command line's. Nothing here can reach a real endpoint.
"""

from __future__ import annotations

import json
import logging
import secrets
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Self

from moto.core import DEFAULT_ACCOUNT_ID
from moto.moto_api._internal.models import moto_api_backend
from moto.moto_server import threaded_moto_server
from moto.server import ThreadedMotoServer
from moto.stepfunctions.parser.models import stepfunctions_parser_backends
from moto.stepfunctions.parser.utils import TMP_THREADS
from werkzeug.serving import make_server

from local.aws import athena_service, cloudformation, ec2
from local.aws.amazon_mq_service import AmazonMq, ManagedBrokers
from local.aws.boto import Aws, bound_environment, environment
from local.aws.cloudwatch_service import answer_metrics
from local.aws.ec2 import Builders, Machines, have_images
from local.aws.functions.lambda_process import Host
from local.aws.functions.lambda_runtime import LambdaRuntime, OnInvoke
from local.aws.patches.moto_patches import applied
from local.aws.resource_types import DeployError
from local.aws.strict import front
from local.aws.strict.admission import Admission
from local.aws.strict.certificates import Certificate
from local.aws.strict.front import Layer
from local.aws.strict.permissions.account_quotas import ESTABLISHED, AccountLayer, SimulatedAccount
from local.aws.strict.permissions.authorization import Authorization
from local.aws.strict.permissions.roles import Roles
from local.aws.strict.queue_server import QueueServer
from local.aws.strict.service_limits import check_limits
from local.aws.strict.shapes import check_shapes
from local.aws.swaps import Swaps
from local.aws.tasks.ecs import TaskRuntime
from local.aws.tasks.task_images import TaskImages
from local.cdk.assembly import StackArtifact, read_stack
from local.children import Children

#: how long ``close`` waits for executions to notice that they were stopped
CLOSE_LIMIT_S = 5.0
_the_one_open = threading.Lock()
#: logger -> what is kept of what it says; the last one prints a whole definition for each state that fails
_LOGGERS = {
    "moto": logging.WARNING,
    "werkzeug": logging.WARNING,
    "botocore": logging.WARNING,
    "urllib3": logging.WARNING,
    "moto.stepfunctions.parser.asl.component.eval_component": logging.CRITICAL,
}


class ControlPlane:
    """A context manager, or ``open`` and ``close``. One at a time in a process: moto's state is global.

    :param cloud_assembly: the folder that the CDK app was synthesized to
    :param machines: what launching and terminating instances reaches
    :param env: more variables for the functions' processes; they win over what the template declares
    :param log_dir: gets a log for each function and one, ``control-plane.log``, for moto
    :param on_invoke: for tests, see ``local.aws.functions.lambda_runtime.Fault``
    :param layers: what requests pass before this plane's own layers, see ``local/aws/strict/front.py``
    :param sqs_endpoint: of the server that stands for SQS; None for the control plane itself
    :param account: its plan and quotas
    :param brokers: what creating and deleting brokers of Amazon MQ reaches; None: none ever runs
    :param certificate: of its server, which then speaks TLS; all that it starts trusts no other
    """

    def __init__(
        self,
        *,
        children: Children,
        cloud_assembly: Path,
        machines: Machines,
        env: Mapping[str, str],
        log_dir: Path,
        region: str = "us-east-1",
        on_invoke: OnInvoke | None = None,
        layers: Iterable[Layer] = (),
        sqs_endpoint: str | None = None,
        account: SimulatedAccount = ESTABLISHED,
        brokers: ManagedBrokers | None = None,
        certificate: Certificate | None = None,
    ) -> None:
        self._children, self._assembly, self._machines = children, cloud_assembly, machines
        self._env, self._log_dir, self._region, self._on_invoke = env, log_dir, region, on_invoke
        self._roles = Roles(region)
        own: list[Layer] = [
            *(Authorization(self._roles), check_shapes, check_limits, AccountLayer(account)),
            *(AmazonMq(brokers), answer_metrics),
        ]
        self._token = secrets.token_urlsafe(32)
        self._layers: list[Layer] = [Admission(self._token), *layers, *own]
        self._queues = QueueServer(sqs_endpoint, self._roles, region) if sqs_endpoint else None
        if self._queues:
            self._layers.append(self._queues)
        self._certificate = certificate
        #: what images are made of here
        self.builders = Builders()
        self._opened = ExitStack()
        self._stack: StackArtifact | None = None

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> Self:
        """:raises RuntimeError: another one is open in this process"""
        if not _the_one_open.acquire(blocking=False):
            raise RuntimeError("a control plane is open in this process already")
        with ExitStack() as opening:
            opening.callback(_the_one_open.release)
            scratch = self._children.make_dir(Path(tempfile.gettempdir()), "breakeven-aws-")
            opening.callback(self._children.remove_dir, scratch)
            self._log_dir.mkdir(parents=True, exist_ok=True)
            opening.callback(_log_to(self._log_dir / "control-plane.log"))
            moto_api_backend.reset()
            opening.callback(moto_api_backend.reset)
            variables = environment(_serve(opening, self._certificate), self._region, self._token)
            if self._certificate:
                variables |= self._certificate.trusted()
            opening.enter_context(bound_environment(variables))
            self._aws = Aws(variables["AWS_ENDPOINT_URL"], self._region)
            swaps = opening.enter_context(applied(self._aws))
            front.install(swaps, self._layers)
            own = self._queues.variables if self._queues else None
            host = Host(self._children, {**variables, **self._env}, self._log_dir, scratch, own)
            self._lambda = LambdaRuntime(host, self._task_root, self._on_invoke)
            self._lambda.install(swaps)
            images = TaskImages(self._task_root)
            images.install(swaps)
            self._tasks = TaskRuntime(host, images)
            self._tasks.install(swaps)
            athena_service.install(swaps, scratch / "objects")
            ec2.install(swaps, self._machines, self.builders)
            opening.callback(self._quiesce)
            self._opened = opening.pop_all()
        return self

    def close(self) -> None:
        """Stop executions, functions and server, in bounded time whatever they are doing. Idempotent."""
        self._opened.close()

    def deploy(self, stack_name: str, assembly: Path | None = None) -> dict[str, str]:
        """Create a stack as it was synthesized, or update it to that; returns its outputs.

        :param assembly: another than the plane's own
        :raises BreakevenError: there is no such stack, or a resource cannot be created or updated
        """
        self._stack = read_stack(assembly or self._assembly, stack_name)
        outputs = cloudformation.deploy(self._aws, stack_name, self._stack)
        self._roles.forget()
        return outputs

    def have_images(self) -> None:
        """Have the images that runs of the deployed stack would bake, as if an earlier one had."""
        have_images(self._region)

    @property
    def endpoint(self) -> str:
        return self._aws.endpoint

    def client(self, service: str) -> Any:
        """boto3's client, bound to this control plane. Safe to share by threads."""
        return self._aws.client(service)

    def resource(self, service: str) -> Any:
        """boto3's resource, for one thread at a time."""
        return self._aws.resource(service)

    def start(self, state_machine_arn: str, execution_input: Any, name: str | None = None) -> str:
        """Start an execution; returns its ARN."""
        answer = self.client("stepfunctions").start_execution(
            stateMachineArn=state_machine_arn,
            name=name or str(uuid.uuid4()),
            input=json.dumps(execution_input),
        )
        return str(answer["executionArn"])

    def status(self, execution_arn: str) -> str:
        """RUNNING, SUCCEEDED, FAILED, TIMED_OUT or ABORTED."""
        return str(self.describe(execution_arn)["status"])

    def describe(self, execution_arn: str) -> dict[str, Any]:
        """What DescribeExecution answers."""
        found: dict[str, Any] = self.client("stepfunctions").describe_execution(executionArn=execution_arn)
        return found

    def stop(self, execution_arn: str) -> None:
        """Abort an execution: no further state is entered. As on AWS, a function under way goes on."""
        self.client("stepfunctions").stop_execution(executionArn=execution_arn)

    def _task_root(self, key: str) -> Path:
        if self._stack is None:
            raise DeployError("no stack is deployed")
        return self._stack.folder(key)

    def _quiesce(self) -> None:
        """Nothing of an execution may outlive the server and the patches that keep it on this machine."""
        running = [
            execution
            for machine in stepfunctions_parser_backends[DEFAULT_ACCOUNT_ID][self._region].state_machines
            for execution in machine.executions
            if execution.status == "RUNNING"
        ]
        for execution in running:
            execution.stop(stop_date=datetime.now(UTC), error=None, cause=None)
        self._lambda.close()
        self._tasks.close()
        deadline = time.monotonic() + CLOSE_LIMIT_S
        for thread in list(TMP_THREADS):
            thread.join(max(0.0, deadline - time.monotonic()))
        TMP_THREADS.clear()


def _serve(opening: ExitStack, certificate: Certificate | None) -> str:
    """Start moto's server on a free loopback port; returns its address."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    with Swaps() as swaps:
        if certificate:
            over_tls = partial(make_server, ssl_context=certificate.server())
            swaps.attribute(threaded_moto_server, "make_server", over_tls)
        server.start()
    opening.callback(server.stop)
    host, port = server.get_host_and_port()
    return f"{'https' if certificate else 'http'}://{host}:{port}"


def _log_to(path: Path) -> Callable[[], None]:
    """Send what moto and its server say to a file, not to the terminal; returns what undoes it."""
    handler = logging.FileHandler(path, delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
    loggers = {logging.getLogger(name): level for name, level in _LOGGERS.items()}
    before = [(logger, logger.level, logger.propagate) for logger in loggers]
    for logger, level in loggers.items():
        logger.addHandler(handler)
        logger.setLevel(level)
        logger.propagate = False

    def undo() -> None:
        for logger, level, propagate in before:
            logger.removeHandler(handler)
            logger.setLevel(level)
            logger.propagate = propagate
        handler.close()

    return undo
