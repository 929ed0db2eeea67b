"""Rows of a query's answer: mappings to whoever reads them one by one, and columns of many without any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, overload

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answered(Sequence[Row]):
    """Rows as an engine gave them; each is made a mapping whenever it is asked for.

    ``names``: of the columns; ``values``: one tuple a row, in that order.
    """

    names: tuple[str, ...]
    values: Sequence[tuple[Any, ...]]

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> Answered: ...
    def __getitem__(self, place: int | slice) -> Row | Answered:
        if isinstance(place, slice):
            return Answered(self.names, self.values[place])
        return self._mapping(self.values[place])

    def __iter__(self) -> Iterator[Row]:
        return map(self._mapping, self.values)

    def _mapping(self, values: tuple[Any, ...]) -> Row:
        return dict(zip(self.names, values, strict=True))


def picked(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The values of these columns, two or more, row by row.

    :raises KeyError: a row has no such column
    """
    if isinstance(rows, Answered):
        if missing := [name for name in names if name not in rows.names]:
            raise KeyError(missing[0])
        return map(itemgetter(*map(rows.names.index, names)), rows.values)
    return map(itemgetter(*names), rows)
