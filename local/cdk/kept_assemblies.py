"""Cloud assemblies of runs before: what has not changed is not synthesized again, which takes ten seconds.

An assembly is known by the digest of all that it is made from: the files that the CDK app reads, the
context and the Python that runs it. A run works on a copy of its own: none needs what another may remove.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[2]
KEPT_IN = ROOT / ".cache" / "assemblies"
#: all that the app reads of the checkout (tests/unit/local/test_local_assemblies.py sees to it)
INPUTS = ("cdk.json", "functions", "infra", "nodes", "queries", "requirements", "scenarios")
#: what decides beside the files; where the result is written does not
CONTEXT = "CDK_"
OUTDIR = "CDK_OUTDIR"
#: how many assemblies stay, the newest: of two branches, say
KEPT = 3


def digest(environment: Mapping[str, str], root: Path = ROOT) -> str:
    """What an assembly would be made from, as a hexadecimal SHA-256.

    :param environment: that of the app's process
    """
    made = hashlib.sha256()
    said = {name: value for name, value in environment.items() if name.startswith(CONTEXT) and name != OUTDIR}
    for part in (str(root), sys.version, version("aws-cdk-lib"), repr(sorted(said.items()))):
        _add(made, part.encode())
    for path in _files(root):
        _add(made, str(path.relative_to(root)).encode())
        _add(made, f"{path.stat().st_mode:o}".encode())
        _add(made, path.read_bytes())
    return made.hexdigest()


def bring(name: str, outdir: Path, kept_in: Path = KEPT_IN) -> bool:
    """Copy the assembly of that digest to ``outdir``; False where there is none that can be read whole."""
    found = kept_in / name
    if not found.is_dir():
        return False
    try:
        shutil.copytree(found, outdir)
        found.touch()
    except OSError:  # another run removed it just now, or nobody may read it
        shutil.rmtree(outdir, ignore_errors=True)
        return False
    return True


def keep(name: str, outdir: Path, kept_in: Path = KEPT_IN) -> None:
    """Keep a copy for the runs to come. It saves time and nothing else: what cannot be kept is not."""
    try:
        kept_in.mkdir(parents=True, exist_ok=True)
        copy = Path(tempfile.mkdtemp(dir=kept_in, prefix="."))
        try:
            shutil.copytree(outdir, copy, dirs_exist_ok=True)
            copy.rename(kept_in / name)  # whole or not at all
        finally:
            shutil.rmtree(copy, ignore_errors=True)
        _remove_all_but_the_newest(kept_in)
    except OSError:
        return


def _remove_all_but_the_newest(kept_in: Path) -> None:
    newest_first = sorted(kept_in.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in newest_first[KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


def _files(root: Path) -> Iterator[Path]:
    for name in INPUTS:
        top = root / name
        if top.is_file():
            yield top
        for folder, folders, names in os.walk(top):
            folders[:] = sorted(each for each in folders if each != "__pycache__")
            yield from (Path(folder, each) for each in sorted(names) if not each.endswith(".pyc"))


def _add(made: hashlib._Hash, part: bytes) -> None:
    """With its length, so that no two lists of parts are one text."""
    made.update(len(part).to_bytes(8, "big"))
    made.update(part)
