"""Cloud assemblies of runs before: what has not changed is not synthesized again, which takes ten seconds.

An assembly is known by the digest of all that it is made from: the files that the CDK app reads, the
context, and the programs that make it. A run works on a copy of its own: none needs what another may remove.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
KEPT_IN = ROOT / ".cache" / "assemblies"
#: all that the app reads of the checkout (tests/infra/app/test_app_inputs.py sees to it)
INPUTS = ("cdk.json", "functions", "infra", "nodes", "queries", "requirements", "scenarios")
#: what decides beside the files: variables of the CDK, of its bridge to Node.js, and of that
CONTEXT = ("CDK_", "JSII_", "NODE_")
#: where the result is written does not
OUTDIR = "CDK_OUTDIR"
#: how many assemblies stay, the newest: of two branches, say
KEPT = 3


def digest(environment: Mapping[str, str], root: Path = ROOT) -> str:
    """What an assembly would be made from, as a hexadecimal SHA-256.

    :param environment: that of the app's process
    """
    made = hashlib.sha256()
    context = sorted(
        item for item in environment.items() if item[0].startswith(CONTEXT) and item[0] != OUTDIR
    )
    for part in (str(root), sys.version, node_version(), *packages(), repr(context)):
        _add(made, part.encode())
    for name in INPUTS:
        _add_files(made, root, root / name)
    return made.hexdigest()


def node_version() -> str:
    """Of the Node.js in which the CDK works: on the path, of one that has changed since, too."""
    return subprocess.run(["node", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout


def packages() -> list[str]:
    """Python's packages, each with its version: the CDK's, and whatever the app imports."""
    return sorted(path.name for path in Path(sysconfig.get_path("purelib")).glob("*.dist-info"))


def bring(name: str, outdir: Path, kept_in: Path = KEPT_IN) -> bool:
    """Copy the assembly of that digest to ``outdir``; False where there is none that is whole."""
    for found in kept_in.glob(f"{name}-*"):
        try:
            shutil.copytree(found, outdir)
            if found.name == _kept_as(name, outdir):
                found.touch()
                return True
        except OSError:  # another run removed it just now, or nobody may read it
            pass
        shutil.rmtree(outdir, ignore_errors=True)
    return False


def keep(name: str, outdir: Path, kept_in: Path = KEPT_IN) -> None:
    """Keep a copy for the runs to come. It saves time and nothing else: what cannot be kept is not."""
    try:
        kept_in.mkdir(parents=True, exist_ok=True)
        copy = Path(tempfile.mkdtemp(dir=kept_in, prefix="."))
        try:
            shutil.copytree(outdir, copy, dirs_exist_ok=True)
            copy.rename(kept_in / _kept_as(name, copy))  # whole or not at all
        finally:
            shutil.rmtree(copy, ignore_errors=True)
        _remove_all_but_the_newest(kept_in)
    except OSError:
        return


def _kept_as(name: str, assembly: Path) -> str:
    """The folder's name: what it was made from, and what it holds, so that one that has changed is seen."""
    made = hashlib.sha256()
    _add_files(made, assembly, assembly)
    return f"{name}-{made.hexdigest()[:16]}"


def _remove_all_but_the_newest(kept_in: Path) -> None:
    newest_first = sorted(kept_in.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in newest_first[KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


def _add_files(made: hashlib._Hash, root: Path, top: Path) -> None:
    """Each file's path from ``root``, permissions and content."""
    for path in _files(top):
        _add(made, str(path.relative_to(root)).encode())
        _add(made, f"{path.stat().st_mode:o}".encode())
        _add(made, path.read_bytes())


def _files(top: Path) -> Iterator[Path]:
    if top.is_file():
        yield top
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(each for each in folders if each != "__pycache__")
        yield from (Path(folder, each) for each in sorted(names) if not each.endswith(".pyc"))


def _add(made: hashlib._Hash, part: bytes) -> None:
    """With its length, so that no two lists of parts are one text."""
    made.update(len(part).to_bytes(8, "big"))
    made.update(part)
