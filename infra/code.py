"""Assets deployed beside the template: folders, our packages among them, and a layer.

A deployment zips a folder with the permissions that it has here. So these are set, whatever the umask of the
checkout and of the synthesis. AWS Lambda Developer Guide, "Troubleshoot deployment issues", "Permission is
denied": the function's user must be able to read all of a package, which takes 644 for files and 755 for
folders and programs. A digest says nothing of permissions: an asset that was deployed with the wrong ones
would stay as it is.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import aws_cdk as cdk
import jsii
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3_assets as assets
from constructs import Construct

from breakeven.clients.core.loading import MACHINES, compiled_path
from breakeven.report.render.bundle import BUNDLE

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "requirements" / "functions.lock"
PYTHON = "3.13"
RUNTIME = lambda_.Runtime.PYTHON_3_13
ARCHITECTURE = lambda_.Architecture.ARM_64
#: Lambda's Python 3.13 runs on Amazon Linux 2023 (glibc 2.34); pip wants each tag that may be used named
PLATFORMS = [f"manylinux_2_{minor}_aarch64" for minor in (34, 31, 28, 27, 26, 24, 17)] + [
    "manylinux2014_aarch64"
]
FILE, FOLDER_OR_PROGRAM = 0o644, 0o755
SET_UP = "run setup/setup.sh deploy"


@jsii.implements(cdk.ILocalBundling)
class PipBundling:
    """Fills the dependency layer with wheels for Lambda's platform; needs no container engine."""

    def try_bundle(self, output_dir: str, *_: object, **__: object) -> bool:
        subprocess.run(
            [
                *(sys.executable, "-m", "pip", "install", "--quiet", "--no-compile"),
                *("--require-hashes", "--no-deps", "-r", str(LOCK), "--target", f"{output_dir}/python"),
                *(option for platform in PLATFORMS for option in ("--platform", platform)),
                *("--python-version", PYTHON, "--only-binary=:all:"),
            ],
            check=True,
            stdout=sys.stderr,
        )
        let_all_read(Path(output_dir))
        return True


def code(scope: Construct) -> lambda_.Code:
    """Our packages and the shipped suites, nothing else."""
    staged = asset(scope, "Code", assemble)
    cdk.Annotations.of(scope).acknowledge_warning(
        "@aws-cdk/aws-lambda:codeFromBucketObjectVersionNotSpecified",
        "the object's key is the hash of what is in it: other code has another key",
    )
    return lambda_.Code.from_bucket_v2(staged.bucket, staged.s3_object_key)


def assemble(target: Path) -> None:
    """Copy all that is deployed into a folder.

    :raises RuntimeError: what the set-up compiles or bundles is missing; without it, loaders would be slower,
        and no run would have a report
    """
    missing = [machine for machine in MACHINES if not compiled_path(machine).exists()]
    if missing:
        raise RuntimeError(f"the core is not compiled for {', '.join(missing)}: {SET_UP}")
    if not BUNDLE.is_file() or not BUNDLE.stat().st_size:
        raise RuntimeError(f"the script of the report's page is not bundled, {BUNDLE}: {SET_UP}")
    ignore = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in ("handlers", "breakeven"):
        shutil.copytree(ROOT / "functions" / name, target / name, ignore=ignore)
    shutil.copytree(ROOT / "scenarios", target / "scenarios", ignore=ignore)


def dependencies(scope: Construct) -> lambda_.LayerVersion:
    """The layer; its hash is of the lock, so that the template is the same with and without the wheels."""
    digest = hashlib.sha256(LOCK.read_bytes() + f"{PYTHON}{PLATFORMS}".encode()).hexdigest()
    return lambda_.LayerVersion(
        scope,
        "Dependencies",
        compatible_runtimes=[RUNTIME],
        compatible_architectures=[ARCHITECTURE],
        code=lambda_.Code.from_asset(
            str(ROOT / "requirements"),
            exclude=["*.in", "run.lock", "test.lock"],
            asset_hash=digest,
            asset_hash_type=cdk.AssetHashType.CUSTOM,
            bundling=cdk.BundlingOptions(image=RUNTIME.bundling_image, local=PipBundling()),
        ),
    )


def asset(scope: Construct, construct_id: str, fill: Callable[[Path], None]) -> assets.Asset:
    """What ``fill`` puts into an empty folder, staged here and now."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder)
        let_all_read(folder)
        return assets.Asset(scope, construct_id, path=name)


def let_all_read(folder: Path) -> None:
    """Everybody reads and executes what its owner does, and only the owner writes."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            runs = path.is_dir() or path.stat().st_mode & 0o100
            path.chmod(FOLDER_OR_PROGRAM if runs else FILE)
