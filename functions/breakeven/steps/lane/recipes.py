"""Recipes of brokers' images: given by the stack to whatever asks for one, or bakes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recipe:
    """What an image is baked by.

    :param name: the image's, with a digest of all that goes into it: other scripts make another image
    :param family: release and architecture; the newest image of a family takes the place of the others
    :param template: id of the launch template of its builder
    """

    name: str
    family: str
    template: str


def recipes_of(environment: Mapping[str, str]) -> dict[str, Recipe]:
    """By name of the image, as the stack has set the function's environment; none where it bakes nothing."""
    given = json.loads(environment.get("BREAKEVEN_RECIPES", "{}"))
    return {name: Recipe(**recipe) for name, recipe in given.items()}
