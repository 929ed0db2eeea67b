"""Volumes of EBS: what each type takes, for suites, which launch them, and questions, which price them."""

from __future__ import annotations

from dataclasses import dataclass

from breakeven.terms import VolumeType

#: of an image
LEAST_VOLUME_GB = 8
NO_BOOT = "no instance boots from such a volume, and a node has one for all it keeps; give gp3, gp2 or io2"


@dataclass(frozen=True, slots=True)
class VolumeLimits:
    """What EBS takes of a type: GB and IOPS from and to; IOPS a GB at most. (0, 0): none are provisioned.

    ``boots``: whether an instance boots from it, as a broker's node does.
    """

    gb: tuple[int, int]
    iops: tuple[int, int] = (0, 0)
    iops_per_gb: int = 0
    boots: bool = True

    @property
    def node_gb(self) -> tuple[int, int]:
        """From and to, of a node, whose volume begins as a copy of an image."""
        return max(self.gb[0], LEAST_VOLUME_GB), self.gb[1]

    def most_iops(self, gb: float) -> int:
        """Of a volume with that many GB."""
        least, most = self.iops
        return min(most, max(least, int(gb * self.iops_per_gb)))


#: as EC2's CreateVolume has them (botocore 1.44.5); IOPS a GB, and what boots, as the Amazon EBS User Guide
#: has them ("Amazon EBS volume types", "Provisioned IOPS SSD volumes")
VOLUMES: dict[VolumeType, VolumeLimits] = {
    "gp3": VolumeLimits((1, 65_536), (3000, 80_000), 500),
    "gp2": VolumeLimits((1, 16_384)),
    "io2": VolumeLimits((4, 65_536), (100, 256_000), 1000),
    "st1": VolumeLimits((125, 16_384), boots=False),
}
#: of any type
MOST_VOLUME_GB = max(limits.gb[1] for limits in VOLUMES.values())
