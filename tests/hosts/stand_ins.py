"""AWS as hosts of our own see it: the metadata service at its address, and S3 and others over TLS at theirs.

Run as a program, it serves them; all that it serves is in its own memory.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from http.server import ThreadingHTTPServer
from pathlib import Path

import boto3
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

from tests.hosts.lan import NoHosts
from tests.hosts.metadata import Answering, instance_data
from tests.support.scripted.certificates import make_certificate_of_names

ROOT = Path(__file__).parents[2]
REGION = "eu-west-1"
#: RFC 5737's addresses for examples
AWS_ADDRESSES = {
    "s3": "192.0.2.10",
    "dynamodb": "192.0.2.20",
    "sqs": "198.51.100.30",
    "sts": "198.51.100.40",
}
METADATA = ("169.254.169.254", 80)
PLAIN_PORT = 5080


class Services:
    """The process that serves, from outside.

    :param folder: for its certificate, and for what it is to say of instances
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self.trusted = folder, folder / "aws.pem"
        self._instances = folder / "instances"
        self._instances.mkdir()
        names = [name for service in AWS_ADDRESSES for name in _names(service)]
        certificate, key = make_certificate_of_names(names)
        self.trusted.write_text(certificate)
        (folder / "aws.key").write_text(key)

    def start(self, inside: list[str], address: str) -> None:
        """:param inside: words that run a command where it is to serve
        :param address: where it answers this machine, too, without TLS
        """
        words = ["env", f"PYTHONPATH={ROOT}:{ROOT / 'functions'}", sys.executable, "-m", __name__]
        log = (self._folder / "services.log").open("w")
        self._process = subprocess.Popen(
            [*inside, *words, str(self._folder), address],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            cwd=ROOT,
        )
        assert self._process.stdout
        if self._process.stdout.readline() != "ready\n":
            raise NoHosts(f"AWS's stand-ins do not start: {(self._folder / 'services.log').read_text()}")
        self.endpoint = f"http://{address}:{PLAIN_PORT}"

    def register(self, address: str, instance: str) -> None:
        path = self._instances / address
        path.with_suffix(".new").write_text(instance)
        path.with_suffix(".new").rename(path)

    def client(self, service: str):  # type: ignore[no-untyped-def]  # boto3 has no types of its own
        keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
        return boto3.client(service, endpoint_url=self.endpoint, region_name=REGION, **keys)


def _names(service: str) -> list[str]:
    name = f"{service}.{REGION}.amazonaws.com"
    return [name, f"*.{name}"]


class _Metadata(ThreadingHTTPServer):
    daemon_threads = True
    instances: Path

    def answers_for(self, address: str) -> Mapping[str, str]:
        """Path -> answer, for the instance at that address."""
        path = self.instances / address
        if not path.exists():
            return {}
        instance = json.loads(path.read_text())
        return instance_data(
            instance["id"],
            address,
            REGION,
            instance["card"],
            instance["tags"],
            instance["user_data"],
        )


def main(folder: Path, address: str) -> None:
    os.environ.setdefault("MOTO_ENABLE_ISO_REGIONS", "false")
    app = DomainDispatcherApplication(create_backend_app)
    tls = (str(folder / "aws.pem"), str(folder / "aws.key"))
    servers = [make_server("0.0.0.0", 443, app, threaded=True, ssl_context=tls)]  # its own network
    servers.append(make_server(address, PLAIN_PORT, app, threaded=True))
    metadata = _Metadata(METADATA, Answering)
    metadata.instances = folder / "instances"
    for server in (*servers, metadata):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print("ready", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
