"""A server that stands for Amazon SQS on this machine: ElasticMQ, or moto's where there is no Java."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import uuid
from contextlib import closing, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import boto3
import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from breakeven.clients.base import CallFailed, ConnectionLost
from breakeven.clients.sqs.client import SqsClient
from breakeven.errors import BreakevenError, InputError
from breakeven.planning.workload_settings import workload_of
from local.children import SERVER_NICENESS, Children, how_busy, last_lines
from local.ports import LOOPBACK, PortTaken, answers, free_ports, is_port_taken, start_on_free_ports

#: where the set-up puts ElasticMQ's jars
JARS = Path(__file__).parents[2] / ".cache" / "elasticmq" / "lib"
MAIN_JAR = "elasticmq-server_2.13-*.jar"
ENDPOINT_OPTION = "--sqs-endpoint"
START_DEADLINE_S = 180.0
STOP_GRACE_S = 2.0
LOOK_EVERY_S = 0.1
MIB = 1024 * 1024
#: messages, each of three calls: the first compiler takes what was called 200 times
WARMING = 800
#: code is compiled once, soon: with the second compiler the same case came to 1,300 messages a second at
#: first and to 3,000 after a minute of work; without it to 1,000 from the first case on. See
#: docs/decisions/0030-lanes-are-warmed-by-a-step.md
COMPILED_ONCE = "-XX:TieredStopAtLevel=1"
#: what shows that it answers, whatever it says
REQUEST = b"GET /?Action=ListQueues HTTP/1.1\r\nHost: localhost\r\n\r\n"

CONFIGURATION = """\
include classpath("application.conf")
node-address {{ protocol = http, host = "{host}", port = {port}, context-path = "" }}
rest-sqs {{ enabled = true, bind-hostname = "{host}", bind-port = {port}, sqs-limits = strict }}
rest-stats {{ enabled = false }}
aws {{ region = "us-east-1", accountId = "123456789012" }}
"""


def check_sqs_endpoint(url: str) -> None:
    """Try out the server that ``--sqs-endpoint`` names, before anything is started.

    :raises InputError: it is not an HTTP address, or what is there does not speak SQS
    """
    try:
        parts = urlsplit(url)
        beside = (parts.username, parts.password, parts.query, parts.fragment)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0 or any(beside):
            raise ValueError
        sqs = client_of(url)
    except ValueError:
        shown = url.rpartition("@")[2]  # no password is printed
        raise InputError(
            ENDPOINT_OPTION, "url", shown, "expected http://host:port, or https://host:port"
        ) from None
    try:
        sqs.list_queues(MaxResults=1)
        _check_is_sqs(sqs)
    except (BotoCoreError, ClientError, ResponseParserError, TypeError, AttributeError) as error:
        said = str(error).partition("<")[0].strip(" :\n")  # a web server's answer is a page
        raise InputError(
            ENDPOINT_OPTION, "url", url, f"nothing there speaks SQS ({said}): is it running?"
        ) from None
    finally:
        sqs.close()


def _check_is_sqs(sqs: Any) -> None:
    """A web server may answer whatever it is asked with a page; only SQS knows that there is no such queue.

    :raises ClientError: it refuses to answer
    :raises ResponseParserError: it does not know
    """
    try:
        sqs.get_queue_url(QueueName=f"none-{uuid.uuid4().hex}")
    except ClientError as error:
        if re.search("NonExistentQueue|QueueDoesNotExist", error.response["Error"]["Code"]):
            return
        raise
    raise ResponseParserError("it knows a queue that there cannot be")


def client_of(url: str) -> Any:
    """:raises ValueError: boto3 takes no such address"""
    # of no profile of the user's: one that is set and not there would be an error
    core = botocore.session.Session(session_vars={"profile": (None, None, None, None)})
    return boto3.Session(botocore_session=core).client(
        "sqs",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",  # noqa: S106  # a stand-in asks for some, and believes any
        config=Config(connect_timeout=5, read_timeout=10, retries={"total_max_attempts": 1}, proxies={}),
    )


class SqsServer:
    """``endpoint`` is its URL once ``start`` has returned; ``name`` says what it is, for every report."""

    def __init__(
        self,
        children: Children,
        workdir: Path,
        jars: Path = JARS,
        *,
        is_steady: bool = True,
        niceness: int = SERVER_NICENESS,
    ) -> None:
        """
        :param workdir: where its folder is made, and removed again by ``stop``
        :param jars: ElasticMQ and what it needs
        :param is_steady: as fast in its first minute as ever; otherwise it becomes up to three times faster
        :param niceness: what it leaves to others
        """
        self._options = [COMPILED_ONCE] if is_steady else []
        self._children, self._workdir, self._jars = children, workdir, jars
        self._niceness = niceness
        self._java = shutil.which("java")
        self._folder: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self.endpoint = ""
        #: it is moto's, far slower, and said so wherever the server is named
        self.is_fallback = self._java is None or not any(jars.glob(MAIN_JAR))
        self.name = self._name()

    def start(self) -> str:
        """Start it and wait until it answers; returns the endpoint.

        :raises BreakevenError: it ended, or did not answer in time
        """
        start_on_free_ports(self._start, self.stop)
        return self.endpoint

    def warm_up(self, messages: int = WARMING) -> None:
        """Have it compile the code of a case's calls, on a queue of its own: in its first second it is five
        times slower than later. A server that fails meanwhile fails the cases, which say so.
        """
        sqs = client_of(self.endpoint)
        with suppress(BotoCoreError, ClientError, ConnectionLost, CallFailed):
            queue = sqs.create_queue(QueueName=f"warm-up-{uuid.uuid4().hex}")["QueueUrl"]
            client = SqsClient(
                workload_of({"mode": "parallel", "producers": 1, "consumers": 1}), self.endpoint
            )
            with closing(client):
                sender, receiver = client.sender(queue), client.receiver(queue)
                for number in range(messages):
                    sender.submit([number], [(b"%016d" % number).ljust(1024, b".")])
                    receiver.settle(receiver.receive(1.0).handle)
            sqs.delete_queue(QueueUrl=queue)
        sqs.close()

    @property
    def process_id(self) -> int | None:
        """None: it does not run."""
        return self._process.pid if self._process else None

    def stop(self) -> None:
        """End it and remove its folder. Idempotent."""
        process, self._process = self._process, None
        if process is not None:
            self._children.stop(process, STOP_GRACE_S)
        folder, self._folder = self._folder, None
        if folder is not None:
            self._children.remove_dir(folder)

    def _start(self) -> None:
        self._folder = self._children.make_dir(self._workdir, "sqs-")
        (port,) = free_ports(1)
        output = self._folder / "output"
        with output.open("wb") as file:
            self._process = self._children.spawn(
                self._moto(port) if self.is_fallback else self._elasticmq(self._folder, port),
                env={name: os.environ[name] for name in ("PATH", "HOME", "JAVA_HOME") if name in os.environ},
                cwd=self._folder,
                stdout=file,
                stderr=subprocess.STDOUT,
                niceness=self._niceness,
                name=self.name,
            )
        self._wait_until_it_answers(self._process, port, output)
        self.endpoint = f"http://{LOOPBACK}:{port}"

    def _elasticmq(self, folder: Path, port: int) -> list[str]:
        path = folder / "elasticmq.conf"
        path.write_text(CONFIGURATION.format(host=LOOPBACK, port=port))
        return [
            str(self._java),
            *self._options,
            f"-Xmx{_heap_mib()}m",
            f"-Dconfig.file={path}",
            "-classpath",
            f"{self._jars}/*",
            "org.elasticmq.server.Main",
        ]

    def _moto(self, port: int) -> list[str]:
        return [sys.executable, "-m", "moto.server", "-H", LOOPBACK, "-p", str(port)]

    def _wait_until_it_answers(self, process: subprocess.Popen[bytes], port: int, output: Path) -> None:
        deadline = time.monotonic() + START_DEADLINE_S
        while not answers(port, REQUEST):
            if process.poll() is not None:
                said = last_lines(output)
                kind = PortTaken if is_port_taken(said) else BreakevenError
                raise kind(f"{self.name} ended while it was starting:\n{said}")
            if time.monotonic() > deadline:
                raise BreakevenError(
                    f"{self.name} did not answer within {START_DEADLINE_S:g} s{how_busy()}; it said:\n"
                    f"{last_lines(output)}"
                )
            time.sleep(LOOK_EVERY_S)

    def _name(self) -> str:
        if self.is_fallback:
            missing = "ElasticMQ is not installed" if self._java else "no Java runtime"
            return f"moto {version('moto')} (fallback: {missing})"
        jar = next(self._jars.glob(MAIN_JAR))
        return f"ElasticMQ {jar.stem.rpartition('-')[2]}"


def _heap_mib() -> int:
    """A quarter of the host's memory, 512 MiB to 4 GiB: what is queued stays in memory."""
    host_mib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // MIB
    return min(4096, max(512, host_mib // 4))
