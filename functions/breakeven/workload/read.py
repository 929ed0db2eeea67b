"""Reading suites: a file, a shipped suite by name, or a document that is parsed already."""

from __future__ import annotations

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from breakeven.errors import InputError, check_regular, together
from breakeven.workload.fields import ScaleName
from breakeven.workload.problems import did_you_mean, empty_fields, input_errors, shown
from breakeven.workload.scales import scaled_document
from breakeven.workload.suite import Suite

MAX_FILE_BYTES = 256 * 1024
NO_ALIASES = "aliases are not allowed; write the value out"
NO_TAGS = "tags are not allowed; a value is what it looks like"
NOT_YAML = "is not YAML that a suite can have"
#: what the library says -> what would do. Without one of these its words are all there is
YAML_REMEDIES = {
    r"character '\\t' that cannot start": "a tab stands where only spaces may; put spaces in its place",
    r"character .* that cannot start": "text that begins with such a character needs quotes around it",
    "mapping values are not allowed": "text with a colon needs quotes, or a line is indented wrongly",
    "expected <block end>": "it is indented in another way than what it belongs to; indent both alike",
    "could not find expected ':'": "a line before is a name without a colon; write name: value",
    r"expected ',' or": "a bracket before it is not closed, or a comma is missing",
    "expected the node content": "a value is missing before it",
    "found unexpected end of stream": "a quotation mark is not closed",
    "expected a single document": "a file has one suite; remove ---, and what follows",
    "found unhashable key": "the name of a field is text, no list and no mapping",
    "expected alphabetic|while scanning a|unknown escape|expected escape": "put the text in single quotes",
}
#: of the same complaint as of a line that is indented wrongly
NOTHING_FOLLOWS = "nothing may follow a quoted text or a closed bracket; put all of it in quotes"
NO_CONTROL = "no character that a suite can have; remove it"
#: what a plain value looks like, by the core schema of YAML 1.2: PyYAML's own rules are those of 1.1, by
#: which 010 is 8, 1:30 is 90 and yes is true
CORE = {
    "null": r"~|null|Null|NULL|",
    "bool": r"true|True|TRUE|false|False|FALSE",
    "int": r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+",
    "float": r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
}
MAX_DIGITS = 400
#: what a file may hold in the place of a suite
KINDS: dict[type, str] = {type(None): "nothing", str: "text", list: "a list", bool: "true or false"}


def load_suite(source: str) -> Suite:
    """The suite of a file, or the shipped one of that name (``quick``).

    :raises InputError: there is no such suite, or it is not a valid one
    """
    path = Path(source)
    if path.suffix or path.is_file() or len(path.parts) > 1:
        return load_file(path)
    return load_shipped(source)


def load_shipped(name: str) -> Suite:
    """The suite that comes with the project under that name; never any other file.

    :raises InputError: there is none of that name
    """
    names = shipped_suites()
    if name not in names:
        remedy = f"no such suite; {did_you_mean(name, names)}there are {', '.join(names)}, or give a path"
        raise InputError("suite", "name", shown(name), remedy)
    return load_file(scenarios() / f"{name}.yaml", where=f"scenarios/{name}.yaml")


def shipped_suites() -> list[str]:
    """Names of the suites that come with the project, sorted."""
    return sorted(path.stem for path in scenarios().glob("*.yaml"))


def load_file(path: Path, where: str | None = None) -> Suite:
    """The suite of a YAML file of at most 256 KiB.

    :param where: what messages call the file; its path unless given
    :raises InputError: the file cannot be read, or what it says is no valid suite
    """
    where = where or str(path)
    document = parse_yaml(read_bytes(path, where), where)
    suite = parse_suite(document, where)
    if faults := empty_fields(where, document):
        raise together(faults)
    return suite


def read_bytes(path: Path, where: str) -> bytes:
    """What a file of at most 256 KiB holds: a suite, or what becomes one.

    :raises InputError: the file cannot be read, or is larger
    """
    try:
        check_regular(path)
        with path.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        names = ", ".join(shipped_suites())
        remedy = f"{error.strerror or error}; give a suite file, or one of {names}"
        raise InputError("suite", "file", shown(where), remedy) from error
    if len(raw) > MAX_FILE_BYTES:
        size = path.stat().st_size
        raise InputError(where, "file size", size, f"a suite has at most {MAX_FILE_BYTES} bytes")
    return raw


