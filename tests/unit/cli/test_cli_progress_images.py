"""While an image is baked there is no case to show: the one who follows is told what is waited for."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from breakeven.results.items import RUN
from cli.running.progress import PlainView, snapshot


def shown(*records: dict) -> list[str]:
    out = io.StringIO()
    view = PlainView(Console(file=out, width=200))
    for record in records:
        view.show(snapshot({RUN: record}, []))
    return out.getvalue().splitlines()


def test_an_image_that_is_baked_is_said_once():
    baking = {"builders": {"arm64": "i-1"}, "images": {}}
    (line,) = shown({}, baking, baking)
    assert line.startswith("baking the brokers' image for arm64")


@pytest.mark.parametrize(
    "ended", [{"images": {"arm64": "ami-1"}}, {"images_failed": {"arm64": "no network"}}]
)
def test_one_that_is_there_or_has_failed_is_not(ended):
    assert shown({"builders": {"arm64": "i-1"}, **ended}) == []
