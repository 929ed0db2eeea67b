"""Targets opened by name: the class that a record of the catalog names, on its brokers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from breakeven.brokers.access import Access
from breakeven.errors import CaseError
from breakeven.targets import catalog
from breakeven.targets.record import TargetRecord
from breakeven.targets.target import Target


def open_target(name: str, access: Access | None, nodes_down: int = 0) -> Target:
    """The target of that name.

    :param access: where its brokers are, all of them; None for a managed service
    :param nodes_down: how many of them, the last ones, a case has stopped
    :raises CaseError: when brokers are needed and none are known
    """
    record = catalog.record_of(name)
    if not record.nodes:
        return _class_of(record)()
    if access is None or not access.nodes:
        raise CaseError(f"{name}: no broker node is known")
    return _class_of(record)(access, nodes_down)


def _class_of(record: TargetRecord) -> Callable[..., Target]:
    """Imported when a target of it is opened: those who plan or price need none of its clients."""
    module, _, name = record.opened_by.partition(":")
    found: Callable[..., Target] = getattr(import_module(module), name)
    return found
