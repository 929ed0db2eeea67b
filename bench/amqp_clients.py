"""The RabbitMQ clients side by side, on one node that this starts: what a message costs the loader's process.

    PYTHONPATH=.:functions .venv/bin/python bench/amqp_clients.py [--rounds 5] [--seconds 4]

Each measurement is a process of its own with one publisher (confirms, 200 in flight) and one consumer
(push, prefetch 200, one ack a message) of persistent messages of 1 KiB on a durable classic queue. Clients
take turns within a round. CPU is the loader process's, user and system, from the first message to the last;
no ledger and no histogram is kept. Broker and loader share the machine's cores.
"""

from __future__ import annotations

import argparse
import json
import secrets
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from breakeven.clients.base import Receiver, Sender
from breakeven.clients.factory import make_client
from breakeven.targets.base import Access
from breakeven.targets.rabbitmq_channel import open_channel
from breakeven.workload.case import Workload
from local.broker_files import ClusterSettings
from local.brokers import BrokerCluster
from local.children import Children

CLIENTS = ("pika", "native")
WINDOW, SIZE = 200, 1024
QUEUE = "bench-amqp-clients"
PADDING = b"." * (SIZE - 16)


def publish(sender: Sender, until: float, counts: dict[str, int]) -> None:
    sent = answered = 0
    while time.monotonic() < until:
        room = WINDOW - (sent - answered)
        if room:
            numbers = range(sent, sent + room)
            sender.submit(numbers, [b"%016d" % number + PADDING for number in numbers])
            sent += room
        answered += len(sender.poll(0.1).sequence)
    while answered < sent:
        answered += len(sender.poll(0.1).sequence)
    counts["sent"] = sent


def consume(receiver: Receiver, counts: dict[str, int]) -> None:
    received = 0
    while counts.get("sent") != received:
        got = receiver.receive(0.05)
        if got.handle:
            receiver.settle(got.handle)
            received += len(got.handle)
    counts["received"] = received


def measure(name: str, seconds: float, access: Access) -> dict[str, float]:
    """Run in a process of its own: messages a second through the queue, and CPU microseconds for each."""
    fields = {"producers": 1, "consumers": 1, "warmup_s": 0, "measure_s": seconds, "drain_s": 60}
    workload = Workload.model_validate(
        {**fields, "message_bytes": SIZE, "consume": "push", "prefetch": WINDOW, "client": name}
    )
    client = make_client(workload, access)
    sender, receiver = client.sender(QUEUE), client.receiver(QUEUE)
    counts: dict[str, int] = {}
    started, cpu = time.monotonic(), time.process_time()
    consumer = threading.Thread(target=consume, args=(receiver, counts))
    consumer.start()
    publish(sender, started + seconds, counts)
    consumer.join()
    took, used = time.monotonic() - started, time.process_time() - cpu
    client.close()
    return {"rate": counts["received"] / took, "cpu_us": used / counts["received"] * 1e6}


def in_its_own_process(name: str, seconds: float, access: Access) -> dict[str, float]:
    command = [sys.executable, __file__, "--client", name, "--seconds", str(seconds)]
    done = subprocess.run(
        command, input=access.model_dump_json(), capture_output=True, text=True, check=True, timeout=120
    )
    return dict(json.loads(done.stdout))


def table(results: dict[str, list[dict[str, float]]]) -> str:
    def median(name: str, field: str) -> float:
        return statistics.median(found[field] for found in results[name])

    def ratio(field: str) -> float:
        pairs = zip(results["native"], results["pika"], strict=True)
        return statistics.median(native[field] / pika[field] for native, pika in pairs)

    rows = [f"| {name} | {median(name, 'rate'):,.0f} | {median(name, 'cpu_us'):.1f} |" for name in results]
    rows.append(f"| native / pika, median of the rounds | {ratio('rate'):.2f} | {ratio('cpu_us'):.3f} |")
    return "\n".join(["| client | msg/s | loader CPU, µs a message |", "|---|---|---|", *rows])


def compare(rounds: int, seconds: float) -> None:
    results: dict[str, list[dict[str, float]]] = {name: [] for name in CLIENTS}
    with tempfile.TemporaryDirectory() as folder, Children() as children:
        credentials = Access(username="bench", password=secrets.token_hex(8))
        cluster = BrokerCluster(children, Path(folder), credentials, ClusterSettings(nodes=1))
        access = cluster.start()
        for number in range(rounds):
            for name in CLIENTS if number % 2 == 0 else CLIENTS[::-1]:
                with open_channel(access, access.nodes) as channel:
                    channel.queue_delete(QUEUE)
                    channel.queue_declare(QUEUE, durable=True)
                results[name].append(in_its_own_process(name, seconds, access))
        cluster.stop()
    print(table(results))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--client", choices=CLIENTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.client is None:
        compare(options.rounds, options.seconds)
    else:
        access = Access.model_validate_json(sys.stdin.read())
        print(json.dumps(measure(options.client, options.seconds, access)))


if __name__ == "__main__":
    main()
