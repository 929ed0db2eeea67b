"""Former names of flags, in reports and rows of earlier versions: of cases, and of a run's self-test."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from breakeven.terms import Flag

#: as what is kept has it -> as it is called now
FORMER_FLAGS = {"ruler_disagrees": "instrument_misread"}


def of_now(flag: str) -> str:
    """The name of today of a flag that an earlier version may have written."""
    return FORMER_FLAGS.get(flag, flag)


def current(flag: object) -> object:
    """The same of whatever a report has there: what is no name is left to its model to refuse."""
    return of_now(flag) if isinstance(flag, str) else flag


#: a flag of a case, read by a former name, too
CaseFlag = Annotated[Flag, BeforeValidator(current)]
