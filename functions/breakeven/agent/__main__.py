"""The agent of one node, a service of its host: ``python3 -m breakeven.agent``, by ``nodes/agent``.

It opens nothing: it looks in the bucket for orders of its lane that are for its node, carries them out and
answers there, and leaves a sample of its host for each second. What it is told are variables of its
environment, which ``nodes/surroundings`` sets.
"""

from __future__ import annotations

import os
import threading
import time
from math import floor

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from breakeven.agent.broker_host import BrokerHost
from breakeven.agent.bucket import Bucket, NodeOrders, Samples
from breakeven.agent.host_meter import HostMeter
from breakeven.agent.host_network import HostNetwork
from breakeven.agent.node_orders import NodeOrder
from breakeven.agent.order_agent import FaultAgent

#: an order is as punctual as its look: one that gets no answer is made again soon
CONFIG = Config(connect_timeout=2, read_timeout=5, retries={"mode": "standard", "total_max_attempts": 3})
RETRY_S = 2.0


def main() -> None:
    """Run until the host's end."""
    node = os.environ["BREAKEVEN_NODE"]
    bucket = Bucket(boto3.client("s3", config=CONFIG), os.environ["BREAKEVEN_BUCKET"])
    orders = NodeOrders(bucket, os.environ["BREAKEVEN_ORDERS"], node)
    failure_key = os.environ["BREAKEVEN_FAILED"]

    def failed(_node: str, reason: str) -> None:
        """The lane waits for a node that does not come back until it reads this."""
        bucket.write(failure_key, f"{reason}\n".encode(), "text/plain; charset=utf-8")

    agent = FaultAgent(orders, BrokerHost(node), failed, network=HostNetwork())
    threading.Thread(target=_begin, args=(agent, orders), name="agent", daemon=True).start()
    samples = Samples(bucket, f"{os.environ['BREAKEVEN_SAMPLES']}{node}/")
    print(f"breakeven: the agent of {node} runs", flush=True)
    _sample(HostMeter(), samples)


def _begin(agent: FaultAgent[NodeOrder], orders: NodeOrders) -> None:
    """Undo first what an agent before this one has left, then look for orders."""
    while True:
        try:
            for order, answer in list(orders.half_done()):
                agent.resume(order, answer)
            break
        except (BotoCoreError, ClientError) as error:
            print(f"breakeven: no look at the bucket: {error}", flush=True)
            time.sleep(RETRY_S)
    agent.start()


def _sample(meter: HostMeter, samples: Samples) -> None:
    """At the end of each second of the host's clock, which all nodes keep by the same time service."""
    meter.look(time.time())  # what the first second's figures are counted from
    while True:
        time.sleep(1.0 - time.time() % 1.0)
        at_s = float(floor(time.time() + 0.5))
        sample = meter.look(at_s)
        try:
            samples.add(sample)
        except (BotoCoreError, ClientError) as error:
            print(f"breakeven: samples could not be written: {error}", flush=True)


if __name__ == "__main__":
    main()
