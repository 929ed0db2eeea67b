"""The proxy behind which a test has its own server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from local.children import Children
from local.servers.proxy.fault_proxy import FaultProxy
from tests.support.scripted.scripted_http import Reply, scripted
from tests.support.weather.behind_proxy import Behind


@pytest.fixture
def behind(tmp_path) -> Callable[..., Any]:
    @contextmanager
    def made(*script: bytes | Reply) -> Iterator[Behind]:
        with Children() as children, scripted(*script) as (port, heard):
            proxy = FaultProxy(children, f"http://127.0.0.1:{port}", tmp_path)
            proxy.start()
            yield Behind(proxy, heard, tmp_path)
            proxy.stop()
            proxy.stop()
            assert (children.running(), list(tmp_path.iterdir())) == ([], [])

    return made
