"""The file that ``--out`` names: looked at before any work is done for it, and written as a whole.

A symbolic link stays, and what it leads to is written. A file that cannot be replaced, as it is mounted by
itself or its folder may not be written, is written in place.
"""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

from breakeven.errors import InputError
from local.stored.whole_files import write_whole

OPTION = "--out"
#: why a file cannot be replaced by another, although it may be one that can be written
IN_PLACE = {errno.EACCES, errno.EBUSY, errno.EPERM, errno.EROFS, errno.EXDEV}


def check_out(path: Path, where: str) -> None:
    """Nothing is made or left behind.

    :param where: the command that an error names
    :raises InputError: it is a folder or no regular file, its folder is not there, or that takes no file
    """
    try:
        remedy = _fault(path)
    except OSError as error:  # a folder that may not be written, a full disk, a name that is too long
        raise InputError(where, OPTION, str(path), _unwritable(error)) from error
    if remedy:
        raise InputError(where, OPTION, str(path), remedy)


def write_out(path: Path, text: str, where: str) -> None:
    """Write a page.

    :param where: the command that an error names
    :raises InputError: it cannot be written
    """
    body = text.encode()
    try:
        target = _target(path)
        try:
            write_whole(target, body)
        except OSError as error:
            if not _in_place(target, error):
                raise
            target.write_bytes(body)
    except OSError as error:
        raise InputError(where, OPTION, str(path), _unwritable(error)) from error


def _fault(path: Path) -> str:
    """What is wrong with the place, and what to do about it; empty where a file can be made there.

    :raises OSError: none can
    """
    if path.is_dir():
        return f"is a folder; name a file in it, such as {path / 'page.html'}"
    if path.exists() and not path.is_file():
        return "is no regular file; give another file"
    target = _target(path)
    folder = target.parent if path.is_symlink() else path.parent
    if not folder.exists():
        return f"there is no folder {folder}; make it, or give another file"
    if not folder.is_dir():
        return f"{folder} is no folder; give another file"
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".out-"):
            return ""
    except OSError as error:
        if not _in_place(target, error):
            raise
        return ""


def _target(path: Path) -> Path:
    """The file itself, where a symbolic link leads to it.

    :raises OSError: the link leads to itself
    """
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return target


def _in_place(target: Path, error: OSError) -> bool:
    """Can the file be written all the same?"""
    return error.errno in IN_PLACE and target.is_file() and os.access(target, os.W_OK)


def _unwritable(error: OSError) -> str:
    return f"cannot be written: {error.strerror or error}; give another file"
