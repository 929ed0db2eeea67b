"""Replaces parts of moto for as long as a control plane is open, and puts every one of them back."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any


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

    def item(self, mapping: Any, key: str, value: Any) -> None:
        self.callback(mapping.__setitem__, key, mapping[key])
        mapping[key] = value
