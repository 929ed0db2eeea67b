"""Releases of RabbitMQ to which nodes may be upgraded, one after the other, while their cluster runs."""

from __future__ import annotations

from breakeven.terms import Debian

#: of each series, those to which its nodes may be upgraded in place. Source: RabbitMQ documentation,
#: "Upgrading RabbitMQ", "RabbitMQ Version Upgradability", as of 4.3
UPGRADES: dict[str, tuple[str, ...]] = {
    "3.7": ("3.8",),
    "3.8": ("3.9",),
    "3.9": ("3.10",),
    "3.10": ("3.11",),
    "3.11": ("3.12",),
    "3.12": ("3.13",),
    "3.13": ("4.0", "4.1", "4.2"),
    "4.0": ("4.1", "4.2"),
    "4.1": ("4.2",),
    "4.2": ("4.3",),
}
#: of a series, the first patch from which that is so, by the same table
FIRST_PATCHES = {"3.7": 18, "3.11": 18}
#: the series that a Debian has
SERIES_OF: dict[Debian, str] = {"12": "3.10", "13": "4.0"}


def known_series() -> list[str]:
    """All that upstream's table has, the oldest first."""
    return list(dict.fromkeys([*UPGRADES, *(newer for each in UPGRADES.values() for newer in each)]))


def way(old: str, new: str) -> list[str] | None:
    """The series to go by, ``new`` at its end, as few as can be; None: there is none, as to an older one."""
    ways = [[old]]
    while ways:
        found = ways.pop(0)
        if found[-1] == new:
            return found[1:] or None
        ways += [[*found, newer] for newer in UPGRADES.get(found[-1], ())]
    return None


def stopover(series: str) -> str:
    """A series on the way, with the patch that it takes, such as ``3.11 (3.11.18 or newer)``."""
    patch = FIRST_PATCHES.get(series)
    return series if patch is None else f"{series} ({series}.{patch} or newer)"
