"""Errors of a run's input in the words of the command line, which gives its fields as options."""

from __future__ import annotations

from breakeven.errors import InputError, MultipleInputError, together

#: what a run's input calls what an option gives
FLAGS = {
    "resume_run_id": "--resume",
    "max_usd": "--max-usd",
    **{name: f"--{name}" for name in ("region", "resume", "scale", "seed", "variant")},
    "surroundings.name": "--on",
    "surroundings.hardware": "this machine",
}
#: where its errors say that they are
INPUTS = {"execution", "execution input", "options", "breakeven run", "price book"}


def in_flags(error: InputError, command: str) -> InputError:
    """The error with the flag that gave the value, where it names the field of a run's input."""
    if isinstance(error, MultipleInputError):
        return together([in_flags(each, command) for each in error.errors])
    # a plan's budget is the one of its refusals that an option sets, not the suite
    if error.where not in INPUTS and error.field != "max_usd":
        return error
    return InputError(f"breakeven {command}", FLAGS.get(error.field, error.field), error.value, error.remedy)
