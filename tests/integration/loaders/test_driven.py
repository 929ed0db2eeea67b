"""Which path drove a case over TLS, on this Python and on the deployed one: its rows and flags say it."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from breakeven.clients.core.loading import SWITCH
from breakeven.loadgen.merge import Measurement, merge
from breakeven.loadgen.result import LoaderResult
from tests.support.scripted import amqp_wire as wire
from tests.support.scripted.certificates import make_certificate_for
from tests.support.scripted.fakes import FakeBroker, make_case
from tests.support.scripted.scripted_broker import ScriptedBroker, scripted
from tests.support.scripted.served_broker import LOOPBACK, serving
from tests.support.scripted.tls import terminator
from tests.support.workflow.processes import eventually

ROOT = Path(__file__).parents[3]
MESSAGES = 60
CASE = make_case(mode="load-unload", messages=MESSAGES, client="native").model_copy(
    update={"target": "sqs-standard"}
)


@pytest.fixture
def loaded(python: Path, tmp_path: Path) -> Callable[..., Measurement]:
    """Runs the case's loader on that Python, against an SQS in memory behind TLS."""
    own, key = make_certificate_for(LOOPBACK)
    (tmp_path / "trusted.pem").write_text(own)
    (tmp_path / "served.pem").write_text(own + key)

    def load(**environment: str) -> Measurement:
        with (
            serving(FakeBroker()) as endpoint,
            terminator(tmp_path / "served.pem", int(endpoint.rpartition(":")[2])) as port,
        ):
            child = subprocess.run(
                [python, "-m", "tests.support.loaders.loader_child"],
                input=json.dumps({"case": CASE.model_dump(mode="json"), "queue": "a-queue"}),
                cwd=ROOT,
                env={
                    "PATH": "/usr/bin:/bin",
                    "PYTHONPATH": f"{ROOT}/functions:{ROOT}",
                    "AWS_ENDPOINT_URL_SQS": f"https://{LOOPBACK}:{port}",
                    "AWS_CA_BUNDLE": str(tmp_path / "trusted.pem"),
                    "AWS_DEFAULT_REGION": "us-east-1",
                    "AWS_ACCESS_KEY_ID": "local",
                    "AWS_SECRET_ACCESS_KEY": "local",
                    **environment,
                },
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
        assert child.returncode == 0, child.stderr
        return merge([LoaderResult.from_json(json.loads(child.stdout))], None)

    return load


def rows_of(measurement: Measurement) -> tuple[dict[str, tuple[int, int]], dict[str, Any]]:
    """By metric the core's operations and the general path's; the first row of the loader."""
    rows = measurement.rows(CASE)
    paths = {row["metric"]: (row["core_operations"], row["general_operations"]) for row in rows["totals"]}
    return paths, rows["loaders"][0]


def test_over_tls_the_core_drives_every_operation_and_the_rows_say_core(loaded, python) -> None:
    measurement = loaded()
    paths, loader = rows_of(measurement)
    assert paths == dict.fromkeys(("produce", "consume", "settle", "consume_cycle"), (MESSAGES, 0))
    assert "general_path" not in measurement.flags
    release = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
    assert (loader["fallback"], loader["runtime"]) == (None, release)
    assert str(loader["openssl"]).startswith("OpenSSL 3")
    assert loader["zone"] is None
    assert "no metadata endpoint" in loader["zone_unknown"]
    assert measurement.ledger.closed


def test_with_the_core_forced_off_rows_and_flag_say_the_general_path(loaded) -> None:
    measurement = loaded(**{SWITCH: "off"})
    paths, loader = rows_of(measurement)
    assert paths == dict.fromkeys(("produce", "consume", "settle", "consume_cycle"), (0, MESSAGES))
    assert "general_path" in measurement.flags
    assert loader["fallback"] == "the environment says BREAKEVEN_CORE=off"
    assert measurement.ledger.closed


@pytest.mark.parametrize("switch", ["on", "off"])
def test_over_tls_amqp_is_driven_by_the_core_too(tmp_path, python, switch):
    """Confirmed at once, by a broker that says only that."""
    own, key = make_certificate_for(LOOPBACK)
    (tmp_path / "served.pem").write_text(own + key)
    with scripted() as broker, terminator(tmp_path / "served.pem", broker.port) as port:
        broker.is_behind(port, own)
        threading.Thread(target=confirm, args=(broker,), daemon=True).start()
        child = subprocess.run(
            [python, "-m", "tests.support.loaders.amqp_child"],
            input=json.dumps({"access": broker.access.model_dump(mode="json"), "messages": MESSAGES}),
            cwd=ROOT,
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{ROOT}/functions:{ROOT}", SWITCH: switch},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert child.returncode == 0, child.stderr
    on = switch == "on"
    assert json.loads(child.stdout) == {
        "prepared": on,
        "answered": MESSAGES if on else 0,
        "by_general": 0,
        "fallback": None if on else "the environment says BREAKEVEN_CORE=off",
    }


def confirm(broker: ScriptedBroker) -> None:
    if eventually(lambda: len(broker.bodies) == MESSAGES):
        broker.say(wire.ack(MESSAGES, multiple=True))
