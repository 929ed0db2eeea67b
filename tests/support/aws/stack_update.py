"""Updates of a stack: which resources CloudFormation would replace, and the app of a version before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from local.cdk.kept_assemblies import ROOT
from local.cdk.synth import app_environment
from tests.support.aws.cfn_lint import resource_schema


def assembly_of(commit: str, folder: Path) -> Path:
    """Synthesize the app of that commit, in a checkout of its own in the folder; the cloud assembly.

    Its core is compiled and its app is run by today's environment.
    """
    checkout, assembly = folder / "checkout", folder / "assembly"
    checkout.mkdir()
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "-x"], cwd=checkout, input=archive.stdout, check=True)
    environment = app_environment(assembly) | {
        "PYTHONPATH": os.pathsep.join([str(checkout), str(checkout / "functions")])
    }
    for command in (["setup/core.py"], ["-m", "infra.app"]):
        subprocess.run([sys.executable, *command], cwd=checkout, env=environment, check=True)
    return assembly


def replaced(before: dict[str, Any], after: dict[str, Any]) -> dict[str, list[str]]:
    """Resources that the update makes anew, and for what: their type, or properties set when one is created.

    Of each type CloudFormation's schema says which these are (``createOnlyProperties``). One that is gone is
    not among them.
    """
    found = {}
    for logical_id in before["Resources"].keys() & after["Resources"].keys():
        old, new = before["Resources"][logical_id], after["Resources"][logical_id]
        if old["Type"] != new["Type"]:
            found[logical_id] = ["Type"]
        elif differing := [
            name for name in _create_only(old["Type"]) if _property(old, name) != _property(new, name)
        ]:
            found[logical_id] = differing
    return found


def _create_only(kind: str) -> list[str]:
    if kind.startswith("Custom::"):
        return ["ServiceToken"]
    schema = resource_schema(kind)
    return [pointer.removeprefix("/properties/") for pointer in schema.get("createOnlyProperties", [])]


def _property(resource: dict[str, Any], name: str) -> Any:
    found: Any = resource.get("Properties", {})
    for part in name.split("/"):
        found = found.get(part) if isinstance(found, dict) else None
    return found
