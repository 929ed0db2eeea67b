"""Figures and names as a reader sees them: three significant figures, units said, nulls as a dash."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from breakeven.targets.catalog import CATALOG
from breakeven.terms import TargetName

NOTHING = "–"
#: bytes, as disks and networks are counted in and memory is not
MEGABYTE = 1e6
#: the command of this project where it is not installed
IN_A_CLONE = "npm run breakeven --"
#: whose zeros can still be counted; below it an exponent says how many there are
LEAST_WRITTEN_OUT = 1e-9

#: what sources have measured and this project has not, and what is only priced
PUBLISHED = {
    "rabbitmq-quorum": "RabbitMQ quorum queues",
    "rabbitmq-classic-cluster": "RabbitMQ cluster without replication",
    "amazon-mq": "Amazon MQ",
}
OPERATIONS = {
    "produce": "Produce",
    "consume": "Consume",
    "settle": "Settle",
    "consume_cycle": "Consume cycle",
    "end_to_end": "End to end",
    "produce_service": "Produce, from the actual send",
    "pacing": "Pacing: the loader's own lateness",
}
_COUNTED = {
    "threads": "thread",
    "queues": "queue",
    "messages": "message",
    "producers": "producer",
    "consumers": "consumer",
    "nodes": "node",
    "disks": "disk",
}
_PHRASES = {
    "leaders=one": "leaders on one node",
    "leaders=spread": "leaders spread",
    "connect_to=any": "connected to any node",
    "connect_to=leader": "connected to the leader's node",
    "connect_to=other": "connected to another node",
    "queue_mode=default": "queues not lazy",
    "queue_mode=lazy": "lazy queues",
    "group_size=1": "1 copy",
    "group_size": "{} copies",
    "groups=producer": "a group for each producer",
    "groups=message": "a group for each message",
    "rate": "{} msg/s",
    "send_batch=1": "sent singly",
    "send_batch": "sent in batches of {}",
    "receive_batch=1": "received singly",
    "receive_batch": "received in batches of {}",
    "delete_batch=1": "deleted singly",
    "delete_batch": "deleted in batches of {}",
    "linger_ms=0": "no linger",
    "linger_ms": "linger {} ms",
}
_MAGNITUDES = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))


def figure(value: float | None, digits: int = 3) -> str:
    """``value`` to ``digits`` significant figures with thousands separated: 3,160, 14.8, 0.00123, 1.2e-10.

    The page has the same figures, by ``web/src/numbers.ts``.
    """
    if value is None:
        return NOTHING
    if value == 0:
        return "0"
    rounded = abs(float(f"{value:.{digits - 1}e}"))
    if 0 < rounded < LEAST_WRITTEN_OUT:
        return f"{_minus(value)}{rounded:.{digits - 1}e}"
    decimals = max(0, digits - 1 - math.floor(math.log10(rounded)))
    return f"{_minus(value)}{rounded:,.{decimals}f}"


def _minus(value: float) -> str:
    """Before a figure, and before the sign of dollars: −$5.00."""
    return "−" if value < 0 else ""


def count(value: int | None) -> str:
    """An exact count with thousands separated."""
    return NOTHING if value is None else f"{value:,}"


def amount(value: float | None) -> str:
    """A large number in words: 102 million; below a million as ``figure`` has it."""
    if value is None:
        return NOTHING
    for size, word in _MAGNITUDES:
        if abs(float(f"{value:.2e}")) >= size:
            return f"{figure(value / size)} {word}"
    return figure(value)


def dollars(value: float | None) -> str:
    """Dollars: cents below a thousand, whole dollars above."""
    if value is None:
        return NOTHING
    amount = abs(value)
    return f"{_minus(value)}${amount:,.2f}" if amount < 1000 else f"{_minus(value)}${amount:,.0f}"


def unit_price(value: float) -> str:
    """Dollars of one unit, exact and without an exponent: $0.0000004."""
    return "$" + f"{value:.12f}".rstrip("0").rstrip(".")


def change(ratio: float) -> str:
    """A ratio to 1 as a change, with a minus sign: 1.25 is +25.0%, 0.6 is −40.0%."""
    return f"{ratio - 1:+.1%}".replace("-", "−")


def milliseconds(value: float | None) -> str:
    return NOTHING if value is None else f"{figure(value)} ms"


def size(value: int) -> str:
    """Bytes as people say them: 16 B, 1 KiB, 64 KiB."""
    for step, unit in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if value >= step:
            return f"{figure(value / step) if value % step else value // step} {unit}"
    return f"{value} B"


def target_name(target: str) -> str:
    """A kind in words, and what its suite calls the machines: ``RabbitMQ mirrored pair, large``."""
    name, kind = TargetName(target), TargetName(target).kind
    label = CATALOG[kind].label if kind in CATALOG else PUBLISHED.get(kind, kind)
    return f"{label}, {name.size}" if name.size else label


def short_target_name(target: str) -> str:
    """The same for the width of a terminal: ``RabbitMQ pair large``."""
    name, kind = TargetName(target), TargetName(target).kind
    label = CATALOG[kind].short_label if kind in CATALOG else PUBLISHED.get(kind, kind)
    return f"{label} {name.size}" if name.size else label


def setup_name(name: str) -> str:
    """A name of a source's setup as a heading."""
    return "RabbitMQ" if name == "rabbitmq" else capital(name)


