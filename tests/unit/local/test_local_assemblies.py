"""An assembly of a run before serves again where all that it is made from is as it was, and only there."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from breakeven.errors import BreakevenError
from local.cdk import kept_assemblies, synth
from local.children import Children

ENVIRONMENT = {"CDK_OUTDIR": "/somewhere", "CDK_CONTEXT_JSON": "{}", "HOME": "/home/one"}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    for name in kept_assemblies.INPUTS:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix:
            path.write_text("{}")
        else:
            (path / "deeper").mkdir(parents=True)
            (path / "deeper" / "file.py").write_text("one")
    (root / "infra" / "__pycache__").mkdir()
    return root


def test_the_same_is_known_again_wherever_it_is_written_and_whoever_runs_it(checkout: Path) -> None:
    (checkout / "infra" / "__pycache__" / "stack.pyc").write_text("compiled")
    (checkout / "README.md").write_text("not read by the app")
    before = kept_assemblies.digest(ENVIRONMENT, checkout)
    (checkout / "infra" / "__pycache__" / "stack.pyc").write_text("compiled again")
    (checkout / "README.md").write_text("another")
    assert kept_assemblies.digest({**ENVIRONMENT, "CDK_OUTDIR": "/else", "HOME": "/two"}, checkout) == before


@pytest.mark.parametrize("name", kept_assemblies.INPUTS)
def test_whatever_is_read_makes_another(checkout: Path, name: str) -> None:
    before = kept_assemblies.digest(ENVIRONMENT, checkout)
    path = checkout / name
    (path if path.is_file() else path / "deeper" / "file.py").write_text("two")
    assert kept_assemblies.digest(ENVIRONMENT, checkout) != before


CHANGES: dict[str, Callable[[Path], object]] = {
    "another name": lambda root: (root / "nodes/deeper/file.py").rename(root / "nodes/deeper/else.py"),
    "one file more": lambda root: (root / "queries" / "new.sql").write_text(""),
    "one file less": lambda root: (root / "scenarios" / "deeper" / "file.py").unlink(),
    "a program": lambda root: (root / "nodes" / "deeper" / "file.py").chmod(0o755),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_names_and_permissions_count(checkout: Path, change: Callable[[Path], object]) -> None:
    before = kept_assemblies.digest(ENVIRONMENT, checkout)
    change(checkout)
    assert kept_assemblies.digest(ENVIRONMENT, checkout) != before


@pytest.mark.parametrize(
    "changed",
    [
        {"CDK_CONTEXT_JSON": '{"a": 1}'},
        {"CDK_DEFAULT_REGION": "eu-west-1"},
        {"JSII_RUNTIME": "/another"},
        {"NODE_OPTIONS": "--no-deprecation"},
    ],
)
def test_context_counts(checkout: Path, changed: dict[str, str]) -> None:
    assert kept_assemblies.digest({**ENVIRONMENT, **changed}, checkout) != kept_assemblies.digest(
        ENVIRONMENT, checkout
    )


def test_what_is_kept_is_a_copy_and_so_is_what_is_brought(tmp_path: Path) -> None:
    made, kept = _assembly(tmp_path / "made"), tmp_path / "kept"
    kept_assemblies.keep("one", made, kept)
    (made / "asset" / "start").write_text("changed since")
    assert kept_assemblies.bring("one", tmp_path / "first", kept)
    assert (tmp_path / "first" / "asset" / "start").stat().st_mode & 0o777 == 0o755
    (tmp_path / "first" / "asset" / "start").write_text("changed, too")
    assert kept_assemblies.bring("one", tmp_path / "second", kept)
    assert (tmp_path / "second" / "asset" / "start").read_text() == "as synthesized"
    assert not kept_assemblies.bring("another", tmp_path / "third", kept)
    assert not (tmp_path / "third").exists()


def test_the_newest_stay(tmp_path: Path) -> None:
    made, kept = _assembly(tmp_path / "made"), tmp_path / "kept"
    for number in range(kept_assemblies.KEPT + 2):
        kept_assemblies.keep(str(number), made, kept)
        (folder,) = kept.glob(f"{number}-*")
        os.utime(folder, (number, number))
    kept_assemblies.keep("last", made, kept)
    assert sorted(path.name.partition("-")[0] for path in kept.iterdir()) == ["3", "4", "last"]


def test_what_cannot_be_kept_is_not(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("where a folder should be")
    kept_assemblies.keep("one", _assembly(tmp_path / "made"), tmp_path / "file")
    assert not kept_assemblies.bring("one", tmp_path / "out", tmp_path / "file")


def test_half_an_assembly_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "kept"
    kept_assemblies.keep("one", _assembly(tmp_path / "made"), kept)

    def fails(_from: Path, to: Path) -> None:
        to.mkdir()
        raise OSError("another run removed it")

    monkeypatch.setattr(kept_assemblies.shutil, "copytree", fails)
    assert not kept_assemblies.bring("one", tmp_path / "out", kept)
    assert not (tmp_path / "out").exists()


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stands for Python running the CDK app: counts its runs, and fails where it is asked to."""
    program = tmp_path / "app"
    program.write_text(
        f'#!/bin/sh\necho run >> "{tmp_path}/runs"\n[ ! -e "{tmp_path}/broken" ] || exit 1\n'
        'mkdir -p "$CDK_OUTDIR" && echo made > "$CDK_OUTDIR/manifest.json"\n'
    )
    program.chmod(0o755)
    monkeypatch.setattr(synth, "sys", type("Python", (), {"executable": str(program)}))
    monkeypatch.setattr(kept_assemblies, "digest", lambda environment: "one")
    return tmp_path


