"""A lane of a release: baked from its bare Debian, launched, and seen by a loader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from breakeven.brokers.access import Access
from tests.hosts.cloud import Cloud
from tests.hosts.instance import Instance
from tests.hosts.lan import NoHosts
from tests.hosts.loader_host import LoaderHost
from tests.hosts.mirrors import Mirrors
from tests.hosts.release import BROKERS, BUILDERS, LOADERS, Installation, Release, group_named

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Lane:
    installation: Installation
    builder: Instance
    nodes: list[Instance]
    access: Access
    loader: LoaderHost

    @property
    def release(self) -> Release:
        return self.installation.release

    def problem(self) -> str | None:
        """Of the cluster, as loaders see it."""
        found = self.loader.ask("cluster", self.access, size=self.release.nodes)["problem"]
        return None if found is None else str(found)

    def first_access(self, *nodes: Instance) -> Access:
        hosts = {node.address for node in nodes}
        kept = tuple(node for node in self.access.nodes if node.host in hosts)
        return self.access.model_copy(update={"nodes": kept})


@contextmanager
def launched(release: Release, template: Mapping[str, Any], folder: Path) -> Iterator[Lane]:
    """:param folder: an empty one"""
    base = ROOT / ".cache" / "hosts" / release.debian
    assert base.exists(), "run setup/hosts.sh, which makes it"
    groups = [group_named(template, what) for what in (BROKERS, LOADERS, BUILDERS)]
    try:
        with Cloud(folder, template, groups, Mirrors(base)) as cloud:
            installation = Installation(cloud, template, release, base)
            builder = installation.bake()
            assert installation.report("failed") is None, installation.report("failed")
            assert installation.report("done"), builder.said()
            nodes = installation.launch(builder)
            yield Lane(installation, builder, nodes, installation.access(), installation.loader())
    except NoHosts as error:
        pytest.fail(str(error))
