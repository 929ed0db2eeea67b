"""The seam between the simulated EC2 and the processes that stand for its instances here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Launch:
    """The nodes of a lane: the instances made and the tags they carry."""

    instance_ids: tuple[str, ...]
    tags: dict[str, str]  # breakeven:run, breakeven:target, ...


class Machines(Protocol):
    def launch(self, launch: Launch) -> None:
        """Start what the instances stand for; returns at once. Nodes register once they are up."""

    def stop(self, instance_ids: tuple[str, ...]) -> None:
        """Shut them down, keeping their disks; returns when they are down."""

    def start(self, instance_ids: tuple[str, ...]) -> None:
        """Start what was stopped, on the disks it had; returns at once."""

    def terminate(self, instance_ids: tuple[str, ...]) -> None:
        """Stop them; ids that are not known are ignored."""
