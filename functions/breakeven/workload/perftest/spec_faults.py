"""Faults of a suite that was made of PerfTest's parameters, in the words in which those were given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from breakeven.errors import InputError, MultipleInputError, together
from breakeven.workload.perftest.command_line import CommandLine
from breakeven.workload.perftest.command_options import COMMAND, OPTIONS
from breakeven.workload.perftest.spec_arguments import GROUP_SIZE

#: field of a suite -> the parameter that gave it
KEYS_OF_FIELDS: Final = {
    "producers": "producer-count",
    "consumers": "consumer-count",
    "queues": "queue-sequence-to",
    "message_size": "min-msg-size",
    "rate": "producer-rate-limit",
    "measure_s": "time-limit",
    "window": "confirm",
    "prefetch": "consumer-prefetch",
    "ack_every": "multi-ack-every",
    "group_size": "queue-arguments",
    "queue_mode": "queue-arguments",
    "processing_ms": "consumer-latency-in-microseconds",
    "profile": "publishing-rates",
    "processing_profile": "consumer-latencies",
}
#: a field with its value, as remedies advise it
_ADVISED: Final = re.compile(r"\b(producers|consumers): (\d+)")
#: the scenario and cell that a plan's remedy ends in; a command line has one of both
_CASE: Final = re.compile(r" \([a-z0-9-]+, [a-z_]+=[^()]*\)$")
_SHORT: Final = {option.key: f"-{option.short}" for option in OPTIONS if isinstance(option.key, str)}
#: a parameter's name in a remedy; those without a hyphen are words, too
_NAMED: Final = re.compile(rf"(?<![\w-])({'|'.join(key for key in _SHORT if '-' in key)})(?![\w-])")


def in_short(error: InputError) -> InputError:
    """The error of a command line with short options in its remedy, in place of spec files' parameters."""
    remedy = _NAMED.sub(lambda found: _SHORT[found[1]], error.remedy)
    return InputError(error.where, error.field, error.value, remedy)


def in_keys(error: InputError, called: Mapping[str, str]) -> InputError:
    """The error with the parameter that gave the field.

    :param called: what the reader calls parameters, such as ``-x``, where it is not their name
    """
    errors = error.errors if isinstance(error, MultipleInputError) else (error,)
    return together([_in_key(each, called) for each in errors])


def in_options(error: InputError, line: CommandLine) -> InputError:
    """The error of a plan with the options of the command line that it was made of; others as they are."""
    if isinstance(error, MultipleInputError):
        return together([in_options(each, line) for each in error.errors])
    if error.where != COMMAND or not error.field.startswith(("scenarios.", "defaults.")):
        return error
    remedy = _CASE.sub("", error.remedy)
    remedy = _ADVISED.sub(lambda found: f"{_SHORT[KEYS_OF_FIELDS[found[1]]]} {found[2]}", remedy)
    return _in_key(InputError(error.where, error.field, error.value, remedy), _SHORT | line.called)


def _in_key(error: InputError, called: Mapping[str, str]) -> InputError:
    *before, last = error.field.split(".")
    key = KEYS_OF_FIELDS.get(last, last)
    path = ".".join([*before, key]).removeprefix("scenarios.").removeprefix("defaults.")
    value = f"{GROUP_SIZE}={error.value}" if last == "group_size" else error.value
    return InputError(error.where, called.get(key, path), value, error.remedy)
