"""What is deployed can be read by the user that functions run as, whatever the umask here."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aws_cdk as cdk
import pytest

from infra.code import PipBundling, asset
from local.cdk.assembly import read_stack

STACK = "QueueBreakeven"


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def fill(folder: Path) -> None:
    """A file, and a program in a folder, with whatever permissions the umask leaves."""
    (folder / "bin").mkdir()
    (folder / "module.py").write_text("print()")
    (folder / "bin" / "start").write_text("#!/bin/sh")
    program = (folder / "bin" / "start").stat().st_mode
    (folder / "bin" / "start").chmod(program | (0o100 if program & 0o077 == 0 else 0o111))


def permissions(folder: Path) -> dict[str, int]:
    """What the app has put there; a local run compiles its own copy beside it."""
    return {
        str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode)
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


@pytest.mark.parametrize("mask", [0o022, 0o027, 0o077])
def test_what_is_staged_can_be_read_by_others_under_any_umask_and_has_the_same_digest(tmp_path, mask):
    with umask(mask):
        app = cdk.App(outdir=str(tmp_path / "out"))
        made = asset(cdk.Stack(app, "Stack"), "Files", fill)
        app.synth()
    (staged,) = (path for path in (tmp_path / "out").iterdir() if path.name.startswith("asset."))
    assert permissions(staged) == {"module.py": 0o644, "bin/start": 0o755}
    assert staged.name == f"asset.{made.asset_hash}"
    with umask(0o022):
        same = asset(cdk.Stack(cdk.App(outdir=str(tmp_path / "same")), "Stack"), "Files", fill)
    assert same.asset_hash == made.asset_hash


def test_packages_of_the_layer_can_be_read_by_others_under_any_umask(tmp_path, monkeypatch):
    def install(command: list[str], **_: object) -> None:
        target = Path(command[command.index("--target") + 1])
        target.mkdir()
        fill(target)

    monkeypatch.setattr(subprocess, "run", install)
    with umask(0o077):
        assert PipBundling().try_bundle(str(tmp_path))
    assert permissions(tmp_path) == {"python/module.py": 0o644, "python/bin/start": 0o755}


def test_every_asset_of_the_app_can_be_read_by_others(assembly):
    """The assembly is made under a umask of 077; the layer's packages are not fetched for it."""
    folders = [asset.source for asset in read_stack(assembly, STACK).assets if asset.zipped]
    held = [folder for folder in folders if not (folder / "pip.lock").exists()]
    assert len(held) == len(folders) - 1
    names = {path.name for folder in held for path in folder.iterdir()}
    assert {"handlers", "Dockerfile", "install"} <= names
    for folder in held:
        for name, mode in permissions(folder).items():
            assert mode in {0o644, 0o755}, name


def test_the_apps_assets_are_the_same_under_another_umask(assembly, plain):
    def keys(template: dict[str, object]) -> set[str]:
        made = template["Resources"].values()
        return {str(each["Properties"]["Code"]) for each in made if each["Type"] == "AWS::Lambda::Function"}

    assert keys(read_stack(assembly, STACK).template) == keys(plain.template)
