"""Corrections of moto where it differs from AWS and this workflow would notice: one function a patch.

Each tells the symptom and the mend, and a test of its name in ``tests/unit/local/patches/`` shows the symptom
without it. All are undone when their control plane closes. Written against the moto release that the lock
files name: attributes that are not there any more raise at once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from local.aws.boto import Aws
from local.aws.patches import ec2_patches, machine_patches, service_patches, state_patches
from local.aws.swaps import Patch, Swaps

MODULES = (machine_patches, state_patches, ec2_patches, service_patches)
#: in force while a control plane is open, in the order in which they stand in their modules
ALL = [each for module in MODULES for each in vars(module).values() if isinstance(each, Patch)]


@contextlib.contextmanager
def applied(aws: Aws, patches: Sequence[Patch] = ALL) -> Iterator[Swaps]:
    """Have ``patches`` (all of them unless said) in force; tests leave one out to see its symptom."""
    with Swaps() as swaps:
        for patch in patches:
            patch(swaps, aws)
        yield swaps
