"""Modules are found by their names: each stands for one thing, and folders are small enough to look over."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CODE = ("functions", "infra", "local", "cli")
MOST_FILES = 20
#: where folders are kept small
ROOMS = (*CODE, "nodes", "setup", "bench", "tests", "queries", "scenarios", "web/src")
LEFT_OUT = {"__pycache__", "compiled"}
#: words that decision 0029 replaced: no name in the code has one of them as a part
DIALECT = re.compile(r"(^|_)(told|purse|ruler|let_go|leftovers?|hand_back|errand|alone)(_|$)")
#: how no module's docstring begins: it says what is in the module, by the style of CONTRIBUTING.md
QUESTIONS = re.compile(
    r"((In|From|Until|At) )?(what|how|where|when|which|who|whose|why|whether|that|is|are|was|does|can)\b",
    re.I,
)
#: a state's two sides: its event is read in the one, and its work is done in the other
SIDES = {"functions/handlers", "functions/breakeven/steps"}
#: the same thing of two protocols
PROTOCOLS = {"functions/breakeven/clients/amqp", "functions/breakeven/clients/sqs"}


def files(folders: tuple[str, ...]) -> list[Path]:
    found = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    return [path.relative_to(ROOT) for path in found if not LEFT_OUT & set(path.parts)]


def are_distinct_by_room(modules: list[Path]) -> bool:
    rooms = {path.as_posix() for path in modules}
    return any(
        all(sum(room.startswith(f"{side}/") for room in rooms) == 1 for side in sides) and len(rooms) == 2
        for sides in (SIDES, PROTOCOLS)
    )


def modules() -> list[Path]:
    return [path for path in files((*CODE, "bench")) if path.suffix == ".py"]


def parsed(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text())


def names(tree: ast.AST) -> set[str]:
    """Every name that the code of a module defines, takes or uses."""
    fields = ("id", "name", "attr", "arg")
    found = (getattr(node, field, None) for node in ast.walk(tree) for field in fields)
    return {name for name in found if isinstance(name, str)}


def is_dialect(name: str) -> bool:
    snake_case = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return bool(DIALECT.search(snake_case))


@pytest.mark.parametrize("name", ["told_by", "NOT_TOLD", "Alone", "_run_alone", "LetGo", "purse"])
def test_words_of_the_former_dialect_are_recognized_in_any_case(name: str) -> None:
    assert is_dialect(name)


def test_no_name_has_a_word_of_the_former_dialect() -> None:
    assert not is_dialect("standalone_rulers")
    found = {str(path): sorted(filter(is_dialect, names(parsed(path)))) for path in modules()}
    assert {path: of_dialect for path, of_dialect in found.items() if of_dialect} == {}


def test_no_file_of_tests_has_such_a_name() -> None:
    assert [str(path) for path in files(("tests",)) if path.suffix == ".py" and is_dialect(path.stem)] == []


def test_nor_is_any_variable_of_tests_called_so() -> None:
    """A test's own name is a sentence, and may have such a word in it."""
    tests = [path for path in files(("tests",)) if path.suffix == ".py"]
    found = {str(path): sorted(names(parsed(path)) & {"told", "alone", "purse", "ruler"}) for path in tests}
    assert {path: of_dialect for path, of_dialect in found.items() if of_dialect} == {}


def test_a_room_says_in_its_init_module_what_is_in_it() -> None:
    rooms = [path for path in modules() if path.name == "__init__.py"]
    assert [str(path) for path in rooms if not ast.get_docstring(parsed(path))] == []


def test_a_modules_docstring_says_what_is_in_it_and_is_no_question() -> None:
    docstrings = {str(path): ast.get_docstring(parsed(path)) or "" for path in modules()}
    assert {path: text for path, text in docstrings.items() if QUESTIONS.match(text)} == {}


def test_a_modules_name_is_that_of_one_module_or_of_one_thing_on_two_sides() -> None:
    named: dict[str, list[Path]] = defaultdict(list)
    for path in modules():
        if not path.stem.startswith("__"):
            named[path.stem].append(path)
    assert {name: at for name, at in named.items() if len(at) > 1 and not are_distinct_by_room(at)} == {}


@pytest.mark.parametrize("room", ROOMS)
def test_a_folder_of_code_holds_no_more_files_than_are_seen_at_a_glance(room: str) -> None:
    held: dict[Path, int] = defaultdict(int)
    for path in files((room,)):
        held[path.parent] += 1
    crowded = [f"{folder} has {count}" for folder, count in held.items() if count > MOST_FILES]
    rule = f"a folder of code holds at most {MOST_FILES} files directly: split the folder by subject"
    assert not crowded, f"{', '.join(crowded)} files; {rule}"
