"""TLS before an SQS server that has none: stunnel, with a certificate made for the occasion."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from breakeven.errors import BreakevenError
from local.children import Children, last_lines
from local.ports import LOOPBACK, answers, free_ports
from tests.support.scripted.certificates import make_certificate

START_DEADLINE_S = 10.0
#: of a store that holds no secret; Java reads one of this kind without it
STORE_PASSWORD = "changeit"  # noqa: S105

CONFIGURATION = """\
foreground = yes
pid =
[sqs]
accept = {host}:{port}
connect = {host}:{plain}
cert = {certificate}
TIMEOUTclose = 0
"""


@dataclass(frozen=True, slots=True)
class Terminator:
    """``certificate``: PEM; ``trust_store``: the same for Java."""

    endpoint: str
    certificate: Path
    trust_store: Path


@contextmanager
def terminator(children: Children, workdir: Path, plain: str) -> Iterator[Terminator]:
    """An https endpoint before a plain one.

    :raises BreakevenError: stunnel is missing, or does not answer
    """
    certificate, store = workdir / "certificate.pem", workdir / "trust.jks"
    make_certificate(certificate)
    _make_trust_store(certificate, store)
    (port,) = free_ports(1)
    configuration, output = workdir / "stunnel.conf", workdir / "stunnel.output"
    configuration.write_text(
        CONFIGURATION.format(host=LOOPBACK, port=port, plain=urlsplit(plain).port, certificate=certificate)
    )
    with output.open("wb") as file:
        process = children.spawn(
            [shutil.which("stunnel") or "stunnel", str(configuration)],
            env={},
            cwd=workdir,
            stdout=file,
            stderr=subprocess.STDOUT,
            name="stunnel",
        )
    try:
        _wait(process, port, output)
        yield Terminator(f"https://{LOOPBACK}:{port}", certificate, store)
    finally:
        children.stop(process)


def version() -> str:
    said = subprocess.run(["stunnel", "-version"], capture_output=True, text=True, check=False).stderr
    # some releases say first what they are about to do
    found = re.search(r"^stunnel (\S+)", said, re.MULTILINE)
    return found[1] if found else "not known"


def _make_trust_store(certificate: Path, store: Path) -> None:
    argv = ["keytool", "-importcert", "-noprompt", "-alias", "bench", "-file", str(certificate)]
    argv += ["-keystore", str(store), "-storetype", "JKS", "-storepass", STORE_PASSWORD]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BreakevenError(f"keytool: {done.stdout}{done.stderr}")


def _wait(process: subprocess.Popen[bytes], port: int, output: Path) -> None:
    deadline = time.monotonic() + START_DEADLINE_S
    while not answers(port):
        if process.poll() is not None or time.monotonic() > deadline:
            raise BreakevenError(f"stunnel does not answer:\n{last_lines(output)}")
        time.sleep(0.1)
