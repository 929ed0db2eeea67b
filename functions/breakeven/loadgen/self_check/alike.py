"""Sentences that differ in nothing but their figures, said as one: 'it woke 3.40 to 12.1 ms late'.

A figure is a number or an instant, or the range of two that a sentence made here has. What is part of a name
(``q0``, ``probe-1``, ``p99``, ``3.10.8``) is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = r"(?<![\w.:+-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w:-]|\.\d)"
_INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)"
_FIGURE = re.compile(rf"({_INSTANT}|{_NUMBER})(?: to ({_INSTANT}|{_NUMBER}))?")
_A_FIGURE = "\0"


def shape(sentence: str) -> str:
    """What is left of a sentence without its figures: sentences of one shape differ in nothing else."""
    return _FIGURE.sub(_A_FIGURE, sentence)


def together(sentences: Sequence[str]) -> str:
    """Sentences of one shape as one, in which each figure that differs has its range. The same sentence again
    stays as it is, also one that says from what to what something fell: '900 to 640'.
    """
    if len(set(sentences)) == 1:
        return sentences[0]
    ranges = iter([_range(texts) for texts in _figures(sentences)])
    return _FIGURE.sub(lambda _: next(ranges), sentences[0])


def greatest(sentences: Sequence[str]) -> int | None:
    """Index of the sentence with the greatest figure, of one shape; None unless just one figure differs."""
    differing = [texts for texts in _figures(sentences) if len(set(texts)) > 1]
    if len(differing) != 1:
        return None
    greatest_of = [max(map(_value, of)) for of in differing[0]]
    return greatest_of.index(max(greatest_of))


def _figures(sentences: Sequence[str]) -> list[tuple[tuple[str, ...], ...]]:
    """For each figure what the sentences have there: one text, or the two of a range."""
    found = [[tuple(filter(None, each.groups())) for each in _FIGURE.finditer(one)] for one in sentences]
    return list(zip(*found, strict=True))


def _range(texts: Sequence[tuple[str, ...]]) -> str:
    every = sorted((text for of in texts for text in of), key=_value)
    least, most = every[0], every[-1]
    return least if least == most else f"{least} to {most}"


def _value(text: str) -> tuple[float, str]:
    """To sort by: instants by their text, after numbers."""
    return (float("inf"), text) if "T" in text else (float(text.replace(",", "")), "")
