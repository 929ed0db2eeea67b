"""Faults of calls to SQS in mid-case: ordered by the watch, caused by the proxy, settled as rows.

The steps are the workflow's own, with a bucket and a state table in moto; the server is the one that stands
for SQS, the proxy a process of its own. The ledger has what the proxy says that it injected, to the message.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from breakeven.agent import order_agent
from breakeven.clients.core.loading import SWITCH
from breakeven.results import layout
from breakeven.results.fault_orders import FaultOrders
from breakeven.results.items import case_item
from breakeven.steps.case.load import load
from breakeven.steps.case.settle_case import settle
from breakeven.steps.case.watch import watch
from breakeven.targets.record import Waits
from breakeven.targets.sqs import sqs_standard
from breakeven.targets.target import open_target
from breakeven.workload.case import Case
from breakeven.workload.service_faults import ServiceFault
from local.children import Children
from local.servers.proxy.fault_proxy import FaultProxy
from local.servers.proxy.proxy_agent import ProxyAgent
from tests.support.aws.moto_results import installed
from tests.support.loaders.live_case import PATIENCE_S
from tests.support.shared import change_record
from tests.support.workflow.processes import eventually

#: for how long a message is hidden once it is received, seconds; longer than any is in hand
HIDDEN_S = 5
#: how late an order may be on a busy machine, seconds; that later ones are refused is tested elsewhere
LATE_S = 3.0
#: messages a second: each fault meets some calls, where other work leaves a tenth of a core, too
RATE = 100
#: the compiled core's in ``npm test``, the same client's general path and the reference client in test:aws
by_each_path = pytest.mark.parametrize(
    "path", ["core", *(pytest.param(path, marks=pytest.mark.installed) for path in ("general", "boto3"))]
)
WAITS = Waits(unknown=HIDDEN_S + 3.0, hidden=HIDDEN_S + 1.0)
Row = dict[str, Any]


@pytest.fixture(scope="module")
def warm_endpoint(sqs_server) -> str:
    """The server, its code compiled: of a cold one, on a busy machine, a fault may meet no call."""
    sqs_server.warm_up(100)
    return sqs_server.endpoint


@pytest.fixture
def proxy(warm_endpoint, tmp_path) -> Iterator[FaultProxy]:
    with Children() as children:
        made = FaultProxy(children, warm_endpoint, tmp_path)
        made.start()
        yield made
        made.stop()
        assert children.running() == []
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def drive(proxy, sqs_environment, queue_case, monkeypatch) -> Iterator[Callable[..., tuple[list[Row], Row]]]:
    """Runs a case with these faults by that path; the rows of its faults, and its ledger."""
    agents: list[ProxyAgent] = []
    with installed(monkeypatch) as services:

        def run(path: str, *faults: ServiceFault, target: str = "sqs-standard", **fields: Any) -> Any:
            if path == "general":
                monkeypatch.setenv(SWITCH, "off")
            change_record(monkeypatch, target, waits=WAITS)
            monkeypatch.setattr(order_agent, "LATE_S", LATE_S)
            monkeypatch.setattr(sqs_standard, "visibility_s", lambda workload: HIDDEN_S)
            monkeypatch.setenv(sqs_standard.FAULT_PROXY_VARIABLE, proxy.endpoint)
            case = _case(queue_case, target, "boto3" if path == "boto3" else "native", faults, fields)
            agents.append(ProxyAgent(FaultOrders(services.store, "run", target), proxy))
            agents[-1].start()
            return _driven(services, case)

        yield run
        for agent in agents:
            agent.end()
        threads = threading.enumerate
        assert eventually(lambda: not any(each.name.startswith("fault") for each in threads())), (
            "before moto goes"
        )


def _case(make: Any, target: str, client: str, faults: tuple[ServiceFault, ...], fields: Any) -> Case:
    workers = {"producers": 2, "consumers": 2, "client": client, "warmup_s": 0, "drain_s": 60}
    case = make(target, **{**workers, **fields}, faults=[each.model_dump() for each in faults])
    return case.model_copy(update={"limit_s": PATIENCE_S, "start_deadline_s": PATIENCE_S})


def _driven(services: Any, case: Case) -> tuple[list[Row], Row]:
    queues = open_target(case.target, None).prepare(case, attempt=1).queues
    services.store.put_json(layout.case_key("run", case.case_id), case.model_dump(mode="json"))
    services.state("run").update(case_item(case.case_id), queues=json.dumps(queues), attempt=1)
    with ThreadPoolExecutor(2) as pool:
        watching = pool.submit(watch, services, "run", case.case_id, 1, PATIENCE_S)
        pool.submit(load, services, "run", case.case_id, 1, 0).result(PATIENCE_S)
        watching.result(PATIENCE_S)
    assert settle(services, "run", case.case_id, 1)
    (ledger,) = services.store.rows("ledgers", "run", case.case_id)
    return services.store.rows("faults", "run", case.case_id), ledger


def assert_whole(ledger: Row) -> None:
    assert ledger["sent"] == sum(ledger[kind] for kind in ("confirmed", "returned", "nacked", "unknown"))
    assert ledger["sent"] == ledger["received"] + ledger["missing"] + ledger["left_in_queue"]
    assert (ledger["lost"], ledger["left_in_queue"], ledger["unexpected"]) == (0, 0, 0)
    assert ledger["confirmed"] > 0


def assert_done(rows: list[Row]) -> None:
    """Each in its time, and each met some calls and spared others."""
    for row in rows:
        assert (row["error"], row["node"], row["in_sync"]) == (None, "fault proxy", None)
        assert 0 <= row["done_at_s"] - row["due_at_s"] < LATE_S
        assert row["back_at_s"] - row["done_at_s"] >= row["for_s"] - 0.01
        assert 0 < injected(row) < row["calls_seen"]


def injected(*rows: Row, calls: tuple[str, ...] = ("sends", "receives", "deletes")) -> int:
    return sum(row[f"injected_{kind}"] for row in rows for kind in calls)


@by_each_path
def test_calls_that_are_refused_or_late_lose_nothing(drive, path):
    some = {"for_s": 2.0, "percent": 20.0}
    rows, ledger = drive(
        path,
        ServiceFault(at_s=1, kind="throttle", **some),
        ServiceFault(at_s=3.5, kind="error", status=500, **some),
        ServiceFault(at_s=3.5, kind="delay", delay_ms=20, **some),
        ServiceFault(at_s=6, kind="error", status=503, calls=("send",), seed=5, for_s=2.5, percent=50.0),
        measure_s=9,
        rate=RATE,
    )
    assert_done(rows)
    assert_whole(ledger)
    throttled, failed, late, unavailable = rows
    assert injected(unavailable, calls=("receives", "deletes")) == 0
    assert injected(late, calls=("sends",)) > 0
    refused = injected(throttled, failed, unavailable, calls=("sends",))
    assert refused == ledger["unknown"] == ledger["missing"] > 0
    assert (ledger["duplicates"], ledger["redelivered"]) == (0, 0), "what was not deleted was, a moment later"


@by_each_path
def test_connections_that_are_reset_leave_unknown_outcomes_and_lose_nothing(drive, path):
    some = {"for_s": 2.5, "percent": 10.0, "kind": "reset"}
    rows, ledger = drive(
        path,
        ServiceFault(at_s=1, when="before", **some),
        ServiceFault(at_s=4, when="after", **some),
        measure_s=8,
        rate=RATE,
    )
    assert_done(rows)
    assert_whole(ledger)
    before, after = rows
    assert ledger["unknown"] == injected(before, after, calls=("sends",))
    assert ledger["missing"] == injected(before, calls=("sends",))
    # what could not be deleted is handed out again; the answer to a receive that is lost hides its message
    again = injected(before, calls=("deletes",))
    assert ledger["duplicates"] == again
    hidden = injected(after, calls=("receives",))
    assert again <= ledger["redelivered"] <= again + hidden


@by_each_path
def test_each_copy_that_is_handed_out_is_a_duplicate(drive, path):
    rows, ledger = drive(
        path,
        ServiceFault(at_s=2, kind="duplicate", for_s=4, percent=20),
        measure_s=7,
        rate=RATE,
        receive_batch=3,
    )
    assert_done(rows)
    assert_whole(ledger)
    assert ledger["duplicates"] == injected(*rows, calls=("receives",)) > 0
    assert (ledger["missing"], ledger["unknown"], ledger["redelivered"]) == (0, 0, 0)


def test_copies_are_deleted_in_batches_with_others(drive):
    rows, ledger = drive(
        "boto3",
        # few calls, as they carry many messages: on a busy machine 2 s had none after a cold server's start
        ServiceFault(at_s=2, kind="duplicate", for_s=5, percent=30),
        measure_s=8,
        **{
            "rate": 200,
            "window": 2,
            "in_flight": 2,
            "receive_batch": 10,
            "delete_batch": 10,
            "linger_ms": 50,
        },
    )
    assert_done(rows)
    assert_whole(ledger)
    assert ledger["duplicates"] == injected(*rows) > 0


@pytest.mark.parametrize("path", ["core", pytest.param("boto3", marks=pytest.mark.thorough)])
def test_a_fifo_queue_keeps_its_promises(drive, path):
    some = {"for_s": 2.0, "percent": 25.0}
    rows, ledger = drive(
        path,
        ServiceFault(at_s=1, kind="throttle", **some),
        ServiceFault(at_s=3.5, kind="reset", when="after", calls=("send",), **some),
        target="sqs-fifo",
        measure_s=6,
        rate=RATE,
    )
    assert_done(rows)
    assert_whole(ledger)
    assert ledger["unknown"] == injected(*rows, calls=("sends",))
    assert ledger["missing"] == injected(rows[0], calls=("sends",))
    assert (ledger["duplicates"], ledger["out_of_order"]) == (0, 0)


def test_without_a_proxy_a_case_with_such_faults_is_not_run(monkeypatch, sqs_environment, queue_case):
    monkeypatch.delenv(sqs_standard.FAULT_PROXY_VARIABLE, raising=False)
    fault = ServiceFault(at_s=0, kind="throttle", for_s=1, percent=1)
    case = queue_case("sqs-standard", faults=[fault.model_dump()])
    with pytest.raises(sqs_standard.CaseError, match="need a proxy before the SQS server"):
        open_target("sqs-standard", None).client(case.workload)
