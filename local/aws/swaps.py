"""Replaces parts of moto for as long as a control plane is open, and puts every one of them back.

Patches, which mend it, are in ``local/aws/patches/``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from local.aws.boto import Aws


class Swaps(ExitStack):
    """Parts of moto replaced for a while; leaving puts them back, last first."""

    def attribute(self, owner: Any, name: str, value: Any) -> Any:
        """Replace an attribute of a class or module and return what stood there.

        :raises KeyError: the owner does not define it: moto has changed
        """
        original = vars(owner)[name]
        self.callback(setattr, owner, name, original)
        setattr(owner, name, value)
        return original

    def wrap(self, owner: Any, name: str, outer: Callable[..., Any]) -> None:
        """Have ``outer`` called in a function's or method's place, with it before the call's own arguments.

        :raises KeyError: as ``attribute`` does
        """
        found = vars(owner)[name]
        kind = type(found) if isinstance(found, (classmethod, staticmethod)) else None
        original = found.__func__ if kind else found

        @functools.wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            return outer(original, *args, **kwargs)

        self.attribute(owner, name, kind(call) if kind else call)

    def item(self, mapping: Any, key: str, value: Any) -> None:
        self.callback(mapping.__setitem__, key, mapping[key])
        mapping[key] = value


class Patch:
    """A function that mends one symptom, named and documented as it is."""

    def __init__(self, apply: Callable[[Swaps, Aws], None]) -> None:
        functools.update_wrapper(self, apply)
        self._apply = apply

    def __call__(self, swaps: Swaps, aws: Aws) -> None:
        self._apply(swaps, aws)


def around(owner: Any, name: str) -> Callable[[Callable[..., Any]], Patch]:
    """A patch of one method: what is decorated stands around it, see ``Swaps.wrap``."""

    def made(outer: Callable[..., Any]) -> Patch:
        @functools.wraps(outer)
        def apply(swaps: Swaps, _: Aws) -> None:
            swaps.wrap(owner, name, outer)

        return Patch(apply)

    return made
