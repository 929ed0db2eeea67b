"""Reads the context of a CDK app, and says in words what is wrong with it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from breakeven.errors import InputError, together
from infra.context.context_checks import faults
from infra.context.settings import Context

NAMESPACE = "breakeven:"
WHERE = "context"
FIELDS = Context.model_fields
#: how like one of ours a key must be to be taken for a misspelling of it
LIKENESS = 0.8


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
    for field, remedy in faults(context, profile_region):
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
