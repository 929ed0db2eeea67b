"""The memory that the core works on: the structs of its C sources, field by field; pointers are addresses."""

from __future__ import annotations

import re
from ctypes import Structure, c_int32, c_int64, c_uint8, c_uint64, c_void_p
from enum import IntEnum
from functools import cache
from keyword import iskeyword
from pathlib import Path
from typing import Any

#: C, in one folder
SOURCES = Path(__file__).parent / "src"
#: C's types of fields that are no pointers -> ours; structs within structs are added below
_TYPES: dict[str, Any] = {
    "int32_t": c_int32,
    "int64_t": c_int64,
    "uint8_t": c_uint8,
    "uint64_t": c_uint64,
}
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_STRUCT = re.compile(r"^struct (\w+) \{(.*?)^\};", re.DOTALL | re.MULTILINE)
#: ``const struct call *call``: a type, and the names of its fields
_DECLARATION = re.compile(r"\s*(?:const )?(?:struct )?(?P<type>\w+) (?P<names>.*)", re.DOTALL)
_NAME = re.compile(r"(?P<star>\*?)(?P<name>\w+)(?:\[(?P<count>\d+)\])?")
_FUNCTION = re.compile(r"\(\*(?P<name>\w+)\)\(")


@cache
def _structs() -> dict[str, str]:
    """What stands between the braces of each struct, by its name."""
    texts = (_COMMENT.sub("", path.read_text("utf-8")) for path in sorted(SOURCES.glob("*.[ch]")))
    return {name: fields for text in texts for name, fields in _STRUCT.findall(text)}


def _fields(struct: str) -> list[tuple[str, Any]]:
    """Names and types of a struct's fields, in C's order."""
    fields = []
    for declaration in _structs()[struct].split(";")[:-1]:
        if function := _FUNCTION.search(declaration):
            fields.append((function["name"], c_void_p))
            continue
        declared = _DECLARATION.fullmatch(declaration)
        assert declared, declaration
        for name in declared["names"].split(","):
            fields.append(_field(declared["type"], name.strip()))
    return fields


def _field(kind: str, declarator: str) -> tuple[str, Any]:
    found = _NAME.fullmatch(declarator)
    assert found, declarator
    name = f"{found['name']}_" if iskeyword(found["name"]) else found["name"]
    if found["star"]:
        return name, c_void_p
    return name, _TYPES[kind] * int(found["count"]) if found["count"] else _TYPES[kind]


class End(IntEnum):
    """Why a call of the core came back: ``enum end`` in ``connection.h``."""

    OVER = 0
    FULL = 1
    UNUSUAL = 2
    CLOSED = 3
    FAILED = 4


class TlsStatus(IntEnum):
    """What a call on a TLS connection returns that is no count of bytes: ``enum tls_status`` in ``tls.h``."""

    LATER = 0
    CLOSED = -1
    FAILED = -2


class Tls(Structure):
    _fields_ = _fields("tls")


class Connection(Structure):
    _fields_ = _fields("connection")


_TYPES["connection"] = Connection


class Sha256(Structure):
    _fields_ = _fields("sha256")


class Digested(Structure):
    _fields_ = _fields("digested")


_TYPES["digested"] = Digested


class Call(Structure):
    _fields_ = _fields("call")


class Sending(Structure):
    _fields_ = _fields("sending")


class Receiving(Structure):
    _fields_ = _fields("receiving")


class State(IntEnum):
    """Of ``Asking``: ``enum state`` in ``sqs_receiving.c``."""

    IDLE = 0
    ASKED = 1
    IN_HAND = 2
    DELETING = 3


class Asking(Structure):
    _fields_ = _fields("asking")
