"""A host of the loaders' group: what a function in the VPC is, without Lambda."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from breakeven.brokers.access import Access
from tests.hosts import filters
from tests.hosts.cloud import Cloud, Place
from tests.hosts.lan import OWN, _as_root, _checked, _first_line

ROOT = Path(__file__).parents[2]
#: its own name server; the rest is this machine's
HOLD = 'read -r out _ </proc/self/stat; mount --bind "$1" /etc/resolv.conf; echo "$out"; exec cat >/dev/null'


class LoaderHost:
    def __init__(self, cloud: Cloud, place: Place) -> None:
        self._cloud = cloud
        names = cloud.folder / "resolv.conf"
        names.write_text(f"nameserver {filters.DNS}\n")
        self._process = subprocess.Popen(
            [*cloud.inside(network=False), "unshare", *OWN, "--net", "bash", "-c", HOLD, "hold", str(names)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._pid = _first_line(self._process)
        cloud.plug_in(place, self._pid)
        ip = [*cloud.network_of(self._pid), "ip"]
        size = place.subnet.cidr.split("/")[1]
        router = f"{place.address.rpartition('.')[0]}.1"
        for words in (
            ["address", "add", f"{place.address}/{size}", "dev", "eth0"],
            ["link", "set", "eth0", "up"],
            ["route", "add", "default", "via", router],
        ):
            _checked([*ip, *words])

    def ask(self, what: str, access: Access | None = None, **given: Any) -> Any:
        """What ``loader_side`` answers there."""
        question = {"what": what, **given}
        if access:
            question["access"] = access.model_dump(mode="json")
        variables = {
            "PYTHONPATH": f"{ROOT}:{ROOT / 'functions'}",
            "AWS_CA_BUNDLE": str(self._cloud.services.trusted),
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_ACCOUNT_ID_ENDPOINT_MODE": "disabled",
        }
        done = subprocess.run(
            [
                *(*_as_root(), "nsenter", "-t", str(self._pid), "-m", "-n", "--", "env"),
                *(f"{name}={value}" for name, value in variables.items()),
                *(sys.executable, "-m", "tests.hosts.loader_side"),
            ],
            input=json.dumps(question),
            check=False,
            capture_output=True,
            text=True,
            cwd=ROOT,
        )
        assert done.returncode == 0, done
        return json.loads(done.stdout)
