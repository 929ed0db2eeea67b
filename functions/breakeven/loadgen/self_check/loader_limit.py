"""The loader that was the limit of a case: what a later plan needs to know of it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from breakeven.workload.case import MAX_LOADERS, Frozen

MOST_WORDS = 300  # characters
#: ends up on terminals and in reports: nothing that a terminal would take for a command
Word = Annotated[str, StringConstraints(max_length=MOST_WORDS, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]


class Limit(Frozen):
    """The busiest loader of those that were the limit, in one of its stages."""

    loader: int = Field(ge=0, lt=MAX_LOADERS)
    stage: Word
    cpu_share: float = Field(ge=0, allow_inf_nan=False, description="cores that its process used")
    evidence: Word
