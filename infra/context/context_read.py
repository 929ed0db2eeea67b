"""The context of a CDK app: read, and what is wrong with it said in words.

Settings that are each well by themselves are held against one another and against what is known of AWS.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from breakeven.errors import InputError, together
from breakeven.planning.plan import make_plan
from breakeven.pricing.prices.book_files import DEFAULT_REGION, REGION, load_book, regions
from breakeven.pricing.prices.instance_types import machine, machines
from breakeven.workload.read import load_shipped
from infra.context.settings import DEBIAN_NAMES, Context

NAMESPACE = "breakeven:"
WHERE = "context"
FIELDS = Context.model_fields
#: how like one of ours a key must be to be taken for a misspelling of it
LIKENESS = 0.8
#: field, remedy
Fault = tuple[str, str]


def read_context(given: Mapping[str, Any], profile_region: str | None = None) -> Context:
    """The deployment's settings out of everything that the app was given.

    Keys that are neither ours nor like ours belong to the CDK, and are left alone.

    :param profile_region: the region of the command line's profile, checked where the context names none
    :raises InputError: naming each key that is wrong, its value, and what would do
    """
    errors = [*_unknown(given)]
    ours = {
        key.removeprefix(NAMESPACE): value
        for key, value in given.items()
        if key.removeprefix(NAMESPACE) in FIELDS and key.startswith(NAMESPACE)
    }
    try:
        context = Context.model_validate(ours)
    except ValidationError as error:
        wrong = dict.fromkeys(str(details["loc"][0]) for details in error.errors())
        errors += [_error(field, ours[field], f"must be {FIELDS[field].description}") for field in wrong]
        raise together(errors) from None
    for field, remedy in _faults(context, profile_region):
        if field == "region" and context.region is None:
            hint = f"{remedy}; it is the profile's region, or AWS_REGION, as none is given: give one of these"
            errors.append(_error(field, profile_region, hint))
        else:
            errors.append(_error(field, ours.get(field, getattr(context, field)), remedy))
    if errors:
        raise together(errors)
    return context


def _error(field: str, value: object, remedy: str) -> InputError:
    return InputError(WHERE, NAMESPACE + field, value, remedy)


def _unknown(given: Mapping[str, Any]) -> list[InputError]:
    """Keys that would go unread although they were meant for this app."""
    known = [NAMESPACE + field for field in FIELDS]
    errors = []
    for key, value in given.items():
        if key in known:
            continue
        close = difflib.get_close_matches(key, known, n=1, cutoff=LIKENESS)
        if key in FIELDS:
            close = [NAMESPACE + key]
        if close or key.startswith(NAMESPACE):
            hint = f"did you mean {close[0]!r}? " if close else ""
            errors.append(InputError(WHERE, key, value, f"no such key; {hint}there are {', '.join(known)}"))
    return errors


def _faults(context: Context, profile_region: str | None) -> Iterator[Fault]:
    """What does not go together.

    :param profile_region: where the command line would deploy to, where the context names no region
    """
    for check in CHECKS:
        yield from check(context)
    yield from _region(context, context.region or profile_region)
    yield from _scheduled(context, context.region or profile_region)


def _network(context: Context) -> Iterator[Fault]:
    """An existing VPC comes with its subnets and their zones, which can't be looked up without an account."""
    if context.vpc_id is None:
        for field in ("subnet_ids", "route_table_ids", "build_subnet_id"):
            if getattr(context, field) is not None:
                yield (
                    field,
                    "needs breakeven:vpc_id, the VPC that they are in; or leave it out",
                )
        return
    if context.subnet_ids is None:
        yield (
            "vpc_id",
            "needs breakeven:subnet_ids, the subnets to use, and breakeven:zones, theirs",
        )
    elif len(context.zones or ()) != len(context.subnet_ids):
        zones = len(context.zones or ())
        yield (
            "subnet_ids",
            f"needs one of breakeven:zones for each subnet, in the same order; {zones} are given",
        )


