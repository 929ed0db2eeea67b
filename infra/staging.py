"""Folders that become assets: a deployment zips them with the permissions that they have here.

So these are set, whatever the umask of the checkout and of the synthesis. AWS Lambda Developer Guide,
"Troubleshoot deployment issues", "Permission is denied": the function's user must be able to read all of a
package, which takes 644 for files and 755 for folders and programs. A digest says nothing of permissions: an
asset that was deployed with the wrong ones would stay as it is.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from aws_cdk import aws_s3_assets as assets
from constructs import Construct

FILE, FOLDER_OR_PROGRAM = 0o644, 0o755


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
