"""Instances of the simulated EC2 stand for processes here: what is done to them reaches ``Machines``.

Those that an image is made of read their user data, report and power off. Nothing is installed: the brokers
that instances stand for here are this machine's own. The script that a real builder runs is run by the host
tests, by cloud-init on a bare Debian.
"""

from __future__ import annotations

import re
import threading
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

from moto.awslambda.models import lambda_backends
from moto.core import DEFAULT_ACCOUNT_ID
from moto.ec2.models import ec2_backends
from moto.ec2.models.instances import InstanceBackend
from moto.s3.models import s3_backends

from breakeven.installation import FAMILY_TAG, IMAGE_TAG, NODES_TAG, OWNER_TAG, RUN_TAG, TARGET_TAG
from breakeven.steps.lane.recipes import recipes_of
from local.aws.patches.ec2_patches import register_image
from local.aws.swaps import Swaps

#: between an instance's launch and its end here
TAKES_S = 0.2
_EXPORTED = re.compile(r"^export (BREAKEVEN_\w+)=(\S*)$", re.MULTILINE)

#: how a builder ends: with a report of either kind, without one, or not at all
End = Literal["done", "failed", "silent", "never"]
#: what moto puts in the place of a token that is not given
NO_TOKEN = "ABCDE"  # noqa: S105  no secret


@dataclass(frozen=True, slots=True)
class Launch:
    """The nodes of a lane: the instances made and the tags they carry."""

    instance_ids: tuple[str, ...]
    tags: dict[str, str]  # breakeven:run, breakeven:target, ...


class Machines(Protocol):
    def launch(self, launch: Launch) -> None:
        """Start what the instances stand for; returns at once. Nodes register once they are up."""

    def stop(self, instance_ids: tuple[str, ...]) -> None:
        """Shut them down, keeping their disks; returns when they are down."""

    def start(self, instance_ids: tuple[str, ...]) -> None:
        """Start what was stopped, on the disks it had; returns at once."""

    def terminate(self, instance_ids: tuple[str, ...]) -> None:
        """Stop them; ids that are not known are ignored."""


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

    :raises ValueError: it is nothing that cloud-init would run
    """
    if not body.startswith(b"#!"):
        raise ValueError("user data that cloud-init does not run: it does not begin with #!")
    return dict(_EXPORTED.findall(body.decode()))


def unpacked(url: str) -> str:
    """The names of the files in the archive there.

    :raises KeyError: no script that installs is among them
    """
    place = urlsplit(url)
    bucket = s3_backends[DEFAULT_ACCOUNT_ID]["aws"].buckets[place.netloc]
    held = bucket.keys[place.path.lstrip("/")].value
    with zipfile.ZipFile(BytesIO(held)) as archive:
        archive.getinfo("install")
        return "".join(f"{name}\n" for name in archive.namelist())


def put(url: str, body: bytes) -> None:
    place = urlsplit(url)
    s3_backends[DEFAULT_ACCOUNT_ID]["aws"].put_object(place.netloc, place.path.lstrip("/"), body)


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


class _LaneMachines:
    """Gathers the nodes of a lane, which are launched with a call for each zone, until all are there."""

    def __init__(self, machines: Machines) -> None:
        self._machines, self._lock = machines, threading.Lock()
        self._waiting: dict[tuple[str | None, ...], tuple[str, ...]] = {}

    def add(self, ids: tuple[str, ...], tags: dict[str, str]) -> None:
        lane = tuple(tags.get(name) for name in (OWNER_TAG, RUN_TAG, TARGET_TAG))
        with self._lock:
            ids = (*self._waiting.pop(lane, ()), *ids)
            if len(ids) < int(tags.get(NODES_TAG, 0)):
                self._waiting[lane] = ids
                return
        self._machines.launch(Launch(instance_ids=ids, tags=tags))


def install(swaps: Swaps, machines: Machines, builders: Builders) -> None:
    """Tell ``machines`` of every call that launches, stops, starts or terminates, once it has succeeded.

    Instances that images are to be made of are ``builders``' own.
    """

    launched: dict[str, Any] = {}
    lanes = _LaneMachines(machines)

    def run(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
        token = kwargs.get("client_token")
        if token in launched:
            return launched[token]  # moto keeps tokens, and launches again
        reservation = original(self, *args, **kwargs)
        if token not in {None, NO_TOKEN}:
            launched[token] = reservation
        instances = reservation.instances
        # all instances of a call carry the same tags, its launch template's among them
        tags = {tag["key"]: tag["value"] for tag in instances[0].get_tags()}
        if IMAGE_TAG in tags:
            for instance in instances:
                builders.launch(instance, lambda instance_id: stop(self, [instance_id]))
            return reservation
        lanes.add(tuple(instance.id for instance in instances), tags)
        return reservation

    def passed_on(original: Any, self: Any, instance_ids: list[str]) -> Any:
        answer = original(self, instance_ids)
        # ``terminate``, ``stop`` or ``start``, as it is now: tests put others in their place
        getattr(machines, original.__name__.partition("_")[0])(tuple(instance_ids))
        return answer

    stop = vars(InstanceBackend)["stop_instances"]
    swaps.wrap(InstanceBackend, "run_instances", run)
    for name in ("terminate_instances", "stop_instances", "start_instances"):
        swaps.wrap(InstanceBackend, name, passed_on)
