"""Building the app in this process, with whatever context: the construct tree and the template."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aws_cdk as cdk
import pytest

from infra.app import build
from tests.support.shared import made_once

#: every key at once, as an account that has grown would give them, and as the command line does: as text
GROWN = {
    "prefix": "team-a",
    "region": "eu-west-1",
    "zones": "eu-west-1a,eu-west-1b",
    "vpc_id": "vpc-0123456789abcdef0",
    "subnet_ids": "subnet-0123456789abcdef0,subnet-0123456789abcdef1",
    "route_table_ids": "rtb-0123456789abcdef0,rtb-0123456789abcdef1",
    "permissions_boundary": "arn:aws:iam::123456789012:policy/Boundary",
    "bootstrap_qualifier": "acme",
    "tags": "CostCenter=1234,Owner=team-a",
    "kms_key_arn": "arn:aws:kms:eu-west-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef",
    "log_retention_days": "90",
    "access_log_bucket": "central-logs",
    "mail": "team@example.com",
    "instance_type": "m7i.large",
    "architecture": "x86_64",
    "image": "/images/debian-12/amd64",
    "image_architectures": "x86_64",
    "bake": "true",
    "build_subnet_id": "subnet-0123456789abcdef2",
    "max_msg_per_s": "5000",
    "max_sqs_usd": "5",
    "suites": "quick,capacity",
    "publish": "true",
    "budget_usd": "100",
    "schedule": "cron(30 4 2 * ? *)",
    "schedule_suite": "capacity",
    "schedule_scale": "0.5",
    "schedule_time_zone": "Europe/Dublin",
    "no_run_alarm_days": "40",
}
#: a second installation, in a network of its own, with the keys that only such a one takes
BESIDE = {
    "prefix": "team-b",
    "zones": ["eu-west-1b", "eu-west-1c"],
    "permissions_boundary": "Boundary",
    "tags": {"CostCenter": "1234"},
    "publish": True,
}


@dataclass
class Built:
    """``artifact`` is what the assembly's manifest says of the stack."""

    settings: dict[str, Any]
    template: dict[str, Any]
    artifact: dict[str, Any]

    @cached_property
    def app(self) -> cdk.App:
        """The construct tree; built again where another worker has: trees cannot be shared, templates can."""
        with TemporaryDirectory() as folder:
            return _synthesized(self.settings, folder)[0]


def of(settings: dict[str, Any]) -> Built:
    """The app with these settings, each without ``breakeven:``."""
    with TemporaryDirectory() as folder:
        app, stack = _synthesized(settings, folder)
        artifact = {"name": stack.stack_name, "environment": stack.environment.name}
        built = Built(settings, stack.template, artifact)
        built.app = app
        return built


def shared(factory: pytest.TempPathFactory, name: str, settings: dict[str, Any]) -> Built:
    """The same, synthesized by one worker for all."""

    here: list[Built] = []

    def make(path: Path) -> None:
        here.append(of(settings))
        path.write_text(json.dumps([here[0].template, here[0].artifact]))

    path = made_once(factory, name, make)
    return here[0] if here else Built(settings, *json.loads(path.read_text()))


def _synthesized(settings: dict[str, Any], folder: str) -> tuple[cdk.App, Any]:
    context = {f"breakeven:{field}": value for field, value in settings.items()}
    app = cdk.App(context={"aws:cdk:bundling-stacks": [], **context}, outdir=folder)
    (stack,) = build(app).synth().stacks
    return app, stack
