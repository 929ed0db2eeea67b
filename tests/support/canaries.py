"""Looks for credentials where none may be: as they are, encoded or compressed. Keeps processes' arguments.

A value is looked for plain, URL-encoded, escaped as in JSON, in hexadecimal and in base64 (where it may begin
at any of three places), and in each part of an archive.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import threading
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

#: seconds between two looks at the processes there are
LOOK_S = 0.2
GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"


def forms(value: str) -> set[bytes]:
    """What a value can look like."""
    plain = value.encode()
    written = {value, quote(value, safe=""), json.dumps(value)[1:-1], plain.hex()}
    return {each.encode() for each in written} | set(_base64(plain))


def _base64(plain: bytes) -> Iterator[bytes]:
    """Of a value within something longer: what neither its neighbours nor the padding have a part in."""
    for before in range(3):
        padded = plain + b"\0" * (-(len(plain) + before) % 3)
        encoded = base64.b64encode(b"\0" * before + padded)
        first, last = -(-before * 8 // 6), (before + len(plain)) * 8 // 6
        for text in (encoded, encoded.translate(bytes.maketrans(b"+/", b"-_"))):
            yield text[first:last]


def holds(data: bytes, values: Iterable[str]) -> bool:
    """Whether any of the values is in the data, in any of its forms."""
    sought = {form for value in values for form in forms(value)}
    return any(form in part for part in _parts(data) for form in sought)


def _parts(data: bytes) -> Iterator[bytes]:
    yield data
    if data.startswith(GZIP):
        yield from _parts(gzip.decompress(data))
    if data.startswith(ZIP):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                yield from _parts(archive.read(name))


@contextmanager
def arguments() -> Iterator[set[bytes]]:
    """What every process of this machine is started with, for as long as it is not left: a line for each."""
    seen: set[bytes] = set()
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            seen.update(_arguments())
            over.wait(LOOK_S)

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield seen
    finally:
        over.set()
        looking.join()


def _arguments() -> Iterator[bytes]:
    for process in os.listdir("/proc"):
        if process.isdecimal():
            try:
                yield Path("/proc", process, "cmdline").read_bytes().replace(b"\0", b" ")
            except OSError:
                continue  # it has ended
