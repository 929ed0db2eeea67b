"""The end of each RabbitMQ release's support, and who gives it: dated rows.

A report tells the state of the day of its run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

#: series -> the last day of the makers' community support; None: it is the newest, and has no such day yet.
#: Source: https://endoflife.date/rabbitmq, which follows https://www.rabbitmq.com/release-information, read
#: 2026-11-23
MAKERS: dict[str, date | None] = {
    "3.8": date(2022, 7, 31),
    "3.9": date(2023, 1, 31),
    # of 3.10 the makers' own release notes (3.10.24) give this day
    "3.10": date(2023, 7, 31),
    "3.11": date(2023, 6, 1),
    "3.12": date(2024, 2, 21),
    "3.13": date(2024, 9, 17),
    "4.0": date(2025, 4, 15),
    "4.1": date(2026, 1, 30),
    "4.2": date(2026, 7, 31),
    "4.3": None,
}


@dataclass(frozen=True, slots=True)
class Distribution:
    """A Debian that has the release: last days of its security support, and of its long-term support."""

    name: str
    security: date
    long_term: date


#: release -> the Debian whose package it is. Source: https://www.debian.org/releases/ and
#: https://wiki.debian.org/LTS, read 2026-11-23
DEBIANS: dict[str, Distribution] = {
    "3.10.8": Distribution("Debian 12", date(2026, 7, 11), date(2028, 6, 30)),
    "4.0.5": Distribution("Debian 13", date(2028, 8, 9), date(2030, 6, 30)),
}


def support_of(server: str, on: date) -> str:
    """What support a server, such as ``RabbitMQ 4.0.5, Erlang 27.3``, has on a day; empty of other
    software.
    """
    found = re.match(r"RabbitMQ ((\d+\.\d+)\.\d+)", server)
    if not found:
        return ""
    release, series = found.groups()
    debian = DEBIANS.get(release)
    return _makers(series, on) + (f", {_debians(debian, on)}" if debian else "")


def _makers(series: str, on: date) -> str:
    if series not in MAKERS:
        return "whether its makers support it is not known"
    until = MAKERS[series]
    if until is None:
        return "supported by its makers"
    if on <= until:
        return f"supported by its makers until {until}"
    return f"not supported by its makers since {until}"


def _debians(debian: Distribution, on: date) -> str:
    if on <= debian.security:
        return f"by {debian.name} until {debian.security}"
    if on <= debian.long_term:
        return f"in {debian.name}'s long-term support until {debian.long_term}"
    return f"not by {debian.name} since {debian.long_term}"
