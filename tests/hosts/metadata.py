"""What EC2's metadata service answers an instance: EC2 User Guide, "Instance metadata categories"."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import Protocol

TOKEN = "a-session-of-the-metadata-service"
ROLE = "meta-data/iam/security-credentials/"
#: `latest`, or a date: all say the same here
VERSION = re.compile(r"^/(latest|\d{4}-\d\d-\d\d|1\.0)/")


class MetadataSource(Protocol):
    def answers_for(self, address: str) -> Mapping[str, str]:
        """Path -> answer, for the instance at that address."""
        ...


class Answering(BaseHTTPRequestHandler):
    """Its server is ``Told``. Only IMDSv2: without a session's token everything is refused."""

    def do_PUT(self) -> None:
        known = self.path == "/latest/api/token"
        self._answer(200 if known else 404, TOKEN if known else "")

    def do_GET(self) -> None:
        if self.headers["X-aws-ec2-metadata-token"] != TOKEN:
            self._answer(401, "")
            return
        server: MetadataSource = self.server  # type: ignore[assignment]
        answers = server.answers_for(self.client_address[0])
        path = VERSION.sub("", self.path)
        found = answers.get(path) if path in answers else _listing(answers, path)
        self._answer(404 if found is None else 200, found or "")

    def _answer(self, status: int, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-aws-ec2-metadata-token-ttl-seconds", "300")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Nobody reads it."""


def _listing(answers: Mapping[str, str], path: str) -> str | None:
    """What is below a path, one name a line; a name that has something below it ends in a slash."""
    folder = path.rstrip("/") + "/"
    below = [name.removeprefix(folder) for name in answers if name.startswith(folder)]
    names = {name.split("/")[0] + ("/" if "/" in name else "") for name in below}
    return "\n".join(sorted(names)) if names else None


def instance_data(
    instance: str, address: str, region: str, card: str, tags: Mapping[str, str], user_data: str | None
) -> dict[str, str]:
    """Path -> answer.

    :param card: hardware address of its interface
    :param tags: without ``breakeven:``
    """
    name = f"ip-{address.replace('.', '-')}.{region}.compute.internal"
    interface = f"meta-data/network/interfaces/macs/{card}/"
    document = {
        "instanceId": instance,
        "region": region,
        "availabilityZone": f"{region}a",
        "privateIp": address,
    }
    answers = {
        "meta-data/ami-id": "ami-0123456789abcdef0",
        "meta-data/instance-id": instance,
        "meta-data/instance-type": "m6g.large",
        "meta-data/hostname": name,
        "meta-data/local-hostname": name,
        "meta-data/local-ipv4": address,
        "meta-data/mac": card,
        "meta-data/placement/region": region,
        "meta-data/placement/availability-zone": f"{region}a",
        "meta-data/services/domain": "amazonaws.com",
        "meta-data/services/partition": "aws",
        f"{interface}device-number": "0",
        f"{interface}local-ipv4s": address,
        f"{interface}mac": card,
        f"{interface}subnet-ipv4-cidr-block": f"{address.rpartition('.')[0]}.0/24",
        "dynamic/instance-identity/document": json.dumps(document),
        ROLE.rstrip("/"): "node",
        f"{ROLE}": "node",
        f"{ROLE}node": json.dumps(_credentials()),
        **{f"meta-data/tags/instance/breakeven:{tag}": value for tag, value in tags.items()},
    }
    return answers | ({"user-data": user_data} if user_data is not None else {})


def _credentials() -> dict[str, str]:
    until = datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=1)
    keys = {"Code": "Success", "Type": "AWS-HMAC", "AccessKeyId": "AKIATEST", "SecretAccessKey": "test"}
    return keys | {"Token": "test", "Expiration": f"{until:%Y-%m-%dT%H:%M:%SZ}"}