def _image(context: Context) -> Iterator[Fault]:
    """A stack that bakes nothing is given an image, and builds nowhere; an image is of one architecture."""
    if context.image and len(context.image_architectures or ()) > 1:
        yield "image_architectures", "breakeven:image is of one architecture: leave one of them out"
    if context.bake:
        return
    if context.image is None:
        yield "bake", "needs breakeven:image, an image on which nodes/install has run; or leave it out"
    if context.build_subnet_id is not None:
        yield "build_subnet_id", "nothing is built where breakeven:bake is false: leave one of them out"


def _zones(context: Context) -> Iterator[Fault]:
    regions = sorted({zone[:-1] for zone in context.zones or ()})
    if len(regions) > 1:
        yield "zones", f"must be zones of one region, not of {' and '.join(regions)}"
    elif regions and context.region and regions != [context.region]:
        yield "zones", f"must be zones of breakeven:region, {context.region}"


def _key(context: Context) -> Iterator[Fault]:
    home = str(context.kms_key_arn).split(":")
    if context.kms_key_arn and context.region and home[3] != context.region:
        yield "kms_key_arn", f"must be a key of breakeven:region, {context.region}, not of {home[3]}"


def _scheduled(context: Context, region: str | None) -> Iterator[Fault]:
    """A run that the plan would refuse each month."""
    if not context.is_scheduled:
        return
    allowed = context.suites
    if allowed is not None and context.schedule_suite not in allowed:
        yield "schedule_suite", f"must be one of breakeven:suites, {', '.join(allowed)}"
        return
    plan = make_plan(
        load_shipped(context.schedule_suite),
        run_id="scheduled",
        scale=context.schedule_scale,
        region=region if region in regions() else DEFAULT_REGION,
        allowance=context.allowance,
    )
    if plan.estimate.unpriced:
        lacking = f"runs in {region} are refused, as its price book lacks {', '.join(plan.estimate.unpriced)}"
        yield "schedule", f"must be off: {lacking}; executions there name another book's region"
        return
    try:
        plan.raise_if_refused()
    except InputError as error:
        yield (
            "schedule_suite",
            f"its plan is refused, see breakeven:schedule_scale: {str(error).splitlines()[0]}",
        )


def _machine(context: Context) -> Iterator[Fault]:
    """Instance type, architecture and image are of one kind."""
    try:
        found = machine(context.instance_type)
    except InputError as error:
        yield "instance_type", error.remedy
        return
    if found.architecture is None:
        yield "instance_type", f"its architecture is not known here; choose one of {_types()}"
    elif context.architecture not in {None, found.architecture}:
        yield (
            "architecture",
            f"{context.instance_type} is {found.architecture}: leave breakeven:architecture out, or choose a "
            f"breakeven:instance_type of that architecture",
        )
    elif context.image and (other := _named_architecture(context.image)) not in {None, found.architecture}:
        yield (
            "image",
            f"it is for {other}, and {context.instance_type} is {found.architecture}: choose an image and an "
            f"instance type of one architecture",
        )


def _named_architecture(parameter: str) -> str | None:
    """The architecture that the words of a parameter's name give away."""
    words = set(re.split(r"[^a-z0-9_]", parameter.lower()))
    named = [ours for ours, debians in DEBIAN_NAMES.items() if words & {ours, debians}]
    return named[0] if len(named) == 1 else None


def _region(context: Context, region: str | None) -> Iterator[Fault]:
    """A run is priced by its region's book, which also says where a type is to be had.

    Of a region that none is shipped of, runs ask the Price List for every price.
    """
    if region is None:
        return
    if not REGION.fullmatch(region):
        yield "region", "is no region's name; give one such as eu-north-1"
    if region not in regions() or context.instance_type not in machines():
        return
    try:
        load_book(region).known("ec2", context.instance_type)
    except InputError as error:
        yield "instance_type", f"not offered in {region}, or its price there is unknown: {error.remedy}"


def _types() -> str:
    return ", ".join(sorted(name for name, each in machines().items() if each.architecture))


CHECKS: tuple[Callable[[Context], Iterator[Fault]], ...] = (_network, _image, _zones, _key, _machine)