def decoded(raw: bytes, where: str) -> str:
    """:raises InputError: it is not UTF-8"""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(where, f"byte {error.start}", "not UTF-8", "save the file as UTF-8 text") from error


def parse_suite(document: object, where: str) -> Suite:
    """The suite of a parsed document.

    :raises InputError: it is no valid suite; every fault is named, with its field, value and remedy
    """
    if not isinstance(document, dict):
        kind = KINDS.get(type(document), "a number")
        remedy = "a suite is a mapping with suite, title, targets and scenarios; see docs/suites.md"
        raise InputError(where, "suite", kind, remedy)
    try:
        suite = Suite.model_validate(document).read_from(where)
    except ValidationError as error:
        faults = input_errors(where, document, error)
    else:
        for name in suite.scale:  # a scale that is wrong is wrong before anybody asks for it
            at_scale(suite, name)
        return suite
    raise together(faults)


def at_scale(suite: Suite, name: ScaleName) -> Suite:
    """The suite at one of its own scales.

    :raises InputError: it has none of that name, or with what the scale says it is no valid suite
    """
    return parse_suite(scaled_document(suite, name), f"{suite.where}, scale.{name}")


def parse_yaml(raw: bytes, where: str) -> Any:
    """Plain YAML 1.2: no aliases (a small file could expand without bound), no key twice, no tags.

    :raises InputError: naming the line
    """
    text = decoded(raw, where)
    try:
        return _SuiteLoader(text).get_single_data()
    except yaml.MarkedYAMLError as error:
        raise _marked(where, raw, error) from error
    except yaml.reader.ReaderError as error:
        raise InputError(
            where, f"character {error.position}", f"U+{error.character:04X}", NO_CONTROL
        ) from error
    except RecursionError as error:
        raise InputError(where, "file", "nesting", "too deep; a suite needs five levels") from error


def _marked(where: str, raw: bytes, error: yaml.MarkedYAMLError) -> InputError:
    mark = error.problem_mark or error.context_mark
    number = mark.line + 1 if mark else 1
    lines = raw.decode("utf-8-sig").splitlines()
    text = lines[number - 1].strip() if number <= len(lines) else "end of file"
    said = f"{error.context or ''} {error.problem}"
    remedy = next((ours for theirs, ours in YAML_REMEDIES.items() if re.search(theirs, said)), error.problem)
    column = mark.column if mark else 0
    before = lines[number - 1][:column] if number <= len(lines) else ""
    if "expected <block end>" in said and before.strip(" -"):
        remedy = NOTHING_FOLLOWS
    return InputError(where, f"line {number}, column {column + 1}", shown(text), f"{NOT_YAML}: {remedy}")


class _SuiteLoader(yaml.SafeLoader):
    """The safe loader without aliases, and with a complaint where a key is there twice."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        alias = isinstance(event, yaml.AliasEvent)
        if alias or getattr(event, "tag", None):
            problem = NO_ALIASES if alias else NO_TAGS
            raise yaml.constructor.ConstructorError(None, None, problem, event.start_mark)
        return super().compose_node(parent, index)

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        text = node.value
        if len(text) > MAX_DIGITS:
            problem = f"a number of {len(text)} digits"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return int(text, 0 if text[:2] in {"0o", "0x"} else 10)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    problem = f"the key {key.value!r} is there twice"
                    raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


_SuiteLoader.yaml_implicit_resolvers = {}
for _kind, _looks in CORE.items():
    _SuiteLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_kind}", re.compile(f"^({_looks})$"), None)
_SuiteLoader.add_constructor("tag:yaml.org,2002:int", _SuiteLoader.construct_yaml_int)


def scenarios() -> Path:
    """The suites' folder: beside ``breakeven`` where it is deployed, at the top of a checkout."""
    here = Path(__file__).resolve()
    return next(folder for up in (2, 3) if (folder := here.parents[up] / "scenarios").is_dir())
