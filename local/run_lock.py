"""The runs that are under way on this machine: two at once would each measure the other.

Each has a file that is named after it and locked (flock(2)) by its process, so that a run that was killed
holds nothing. The folder is locked only while somebody looks through it. It is the same for all users and
whatever TMPDIR says, so that runs whose data are on different disks see each other; containers that have a
/tmp of their own do not. An abstract socket would be of a network namespace, and XDG_RUNTIME_DIR of one user.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from breakeven.errors import InputError

#: of this machine. Only tests set another one
FOLDER = Path("/tmp/breakeven-runs")  # noqa: S108 - reached by its descriptor, and no link is followed
SUFFIX = ".lock"
#: of the folder and of each file: other users' runs must see them, and note their own
_FOLDER_MODE, _FILE_MODE = 0o1777, 0o644
#: looking through the folder takes milliseconds: who keeps it locked for longer does not look, seconds
PATIENCE_S = 10.0


@contextmanager
def held(run_id: str, runs: Path, *, share: bool) -> Iterator[list[str]]:
    """Note the run as under way until the block ends; yields the others that are, in words.

    :param runs: the folder of its results, which helps a person to recognise it
    :param share: start beside others
    :raises InputError: another run is under way and ``share`` is false, runs cannot be noted, or TMPDIR is no
        folder: brokers' data would be on another disk than was asked for
    """
    _check_asked_for()
    name = f"{run_id}{SUFFIX}"
    with _opened(FOLDER) as folder:
        try:
            with _locked(folder):
                others = _under_way(folder)
                if others and not share:
                    raise InputError("breakeven run", "this machine", None, _remedy(others))
                noted = _note(folder, name, f"{run_id} (process {os.getpid()}, results in {runs.absolute()})")
        except OSError as error:
            raise _not_noted(error) from None
        try:
            yield others
        finally:
            with suppress(OSError):  # somebody has cleared the folder, or its disk is no longer writable
                os.unlink(name, dir_fd=folder)
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


def _not_noted(error: OSError) -> InputError:
    remedy = (
        f"runs of this machine cannot be noted there, where others see them ({error.strerror}); it must be a "
        "folder in which everybody may make files (mode 1777), on a disk that has room: have its owner mend "
        "it, or remove it while no run is under way"
    )
    return InputError("breakeven run", "folder", str(FOLDER), remedy)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    """A descriptor of the folder, made where it is not there.

    All else goes through it: by its path somebody else's folder could become a link to any other in between.
    """
    try:
        with suppress(FileExistsError):
            folder.mkdir()
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        raise _not_noted(error) from None
    try:
        found = os.fstat(opened)
        if found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) != _FOLDER_MODE:
            with suppress(OSError):
                os.fchmod(opened, _FOLDER_MODE)
        yield opened
    finally:
        os.close(opened)


@contextmanager
def _locked(folder: int) -> Iterator[None]:
    """:raises OSError: somebody keeps it locked"""
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() > until:
                raise TimeoutError(errno.ETIMEDOUT, "another program keeps it locked") from None
            time.sleep(0.05)
    try:
        yield
    finally:
        fcntl.flock(folder, fcntl.LOCK_UN)


def _note(folder: int, name: str, text: str) -> int:
    """The file's descriptor, which holds the lock until it is closed.

    :raises OSError: there is no room for it; no file is left then
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    opened = os.open(name, flags, _FILE_MODE, dir_fd=folder)
    try:
        os.fchmod(opened, _FILE_MODE)
        fcntl.flock(opened, fcntl.LOCK_EX)
        os.write(opened, os.fsencode(text))
    except BaseException:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
        os.close(opened)
        raise
    return opened


def _under_way(folder: int) -> list[str]:
    """What the runs say of themselves; files of runs that were killed are removed."""
    found = []
    for name in sorted(name for name in os.listdir(folder) if name.endswith(SUFFIX)):
        with suppress(OSError):  # another user's, whose folder this is
            opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
            try:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(name, dir_fd=folder)
            except BlockingIOError:
                found.append(_printable(os.read(opened, 1000)))
            finally:
                os.close(opened)
    return found


def _printable(text: bytes) -> str:
    """Another user's text is nothing that a terminal would take for a command."""
    return "".join(each if each.isprintable() else " " for each in text.decode(errors="replace"))
