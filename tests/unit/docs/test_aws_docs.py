"""The picture of the stack: well-formed enough to be drawn, and of what is there."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

AWS = Path(__file__).parents[3] / "docs" / "aws.md"
#: an identifier with its label, in the brackets of one of the shapes that are used
NODE = re.compile(r'(\w+)(?:\["[^"]+"\]|\[\("[^"]+"\)\])')
ARROW = re.compile(r"\s+(?:-->|-- \S.*? -->|-\. .*? \.->)\s+")
#: words that Mermaid keeps for itself
RESERVED = {"end", "graph", "subgraph", "flowchart", "class", "style", "click", "default"}


@cache
def lines() -> list[str]:
    (picture,) = re.findall(r"```mermaid\n(.*?)```", AWS.read_text(), re.DOTALL)
    first, *rest = [line.strip() for line in picture.splitlines() if line.strip()]
    assert first == "flowchart TB"
    return rest


def ends() -> list[str]:
    """Both ends of every arrow, and what stands alone."""
    return [
        part
        for line in lines()
        if not line.startswith("subgraph ") and line != "end"
        for part in ARROW.split(line)
    ]


def test_every_subgraph_ends():
    depth = 0
    for line in lines():
        depth += line.startswith("subgraph ") - (line == "end")
        assert 0 <= depth <= 1
    assert depth == 0


def test_every_node_is_labelled_once_and_every_arrow_is_between_nodes():
    labelled = [found[1] for part in ends() if (found := NODE.fullmatch(part))]
    groups = [NODE.fullmatch(line.removeprefix("subgraph "))[1] for line in lines() if "subgraph " in line]
    assert len(labelled) > 20
    assert len({*labelled, *groups}) == len([*labelled, *groups])
    assert not RESERVED & set(labelled)
    assert {part for part in ends() if not NODE.fullmatch(part)} <= set(labelled)


def test_labels_hold_nothing_that_ends_a_statement():
    assert not [label for line in lines() for label in re.findall(r'"([^"]*)"', line) if ";" in label]
