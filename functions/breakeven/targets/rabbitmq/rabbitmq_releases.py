"""Releases of RabbitMQ that a target can run on."""

from __future__ import annotations

from breakeven.errors import CaseError
from breakeven.targets.catalog import record_of

#: the first release that ignores the mode of a classic queue, as all of them then keep messages on disk.
#: Source: RabbitMQ documentation, "Lazy Queues"
WITHOUT_LAZY_QUEUES = (3, 12)


def missing_in(target: str, release: str) -> str | None:
    """What the target needs and the release, such as ``4.0.5``, no longer has; None where it has all."""
    removed = record_of(target).removed_in
    if removed is None or int(release.partition(".")[0]) < removed.series:
        return None
    return f"RabbitMQ {release} has no {removed.what}, which left it in {removed.series}.0: {removed.remedy}"


def check_release(target: str, release: str) -> None:
    """:raises CaseError: the target cannot run on it"""
    if missing := missing_in(target, release):
        raise CaseError(f"{target}: {missing}")


def check_lazy(target: str, release: str) -> None:
    """:raises CaseError: a queue's mode has no effect on it"""
    if tuple(int(part) for part in release.split(".")[:2]) >= WITHOUT_LAZY_QUEUES:
        first = ".".join(map(str, WITHOUT_LAZY_QUEUES))
        raise CaseError(
            f"{target}: queue_mode lazy has no effect on RabbitMQ {release}, which ignores it since {first}: "
            "remove it, or run it on an older release"
        )
