"""What stands for an instance that an image is made of: it reads its user data, reports and powers off.

Nothing is installed: the brokers that instances stand for here are this machine's own. The script that a real
one runs is run by the host tests, by cloud-init on a bare Debian.
"""

from __future__ import annotations

import re
import threading
import zipfile
from collections.abc import Callable
from io import BytesIO
from typing import Any, Literal
from urllib.parse import urlsplit

from moto.awslambda.models import lambda_backends
from moto.core import DEFAULT_ACCOUNT_ID
from moto.ec2.models import ec2_backends
from moto.s3.models import s3_backends

from breakeven.installation import FAMILY_TAG, IMAGE_TAG, OWNER_TAG
from breakeven.steps.lane.recipes import recipes_of
from local.aws.patches.image_patches import register_image

#: of user data, before it is encoded ("Run commands when you launch an EC2 instance", EC2 guide)
MOST_USER_DATA = 16_384
#: between an instance's launch and its end here
TAKES_S = 0.2
_EXPORTED = re.compile(r"^export (BREAKEVEN_\w+)=(\S*)$", re.MULTILINE)

#: how a builder ends: with a report of either kind, without one, or not at all
End = Literal["done", "failed", "silent", "never"]


class Builders:
    """``end`` is how the next ones end; tests choose another."""

    def __init__(self) -> None:
        self.end: End = "done"

    def launch(self, instance: Any, stop: Callable[[str], object]) -> None:
        """:param stop: what power-off does to an instance of that id"""
        if self.end != "never":
            threading.Timer(TAKES_S, self._run, (instance, stop, self.end)).start()

    def _run(self, instance: Any, stop: Callable[[str], object], end: End) -> None:
        try:
            if end != "silent":
                given = read_user_data(instance.user_data.decode().encode())  # EC2 gives it as it was
                words = unpacked(given["BREAKEVEN_FILES"]) if end == "done" else "apt: no network\n"
                put(f"{given['BREAKEVEN_REPORT']}{instance.id}.{end}", words.encode())
        finally:
            stop(instance.id)


def read_user_data(body: bytes) -> dict[str, str]:
    """What a builder is told.

    :raises ValueError: it is more than EC2 takes, or nothing that cloud-init would run
    """
    if len(body) > MOST_USER_DATA:
        raise ValueError(f"user data of {len(body)} bytes; EC2 takes {MOST_USER_DATA}")
    if not body.startswith(b"#!"):
        raise ValueError("user data that cloud-init does not run: it does not begin with #!")
    return dict(_EXPORTED.findall(body.decode()))


def unpacked(url: str) -> str:
    """The names of the files in the archive there.

    :raises KeyError: no script that installs is among them
    """
    place = urlsplit(url)
    held = _bucket(place.netloc).keys[place.path.lstrip("/")].value
    with zipfile.ZipFile(BytesIO(held)) as archive:
        archive.getinfo("install")
        return "".join(f"{name}\n" for name in archive.namelist())


def put(url: str, body: bytes) -> None:
    place = urlsplit(url)
    s3_backends[DEFAULT_ACCOUNT_ID]["aws"].put_object(place.netloc, place.path.lstrip("/"), body)


def _bucket(name: str) -> Any:
    return s3_backends[DEFAULT_ACCOUNT_ID]["aws"].buckets[name]


def have_images(region: str) -> None:
    """Have the images that runs of the deployed stack would bake, as if an earlier one had."""
    for function in lambda_backends[DEFAULT_ACCOUNT_ID][region].list_functions():
        if function.handler != "handlers.lane.bake_images.handler":
            continue
        variables = function.environment_vars
        for recipe in recipes_of(variables).values():
            tags = {
                OWNER_TAG: variables["BREAKEVEN_OWNER"],
                IMAGE_TAG: recipe.name,
                FAMILY_TAG: recipe.family,
            }
            register_image(ec2_backends[DEFAULT_ACCOUNT_ID][region], recipe.name, tags)
