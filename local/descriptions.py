"""botocore's descriptions of the services: megabytes, which each of its sessions would read anew.

The simulated AWS and a run begin some twenty sessions in one process.
"""

from __future__ import annotations

from functools import cache

import botocore.session
from botocore.loaders import create_loader


def read_once() -> None:
    """Have all sessions that begin from now on read through one loader, which keeps what it has read."""
    botocore.session.create_loader = _kept_loader


_kept_loader = cache(create_loader)
