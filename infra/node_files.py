"""What a broker image is baked from: the scripts of ``nodes/``, and what configures all our clusters."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from breakeven.targets.rabbitmq_cluster import CLUSTER_PARAMETER, ClusterSettings, joining, tls_listeners

SCRIPTS = Path(__file__).parent.parent / "nodes"
#: cloud-init runs user data that begins like this
SHEBANG = "#!/usr/bin/env bash"
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


def bake_user_data(*, files: str, report: str, release: str) -> str:
    """What cloud-init runs on an instance that an image is made of: ``nodes/bake``, and its environment.

    :param files: ``s3://`` URL of the zip of what ``assemble_node_files`` makes
    :param report: ``s3://`` prefix, ending in a slash, of the report
    :param release: of Debian, such as ``12``
    """
    variables = {"BREAKEVEN_FILES": files, "BREAKEVEN_REPORT": report, "BREAKEVEN_RELEASE": release}
    exports = [f"export {name}={value}" for name, value in variables.items()]  # no value has a space
    return "\n".join([SHEBANG, *exports, (SCRIPTS / "bake").read_text()])


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))
