"""Where ``--out`` writes to: looked at before anything else, and what is wrong with it is one line."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from pathlib import Path

import pytest

from breakeven.errors import InputError
from cli import calculator_command
from cli.main import main
from cli.out_file import check_out, write_out
from local.stored import calculator_file
from tests.support.refused_input import refused

#: each names something that only its work would find missing
COMMANDS = (
    ["calculator", "--region", "eu-north-9"],
    ["compare", "r1", "r2", "--runs", "/nowhere"],
    ["trend", "quick", "--runs", "/nowhere"],
)


@pytest.fixture
def places(tmp_path: Path) -> dict[str, tuple[str, str]]:
    """By fault: what --out names, and what is said of it."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "fifo")
    missing = tmp_path / "a" / "b"
    remedies = {
        f"{tmp_path}/folder": f"is a folder; name a file in it, such as {tmp_path}/folder/page.html",
        f"{missing}/page.html": f"there is no folder {missing}; make it, or give another file",
        f"{tmp_path}/file/page.html": f"{tmp_path}/file is no folder; give another file",
        f"{tmp_path}/fifo": "is no regular file; give another file",
        "/proc/1/page.html": "cannot be written: ",
        f"{tmp_path}/{'a' * 300}": "cannot be written: File name too long; give another file",
    }
    faults = ("folder", "missing", "in a file", "fifo", "unwritable", "long")
    return dict(zip(faults, remedies.items(), strict=True))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("fault", ["folder", "missing", "in a file", "fifo", "unwritable", "long"])
def test_a_place_that_will_not_do_is_said_before_any_work(command, fault, places, tmp_path, capsys):
    before = sorted(tmp_path.rglob("*"))
    out, remedy = places[fault]
    said = refused(capsys, *command, "--out", out)
    assert said.startswith(f"error: breakeven {command[0]}: --out: '{out}': {remedy}")
    assert sorted(tmp_path.rglob("*")) == before, "nothing is made, and nothing left"


def test_a_place_that_will_do_is_left_as_it_is(tmp_path):
    (tmp_path / "old.html").write_text("before")
    for name in ("old.html", "new.html", "ä" * 127):
        check_out(tmp_path / name, "calculator")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"old.html": "before"}


def test_a_name_may_be_as_long_as_names_may_be(tmp_path):
    write_out(tmp_path / ("ä" * 127), "<p>", "trend")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["<p>"]


def test_a_page_that_cannot_be_written_after_all_is_said(tmp_path):
    (tmp_path / "page.html").mkdir()
    with pytest.raises(InputError, match=r"trend: --out: '.*page\.html': cannot be written: Is a directory"):
        write_out(tmp_path / "page.html", "<p>", "trend")


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path):
    (tmp_path / "site").mkdir()
    link, other = tmp_path / "page.html", tmp_path / "site" / "index.html"
    for before in (None, "before"):
        link.unlink(missing_ok=True)
        link.symlink_to("site/index.html")
        if before:
            other.write_text(before)
        check_out(link, "breakeven trend")
        write_out(link, "<p>", "breakeven trend")
        assert (link.readlink(), other.read_text()) == (Path("site/index.html"), "<p>")
        assert os.listdir(other.parent) == ["index.html"]


def test_a_link_to_nowhere_is_said_with_the_folder_that_is_missing(tmp_path, capsys):
    link = tmp_path / "page.html"
    link.symlink_to("gone/index.html")
    said = refused(capsys, "trend", "quick", "--runs", "/nowhere", "--out", str(link))
    assert f"--out: '{link}': there is no folder {tmp_path / 'gone'}; make it, or give another file" in said


@pytest.mark.parametrize("why", [errno.EBUSY, errno.EXDEV, errno.EROFS, errno.EACCES])
def test_a_file_that_cannot_be_replaced_is_written_in_place(tmp_path, monkeypatch, why):
    """As one that is mounted by itself, which nothing can be renamed to."""
    path = tmp_path / "page.html"
    path.write_text("before, and longer")
    own = path.stat().st_ino

    def refused_by_system(*_, **__):
        raise OSError(why, os.strerror(why))

    monkeypatch.setattr(Path, "replace", refused_by_system)
    write_out(path, "<p>", "breakeven trend")
    assert (path.read_text(), path.stat().st_ino, os.listdir(tmp_path)) == ("<p>", own, ["page.html"])
    monkeypatch.setattr(tempfile, "NamedTemporaryFile", refused_by_system)
    check_out(path, "breakeven trend")
    with pytest.raises(InputError, match=r"new\.html': cannot be written: "):
        check_out(tmp_path / "new.html", "breakeven trend")


def test_who_may_read_a_page_stays_as_it_is(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("before")
    path.chmod(0o600)
    write_out(path, "<p>", "breakeven trend")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("<p>", 0o600)


def test_an_interrupt_leaves_what_was_there_and_nothing_beside_it(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    path.write_text("before")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_out(path, "<p>", "breakeven trend")
    assert (path.read_text(), os.listdir(tmp_path)) == ("before", ["page.html"])


def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    path.write_text("before")

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InputError, match="No space left on device"):
        write_out(path, "<p>", "breakeven trend")
    assert path.read_text() == "before"


def test_the_usual_folder_of_the_calculator_is_made_once_it_has_its_prices(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    said = refused(capsys, "calculator", "--region", "eu-north-9")
    assert "--region: 'eu-north-9': no such book" in said
    assert not calculator_command.OUT.parent.exists()
    monkeypatch.setattr(calculator_file, "calculator_page", lambda _: "<p>")
    assert main(["calculator"]) == 0
    assert calculator_command.OUT.read_text() == "<p>"


def test_a_full_disk_is_no_bad_input(tmp_path, monkeypatch, capsys):
    """README.md: 1 where the disk is full, of any command."""

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", full)
    assert main(["calculator", "--out", str(tmp_path / "page.html")]) == 1
    assert "No space left on device" in capsys.readouterr().err