def test_the_app_runs_once_for_two_runs_with_nothing_changed(app: Path) -> None:
    for name in ("first", "second"):
        with Children() as children:
            made = synth.Synthesis(children, app / name, app / "kept").result()
        assert (made / "manifest.json").read_text() == "made\n"
    assert (app / "runs").read_text() == "run\n"


def test_what_fails_is_not_kept(app: Path) -> None:
    (app / "broken").touch()
    for name in ("first", "second"):
        with Children() as children, pytest.raises(BreakevenError, match="does not synthesize"):
            synth.Synthesis(children, app / name, app / "kept").result()
    assert (app / "runs").read_text() == "run\nrun\n"


def test_what_is_edited_while_the_app_runs_is_not_kept(app: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was made may be of the files before, or after, or of some of each."""
    seen = iter(["before", "after"])
    monkeypatch.setattr(kept_assemblies, "digest", lambda environment: next(seen))
    with Children() as children:
        synth.Synthesis(children, app / "first", app / "kept").result()
    assert not (app / "kept").exists()


def test_one_that_was_changed_where_it_is_kept_is_none(tmp_path: Path) -> None:
    for number, harm in enumerate((Path.unlink, Path.touch, lambda path: path.write_text("another"))):
        kept = tmp_path / f"kept{number}"
        kept_assemblies.keep("one", _assembly(tmp_path / f"made{number}"), kept)
        (file,) = (path for path in kept.rglob("*") if path.is_file())
        harm(file)
        out = tmp_path / f"out{number}"
        assert kept_assemblies.bring("one", out, kept) == (harm is Path.touch)
        assert out.exists() == (harm is Path.touch)


MAKERS: dict[str, Callable[[pytest.MonkeyPatch, Path], object]] = {
    "Python": lambda patch, _: patch.setattr(sys, "version", "3.99"),
    "Node.js": lambda patch, bin_: _program(patch, bin_ / "node", "echo v99.0.0"),
    "the CDK": lambda patch, _: patch.setattr(
        kept_assemblies, "packages", lambda: ["aws_cdk_lib-99.dist-info"]
    ),
}


@pytest.mark.parametrize("change", MAKERS.values(), ids=MAKERS.keys())
def test_what_makes_it_is_part_of_the_digest(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[..., object]
) -> None:
    before = kept_assemblies.digest(ENVIRONMENT, checkout)
    change(monkeypatch, tmp_path)
    assert kept_assemblies.digest(ENVIRONMENT, checkout) != before


def test_the_cdk_is_among_the_packages() -> None:
    installed = f"aws_cdk_lib-{version('aws-cdk-lib')}.dist-info"
    assert installed in kept_assemblies.packages()
    assert f"constructs-{version('constructs')}.dist-info" in kept_assemblies.packages()


def _program(monkeypatch: pytest.MonkeyPatch, path: Path, line: str) -> None:
    """One that is found before those of the machine."""
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}:{os.environ['PATH']}")


def _assembly(path: Path) -> Path:
    (path / "asset").mkdir(parents=True)
    (path / "asset" / "start").write_text("as synthesized")
    (path / "asset" / "start").chmod(0o755)
    return path
