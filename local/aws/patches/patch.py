"""What a patch of moto is made of; see ``moto_patches.py``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from local.aws.boto import Aws
from local.aws.swaps import Swaps


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