def labelled_target(target: str, provenance: str) -> str:
    """The target's name; an emulated one is never named without saying so."""
    name = target_name(target)
    return f"{name} (emulated)" if provenance == "emulated" else name


def scenario_name(scenario: str) -> str:
    """A scenario's name as a heading: load-unload becomes Load-unload, many_queues Many queues."""
    return capital(scenario.replace("_", " ").strip())


@lru_cache(maxsize=4096)  # a case is named in every table
def cell_name(cell: str) -> str:
    """A cell's words as a heading: 'threads=40 queues=1' becomes '40 threads, 1 queue'."""
    return ", ".join(_setting(word) for word in cell.split())


def _setting(word: str) -> str:
    name, _, value = word.partition("=")
    if name in {"machine", "volume"}:
        return value
    if name == "prefill":
        return f"{plural(int(value), 'message')} loaded before" if value != "0" else "nothing loaded before"
    if name == "nodes_down":
        return f"{plural(int(value), 'node')} down" if value != "0" else "all nodes"
    if value and (phrase := _PHRASES.get(word) or _PHRASES.get(name)):
        return phrase.format(value)
    if name in _COUNTED and value.isdecimal():
        return plural(int(value), _COUNTED[name])
    return re.sub(r"(?<=\d)(?=[A-Za-z])", " ", value) if name == "size" and value else word


class Cell(Protocol):
    """A case of a scenario, as a report has it."""

    @property
    def scenario(self) -> str: ...
    @property
    def cell(self) -> str: ...
    @property
    def repeat(self) -> int: ...


def case_name(case: Cell) -> str:
    """Which case this is, without its target: 'parallel, 40 threads'."""
    name = place(case.scenario, case.cell)
    return f"{name}, repeat {case.repeat}" if case.repeat > 1 else name


def place(scenario: str, cell: str) -> str:
    """A cell of a scenario: 'parallel, 40 threads'."""
    return f"{scenario}, {cell_name(cell)}" if cell else scenario


def capital(text: str) -> str:
    """The text with its first letter as a sentence begins."""
    return text[:1].upper() + text[1:]


def plural(number: int, noun: str, nouns: str = "") -> str:
    """:param nouns: its plural, where that is not the noun with an s"""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {nouns or noun + 's'}"


def every(number: int, noun: str) -> str:
    """Of several, that it is all of them: 'both cases', 'all 3 cases'."""
    return f"both {noun}s" if number == 2 else f"all {plural(number, noun)}"


def part(number: int, total: int, noun: str) -> str:
    """How many of a number there are: '2 of 3 cases', and of a single one 'the only case' or 'no case'."""
    if total == 1:
        return f"the only {noun}" if number else f"no {noun}"
    return f"{number:,} of {plural(total, noun)}"


def listing(items: Sequence[str], limit: int = 5) -> str:
    """Items in a sentence, the first ``limit`` by name: 'a, b and 3 more'."""
    if len(items) > limit:
        return f"{', '.join(items[:limit])} and {len(items) - limit:,} more"
    if len(items) > 1:
        return f"{', '.join(items[:-1])} and {items[-1]}"
    return "".join(items)


def quantity(value: object) -> str:
    """A quantity of a question as it was put: 1,000,000, 3, 0.5; text stays as it is."""
    if isinstance(value, float) and value.is_integer():
        return f"{int(value):,}"
    return f"{value:,}" if isinstance(value, int | float) else str(value)
