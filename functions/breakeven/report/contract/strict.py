"""Base of every part of the report's contract: fields as declared, and no others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)  # as terms.Frozen

    @classmethod
    def of(cls, row: Mapping[str, Any], **others: Any) -> Self:
        """Take from ``row`` what the model has fields for; ``others`` are what it lacks or has otherwise."""
        fields = cls.model_fields  # looked up once: it is no plain attribute
        return cls(**{name: value for name, value in row.items() if name in fields} | others)


def any_known(values: Sequence[Any]) -> bool:
    """Whether a list of figures is one at all: what nobody knows is an empty one."""
    return values.count(None) < len(values)
