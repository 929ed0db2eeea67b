"""What EC2's metadata service answers, for hosts of our own: it knows each by the address it asks from."""

from __future__ import annotations

import datetime
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "a-session-of-the-metadata-service"
ROLE = "meta-data/iam/security-credentials/"


class _Answering(BaseHTTPRequestHandler):
    server: _Server

    def do_PUT(self) -> None:
        self._answer(TOKEN if self.path == "/latest/api/token" else None)

    def do_GET(self) -> None:
        path = self.path.removeprefix("/latest/")
        known = self.headers["X-aws-ec2-metadata-token"] == TOKEN
        self._answer(self.server.told(self.client_address[0]).get(path) if known else None)

    def _answer(self, text: str | None) -> None:
        body = (text or "").encode()
        self.send_response(404 if text is None else 200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-aws-ec2-metadata-token-ttl-seconds", "300")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Nobody reads it."""


class _Server(ThreadingHTTPServer):
    tags: Mapping[str, str]

    def told(self, address: str) -> dict[str, str]:
        """Path -> answer, for the instance at that address."""
        until = datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=1)
        keys = {"Code": "Success", "Type": "AWS-HMAC", "AccessKeyId": "AKIATEST", "SecretAccessKey": "test"}
        keys |= {"Token": "test", "Expiration": f"{until:%Y-%m-%dT%H:%M:%SZ}"}
        return {
            "meta-data/instance-id": f"i-{address.rpartition('.')[2]}",
            "meta-data/local-ipv4": address,
            "meta-data/placement/region": "eu-west-1",
            ROLE: "node",
            f"{ROLE}node": json.dumps(keys),
            **{f"meta-data/tags/instance/breakeven:{name}": value for name, value in self.tags.items()},
        }


@contextmanager
def metadata_service(address: str, tags: Mapping[str, str]) -> Iterator[str]:
    """Its URL.

    :param tags: of every instance, without ``breakeven:``
    """
    server = _Server((address, 0), _Answering)
    server.tags = tags
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://{address}:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
