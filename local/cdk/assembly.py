"""Reads what the CDK has synthesized: a stack's template and the files that are deployed with it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from breakeven.errors import BreakevenError


@dataclass(frozen=True, slots=True)
class FileAsset:
    """A file or folder that a deployment puts in S3; a folder goes there as a zip."""

    source: Path
    zipped: bool
    bucket: str  # with ${AWS::AccountId} and the like still in it
    key: str


@dataclass(frozen=True, slots=True)
class StackArtifact:
    template: dict[str, Any]
    assets: tuple[FileAsset, ...]

    def folder(self, key: str) -> Path:
        """The folder whose zip is deployed under ``key``.

        :raises BreakevenError: there is none
        """
        for asset in self.assets:
            if asset.key == key and asset.source.is_dir():
                return asset.source
        raise BreakevenError(f"no folder in the cloud assembly is deployed as {key}")


def read_stack(assembly: Path, stack_name: str) -> StackArtifact:
    """:raises BreakevenError: the assembly holds no such stack"""
    manifest = json.loads((assembly / "manifest.json").read_text())
    artifacts: dict[str, Any] = manifest["artifacts"]
    for name, artifact in artifacts.items():
        properties = artifact.get("properties", {})
        if artifact["type"] == "aws:cloudformation:stack" and properties.get("stackName", name) == stack_name:
            template = json.loads((assembly / properties["templateFile"]).read_text())
            return StackArtifact(template, _assets(assembly, artifacts, artifact.get("dependencies", [])))
    raise BreakevenError(f"{assembly}: no stack {stack_name!r} in the cloud assembly")


def _assets(assembly: Path, artifacts: dict[str, Any], dependencies: list[str]) -> tuple[FileAsset, ...]:
    manifests = [artifacts[name] for name in dependencies if artifacts[name]["type"] == "cdk:asset-manifest"]
    found = []
    for manifest in manifests:
        files = json.loads((assembly / manifest["properties"]["file"]).read_text())["files"]
        for file in files.values():
            source = assembly / file["source"]["path"]
            zipped = file["source"]["packaging"] == "zip"
            found += [
                FileAsset(source, zipped, destination["bucketName"], destination["objectKey"])
                for destination in file["destinations"].values()
            ]
    return tuple(found)
