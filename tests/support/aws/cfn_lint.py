"""cfn-lint: CloudFormation's rules and its schemas of resources.

Imported where it is called: it brings a library of computer algebra with it, which every process of tests
would load as it collects them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any


def problems(template: dict[str, Any], region: str | None = None, left_out: Sequence[str] = ()) -> list[Any]:
    """What cfn-lint finds wrong with a template: its matches.

    :param left_out: ids of rules
    """
    from cfnlint.api import ManualArgs, lint  # noqa: PLC0415

    config = ManualArgs(regions=[region], ignore_checks=[*left_out]) if region else None
    return list(lint(json.dumps(template), config=config))


def resource_schema(kind: str) -> dict[str, Any]:
    """CloudFormation's schema of a type of resource."""
    from cfnlint.schema import PROVIDER_SCHEMA_MANAGER  # noqa: PLC0415

    found: dict[str, Any] = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", kind).schema
    return found
