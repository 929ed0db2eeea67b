"""Versions of what a run is measured with, which its plan keeps: its report may be made anew elsewhere."""

from __future__ import annotations

import platform
from importlib import metadata

PACKAGES = ("boto3", "botocore", "pika", "numpy", "pydantic", "aws-lambda-powertools")


def versions() -> dict[str, str]:
    """Of Python and of the packages of this process, by name."""
    return {"python": platform.python_version()} | {name: metadata.version(name) for name in PACKAGES}
