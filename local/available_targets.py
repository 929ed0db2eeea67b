"""Targets of a suite that this machine has brokers for, known before anything starts."""

from __future__ import annotations

from breakeven.errors import InputError
from breakeven.planning.left_out import without
from breakeven.targets.catalog import record_of
from breakeven.workload.suite import Suite
from local.hardware import memory_note
from local.servers.broker_releases import lack, release_for

REMEDY = "give brokers that run already by --rabbitmq-url, or choose other targets"


def available(suite: Suite) -> tuple[Suite, list[str]]:
    """The suite without targets whose RabbitMQ is not to be had here, and what to tell of them.

    :raises InputError: no target is left
    """
    lacking = {kind: why for kind in suite.targets if (why := _lack(kind))}
    left_out = [kind for kind in lacking if not _has_substitute(kind)]
    notes = [f"{kind} was left out: it {lacking[kind]}." for kind in left_out]
    notes += [
        f"{kind} runs on this machine's RabbitMQ: it {why}."
        for kind, why in lacking.items()
        if kind not in left_out
    ]
    if any(record_of(kind).nodes for kind in suite.targets) and (said := memory_note()):
        notes.append(said)
    if not left_out:
        return suite, notes
    if len(left_out) == len(suite.targets):
        raise InputError(suite.where, "targets", ", ".join(left_out), f"{lacking[left_out[0]]}; {REMEDY}")
    return without(suite, set(left_out)), notes


def _lack(kind: str) -> str | None:
    nodes = record_of(kind).nodes
    return lack(nodes.debian) if nodes else None


def _has_substitute(kind: str) -> bool:
    nodes = record_of(kind).nodes
    return nodes is None or release_for(nodes.debian) is not None
