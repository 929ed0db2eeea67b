"""What a broker image is baked from: the scripts of ``nodes/``, and what configures all our clusters."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from breakeven.targets.rabbitmq_cluster import CLUSTER_PARAMETER, ClusterSettings, joining, tls_listeners

SCRIPTS = Path(__file__).parent.parent / "nodes"
#: where `start` puts the node's own
CERTIFICATE, KEY = "/etc/rabbitmq/tls/certificate.pem", "/etc/rabbitmq/tls/key.pem"


def assemble_node_files(target: Path, settings: ClusterSettings | None = None) -> None:
    """Fill an empty folder with all that ``install`` reads. Nothing in it is secret."""
    settings = settings or ClusterSettings()
    shutil.copytree(SCRIPTS, target, dirs_exist_ok=True)
    _write(target / "rabbitmq.conf", [*settings.configuration(), *tls_listeners(CERTIFICATE, KEY)])
    _write(target / "joining.conf", joining("@NAME@", "@FIRST@"))
    note = {"name": CLUSTER_PARAMETER, "value": settings.note()}
    _write(target / "note.json", [json.dumps(note)])


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))
