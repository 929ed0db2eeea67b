"""The file that ``--out`` names: looked at before any work is done for it, and written as a whole."""

from __future__ import annotations

import tempfile
from pathlib import Path

from breakeven.errors import InputError
from local.stored.whole_files import write_whole

OPTION = "--out"


def check_out(path: Path, where: str) -> None:
    """Nothing is made or left behind.

    :param where: the command that an error names
    :raises InputError: it is a folder or no regular file, its folder is not there, or that takes no file
    """
    try:
        remedy = _fault(path)
    except OSError as error:  # a folder that may not be written, a full disk, a name that is too long
        remedy = _unwritable(error)
    if remedy:
        raise InputError(where, OPTION, str(path), remedy)


def write_out(path: Path, text: str, where: str) -> None:
    """Write a page.

    :param where: the command that an error names
    :raises InputError: it cannot be written
    """
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise InputError(where, OPTION, str(path), _unwritable(error)) from error


def _fault(path: Path) -> str:
    """What is wrong with the place, and what to do about it; empty where a file can be made there.

    :raises OSError: none can
    """
    folder = path.parent
    if path.is_dir():
        return f"is a folder; name a file in it, such as {path / 'page.html'}"
    if path.exists() and not path.is_file():
        return "is no regular file; give another file"
    if not folder.exists():
        return f"there is no folder {folder}; make it, or give another file"
    if not folder.is_dir():
        return f"{folder} is no folder; give another file"
    with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{path.name}-"):
        return ""


def _unwritable(error: OSError) -> str:
    return f"cannot be written: {error.strerror or error}; give another file"
