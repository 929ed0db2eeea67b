"""Bake images of brokers that are not there, a step at a time; says whether to come again."""

from __future__ import annotations

import os

import boto3

from breakeven.steps.lane.bake_images import bake_images
from breakeven.steps.lane.recipes import recipes_of
from handlers.common import Event, entry, logger, services


class ImagesEvent(Event):
    """``images``: those that are missing, by name."""

    images: list[str]


@entry(ImagesEvent)
def handler(event: ImagesEvent) -> dict[str, bool]:
    subnets = os.environ["BREAKEVEN_BUILD_SUBNETS"].split(",")
    recipes = recipes_of(os.environ)
    baked = bake_images(services(), boto3.client("ec2"), event.run_id, recipes, subnets, event.images)
    logger.info("images", waiting=baked.waiting)
    if baked.problems:
        logger.warning("older images could not be removed", problems=baked.problems)
    return {"wait": bool(baked.waiting)}
