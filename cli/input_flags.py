"""Errors of a run's input in the words of the command line, which gives its fields as options."""

from __future__ import annotations

from breakeven.errors import InputError, MultipleInputError, together

#: where errors are of a suite that is not there, and their fields
SUITE, OF_A_SUITE = "suite", ("name", "file")
#: what a run's input calls what an option gives
FLAGS = {
    "resume_run_id": "--resume",
    "max_usd": "--max-usd",
    **{name: f"--{name}" for name in ("region", "resume", "scale", "seed", "variant")},
    "surroundings.name": "--on",
    "surroundings.hardware": "this machine",
}
#: where its errors say that they are
INPUTS = {"execution", "execution input", "options", "breakeven run", "price book", SUITE}


def in_flags(error: InputError, command: str) -> InputError:
    """The error with the flag that gave the value, where it names the field of a run's input."""
    if isinstance(error, MultipleInputError):
        return together([in_flags(each, command) for each in error.errors])
    if error.where.startswith("--"):  # the option itself, of which a part is at fault
        where = f"breakeven {command}: {error.where}"
        return InputError(where, error.field, error.value, error.remedy)
    if error.where == "AWS" and error.field.startswith("--"):
        return InputError(f"breakeven {command}", error.field, error.value, error.remedy)
    # a plan's budget is the one of its refusals that an option sets, not the suite
    if error.where not in INPUTS and error.field != "max_usd":
        return error
    field = SUITE if error.where == SUITE and error.field in OF_A_SUITE else error.field
    return InputError(f"breakeven {command}", FLAGS.get(field, field), error.value, error.remedy)
