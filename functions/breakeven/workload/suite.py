"""The suite: what a YAML file under ``scenarios/`` may say. Every field is described in docs/suites.md.

Values are strict: ``"5"`` is text, not a number. Ranges live here and nowhere else; what only shows
once a suite is expanded (a size over a target's limit, a queue that nobody would drive) is in
``planning.checks``.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PrivateAttr

from breakeven.terms import MAX_NODES, MOST_BROKER_ZONES, TargetName, VolumeType
from breakeven.workload.case import LoaderKind, Variant
from breakeven.workload.ebs_volumes import LEAST_VOLUME_GB, MOST_VOLUME_GB, VOLUMES
from breakeven.workload.fields import (
    MAX_LIST,
    MOST_WARM_UP_S,
    Compared,
    DistinctList,
    InstanceType,
    Name,
    ScaleName,
    Strict,
    Text,
    WarmUp,
)
from breakeven.workload.scenario import Defaults, Delivery, Scenario


class NodeSize(Strict):
    """What brokers run on; what is left out is the deployment's, or the kind's only one."""

    instance_type: InstanceType | None = None
    volume_gb: Annotated[int, Field(ge=LEAST_VOLUME_GB, le=MOST_VOLUME_GB)] | None = None
    volume_type: VolumeType | None = None
    volume_iops: Annotated[int, Field(ge=VOLUMES["io2"].iops[0], le=VOLUMES["io2"].iops[1])] | None = None
    nodes: Annotated[int, Field(ge=1, le=MAX_NODES)] | None = None
    zones: Annotated[int, Field(ge=1, le=MOST_BROKER_ZONES)] | None = None
    architecture: Literal["arm64", "x86_64"] | None = None


#: of each cell
Repeats = Annotated[int, Field(ge=1, le=100)]
#: by the names that the suite gives them
Sizes = Annotated[dict[Name, NodeSize], Field(min_length=1, max_length=MAX_LIST)]


class Scale(Strict):
    """What of a suite is otherwise where it is to take less time, or less of a machine.

    ``scenarios`` and ``defaults`` replace fields one by one, everything else as a whole.
    """

    targets: DistinctList[Compared] | None = None
    machines: dict[Compared, Sizes] | None = None
    repeats: Repeats | None = None
    warm_up: WarmUp | None = None
    leave_out: DistinctList[Name] | None = None
    defaults: dict[str, Any] = Field(default_factory=dict)
    scenarios: dict[Name, dict[str, Any]] = Field(default_factory=dict)


class Suite(Strict):
    """A whole suite. ``where`` says where it was read, for error messages; it is no part of the document.

    ``base``: the scenario, of one cell, with whose rate every other's is compared.
    ``warm_up``: seconds after which a lane's warm-up begins no window any more; 0: there is no warm-up.
    """

    suite: Name
    title: Text
    source: Text | None = None
    targets: DistinctList[Compared]
    repeats: Repeats = 1
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    variant: Variant = "equal-guarantees"
    variants: dict[Variant, dict[Compared, Delivery]] = Field(default_factory=dict)
    machines: dict[Compared, Sizes] = Field(default_factory=dict)
    base: Name | None = None
    instrument: bool = True
    warm_up: WarmUp = MOST_WARM_UP_S
    scale: dict[ScaleName, Scale] = Field(default_factory=dict)
    defaults: Defaults = Defaults()
    scenarios: Annotated[dict[Name, Scenario], Field(min_length=1, max_length=MAX_LIST)]

    _where: str = PrivateAttr(default="suite")

    @property
    def where(self) -> str:
        return self._where

    def read_from(self, where: str) -> Self:
        """The same suite, remembering where it was read."""
        self._where = where
        return self

    def loaders_of(self, scenario: str) -> int | None:
        """How many loaders the scenario asks for itself; None: the plan's own count."""
        return self.scenarios[scenario].loaders or self.defaults.loaders

    def loader_of(self, scenario: str) -> LoaderKind | None:
        """What the scenario asks its loaders to run as; None: as the plan finds by its length."""
        return self.scenarios[scenario].loader or self.defaults.loader

    def subjects(self, scenario: str) -> list[tuple[TargetName, str]]:
        """A scenario's targets by name, and the kind of each: a kind on several machines is several."""
        own = self.scenarios[scenario].targets
        return [
            (TargetName.of(kind, size), kind)
            for kind in self.targets
            if own is None or kind in own
            for size in self.machines.get(kind, ("",))
        ]

    def document(self) -> dict[str, Any]:
        """The suite as plain JSON values, sizes in bytes; parsing it gives the same suite."""
        return self.model_dump(mode="json", exclude_none=True, exclude_defaults=True)

    @property
    def sha256(self) -> str:
        """Digest of what the suite says, the same however its file is laid out or commented."""
        return hashlib.sha256(json.dumps(self.document(), sort_keys=True).encode()).hexdigest()
