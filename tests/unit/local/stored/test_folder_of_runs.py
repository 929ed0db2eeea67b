"""The folder of runs before one starts, and the link in it to the latest."""

from __future__ import annotations

import errno
import os
from contextlib import nullcontext
from pathlib import Path

import pytest

from breakeven.errors import InputError
from local.stored.export import check_folder, point_latest


def test_a_copy_of_the_latest_run_in_the_place_of_its_link_is_refused_before_anything_starts(
    runs: Path,
) -> None:
    (runs / "latest").mkdir(parents=True)
    with pytest.raises(InputError) as refused:
        check_folder(runs)
    assert (refused.value.field, refused.value.value) == ("--runs", str(runs / "latest"))
    assert "rename it" in refused.value.remedy
    (runs / "latest").rename(runs / "copy")
    (runs / "latest").symlink_to("gone")
    check_folder(runs)
    assert {path.name for path in runs.iterdir()} == {"latest", "copy"}


@pytest.mark.parametrize(
    ("number", "fails"), [(errno.EPERM, False), (errno.ENOSYS, False), (errno.ENOSPC, True)]
)
def test_a_run_goes_on_where_the_file_system_has_no_links(
    runs: Path, monkeypatch: pytest.MonkeyPatch, number: int, fails: bool
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "symlink_to", refuse)
    runs.mkdir()
    with pytest.raises(OSError, match="space") if fails else nullcontext():
        point_latest(runs, "r1")
    assert not list(runs.iterdir())
