"""Descriptions of services are read once in a process, whichever session asks."""

from __future__ import annotations

import botocore.session

from local import descriptions


def test_sessions_share_what_one_has_read():
    descriptions.read_once()
    first, second = (botocore.session.Session().get_component("data_loader") for _ in range(2))
    assert first.load_service_model("sqs", "service-2") is second.load_service_model("sqs", "service-2")
