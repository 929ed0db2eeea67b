"""Releases of RabbitMQ that a target can run on."""

from __future__ import annotations

from breakeven.errors import CaseError
from breakeven.targets.catalog import record_of

#: the oldest release that the project is tried on, which is Debian 12's. With an Erlang that is too old for
#: it RabbitMQ does not start, and its log says why
OLDEST = (3, 10)
#: the first release that ignores the mode of a classic queue, as all of them then keep messages on disk.
#: Source: RabbitMQ documentation, "Lazy Queues"
WITHOUT_LAZY_QUEUES = (3, 12)


def is_too_old(release: str) -> bool:
    return _numbers(release) < OLDEST


def missing_in(target: str, release: str) -> str | None:
    """What the target needs and the release, such as ``4.0.5``, does not have; None where it has all."""
    if is_too_old(release):
        return f"RabbitMQ {release} is too old: run it on {oldest()} or newer"
    removed = record_of(target).removed_in
    if removed is None or _numbers(release)[0] < removed.series:
        return None
    return f"RabbitMQ {release} has no {removed.what}, which left it in {removed.series}.0: {removed.remedy}"


def check_release(target: str, release: str) -> None:
    """:raises CaseError: the target cannot run on it"""
    if missing := missing_in(target, release):
        raise CaseError(f"{target}: {missing}")


def check_lazy(target: str, release: str) -> None:
    """:raises CaseError: a queue's mode has no effect on it"""
    if _numbers(release) >= WITHOUT_LAZY_QUEUES:
        first = _words(WITHOUT_LAZY_QUEUES)
        raise CaseError(
            f"{target}: queue_mode lazy has no effect on RabbitMQ {release}, which ignores it since {first}: "
            "remove it, or run it on an older release"
        )


def oldest() -> str:
    """The oldest release that brokers may have, in words."""
    return _words(OLDEST)


def _numbers(release: str) -> tuple[int, ...]:
    """The first two: of a release its series."""
    return tuple(int(part) for part in release.split(".")[:2])


def _words(series: tuple[int, ...]) -> str:
    return ".".join(map(str, series))
