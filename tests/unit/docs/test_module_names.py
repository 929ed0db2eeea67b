"""Modules are found by their names: each stands for one thing, and folders are small enough to look over."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CODE = ("functions", "infra", "local", "cli")
MOST_FILES = 20
LEFT_OUT = {"__pycache__", "compiled"}
#: a state's two sides: its event is read in the one, and its work is done in the other
SIDES = {"functions/handlers", "functions/breakeven/steps"}
#: the same thing of two protocols
PROTOCOLS = {"functions/breakeven/clients/amqp", "functions/breakeven/clients/sqs"}


def files(folders: tuple[str, ...]) -> list[Path]:
    found = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    return [path.relative_to(ROOT) for path in found if not LEFT_OUT & set(path.parts)]


def are_told_apart_by_room(modules: list[Path]) -> bool:
    rooms = {path.as_posix() for path in modules}
    return any(
        all(sum(room.startswith(f"{side}/") for room in rooms) == 1 for side in sides) and len(rooms) == 2
        for sides in (SIDES, PROTOCOLS)
    )


def test_a_modules_name_is_that_of_one_module_or_of_one_thing_on_two_sides() -> None:
    named: dict[str, list[Path]] = defaultdict(list)
    for path in files(CODE):
        if path.suffix == ".py" and not path.stem.startswith("__"):
            named[path.stem].append(path)
    assert {name: at for name, at in named.items() if len(at) > 1 and not are_told_apart_by_room(at)} == {}


@pytest.mark.parametrize("room", [*CODE, "nodes", "setup", "bench", "tests"])
def test_a_folder_of_code_holds_no_more_files_than_are_seen_at_a_glance(room: str) -> None:
    held: dict[Path, int] = defaultdict(int)
    for path in files((room,)):
        held[path.parent] += 1
    assert {folder: count for folder, count in held.items() if count > MOST_FILES} == {}
