"""Findings of loaders on themselves, as the sentence of a flag: each cause once, with who found it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from breakeven import words
from breakeven.loadgen.self_check.alike import shape, together

_WHO = re.compile(r"loaders? \d[^:;]*: ")


class Finding(NamedTuple):
    """``stage``: in which one loader found it."""

    loader: int
    stage: str
    said: str


def in_words(findings: Sequence[Finding]) -> str:
    """'loaders 0 and 1, measure: it used 0.82 to 0.91 of a core'; empty of none.

    Which loader had which figure in which stage is in the report's table of loaders.
    """
    causes: dict[str, list[Finding]] = {}
    for finding in findings:
        causes.setdefault(shape(finding.said), []).append(finding)
    return "; ".join(f"{_who(same)}: {together([one.said for one in same])}" for same in causes.values())


def causes_of(sentence: str) -> list[tuple[str, str]]:
    """Who found it and what was found, of each cause in a sentence of a flag; nobody where no loader did.

    What stands behind the causes, such as that more loaders may find a higher rate, is none.
    """
    if not _WHO.match(sentence):
        return [("", sentence)]
    found = [(who, cause) for cause in sentence.split("; ") if (who := _WHO.match(cause))]
    return [(who.group().removesuffix(": "), cause[who.end() :]) for who, cause in found]


def _who(findings: Sequence[Finding]) -> str:
    loaders = list(dict.fromkeys(str(finding.loader) for finding in findings))
    stages = list(dict.fromkeys(finding.stage for finding in findings))
    return f"loader{'s' if len(loaders) > 1 else ''} {words.listing(loaders)}, {words.listing(stages)}"
