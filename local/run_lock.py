"""The runs that are under way on this machine: two at once would each measure the other.

Each has a file that is named after it and locked (flock(2)) by its process, so that a run that was killed
holds nothing. The folder is locked only while somebody looks through it. It is the same for all users and
whatever TMPDIR says, so that runs whose data are on different disks see each other; containers that have a
/tmp of their own do not. An abstract socket would be of a network namespace, and XDG_RUNTIME_DIR of one user.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from breakeven.errors import InputError

#: of this machine. Only tests set another one
FOLDER = Path("/tmp/breakeven-runs")  # noqa: S108 - no link is followed, and files are made exclusively
SUFFIX = ".lock"
#: of the folder and of each file: other users' runs must see them, and note their own
_FOLDER_MODE, _FILE_MODE = 0o1777, 0o644


@contextmanager
def held(run_id: str, runs: Path, *, share: bool) -> Iterator[list[str]]:
    """Note the run as under way until the block ends; yields the others that are, in words.

    :param runs: the folder of its results, which helps a person to recognise it
    :param share: start beside others
    :raises InputError: another run is under way and ``share`` is false, runs cannot be noted, or TMPDIR is no
        folder: brokers' data would be on another disk than was asked for
    """
    _check_asked_for()
    path = FOLDER / f"{run_id}{SUFFIX}"
    try:
        with _locked(FOLDER):
            others = _under_way(FOLDER)
            if others and not share:
                raise InputError("breakeven run", "this machine", None, _remedy(others))
            noted = _note(path, f"{run_id} (process {os.getpid()}, results in {runs.absolute()})")
    except OSError as error:
        remedy = (
            f"runs of this machine cannot be noted there ({error.strerror}), where others see them; "
            f"have {FOLDER.parent} writable for everybody, and {FOLDER.name} in it a folder"
        )
        raise InputError("breakeven run", "folder", str(FOLDER), remedy) from None
    try:
        yield others
    finally:
        path.unlink(missing_ok=True)
        os.close(noted)


def _check_asked_for() -> None:
    """Python takes another folder in silence."""
    asked = os.environ.get("TMPDIR")
    if asked and not (os.path.isdir(asked) and os.access(asked, os.W_OK | os.X_OK)):
        remedy = "is no folder in which files can be made; make it, or unset TMPDIR"
        raise InputError("breakeven run", "TMPDIR", asked, remedy)


def _remedy(others: list[str]) -> str:
    are = "is" if len(others) == 1 else "are"
    return (
        f"{', '.join(others)} {are} under way, and two runs at once would each measure the other; wait for "
        "the end, or give --share, which flags every case of this run"
    )


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with suppress(FileExistsError):
        folder.mkdir(parents=True)
        folder.chmod(_FOLDER_MODE)
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)


def _note(path: Path, text: str) -> int:
    """The file's descriptor, which holds the lock until it is closed."""
    opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, _FILE_MODE)
    os.fchmod(opened, _FILE_MODE)
    os.write(opened, text.encode())
    fcntl.flock(opened, fcntl.LOCK_EX)
    return opened


def _under_way(folder: Path) -> list[str]:
    """What the runs say of themselves; files of runs that were killed are removed."""
    found = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        with suppress(OSError):  # another user's, whose folder this is
            opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
            except BlockingIOError:
                found.append(_printable(os.read(opened, 1000)))
            finally:
                os.close(opened)
    return found


def _printable(text: bytes) -> str:
    """Another user's text is nothing that a terminal would take for a command."""
    return "".join(each if each.isprintable() else " " for each in text.decode(errors="replace"))
