"""Command lines of PerfTest that "Cluster Sizing Case Study – Quorum Queues Part 2" prints (2020)."""

from __future__ import annotations

import re
import shlex

#: what is as it was in a line that is made small: all but how many, how long and at which rate
_SMALL = {"-z": "60", "--queue-pattern-to": "5", "--producers": "10", "--consumers": "10"}

SLOW_CONSUMERS = r"""
-H
amqp://guest:guest@10.0.0.1:5672/%2f,amqp://guest:guest@10.0.0.2:5672/%2f,amqp://guest:guest@10.0.0.3:5672/%2f
-z 1800
-f persistent
-q 1000
-c 1000
-ct -1
-ad false
--rate 100
--size 1024
--queue-pattern 'perf-test-%d'
--queue-pattern-from 1
--queue-pattern-to 100
-qa auto-delete=false,durable=false,x-queue-type=quorum
--producers 200
--consumers 200
--producer-random-start-delay 30
-vl 10000:300
-vl 11000:60 -vl 12000:60 -vl 13000:60 -vl 14000:60 -vl 15000:60 -vl 16000:60 -vl 17000:60 -vl 18000:60 -vl
19000:60
-vl 20000:60 -vl 21000:60 -vl 22000:60 -vl 23000:60 -vl 24000:60 -vl 25000:60 -vl 26000:60 -vl 27000:60 -vl
28000:60 -vl 29000:60
-vl 30000:300
-vl 29000:60 -vl 28000:60 -vl 27000:60 -vl 26000:60 -vl 25000:60 -vl 24000:60 -vl 23000:60 -vl 22000:60 -vl
21000:60 -vl 20000:60
-vl 19000:60 -vl 18000:60 -vl 17000:60 -vl 16000:60 -vl 15000:60 -vl 14000:60 -vl 13000:60 -vl 12000:60 -vl
11000:60 -vl 10000:60
-vl 10000:3000
"""

PUBLISH_PEAK = r"""
-H
amqp://guest:guest@10.0.0.1:5672/%2f,amqp://guest:guest@10.0.0.2:5672/%2f,amqp://guest:guest@10.0.0.3:5672/%2f
-z 1800
-f persistent
-q 1000
-ct -1
-ad false
-c 1000
--size 1024
--queue-pattern 'perf-test-%d'
--queue-pattern-from 1
--queue-pattern-to 100
-qa auto-delete=false,durable=false,x-queue-type=quorum
--producers 200
--consumers 200
--producer-random-start-delay 30
--consumer-latency 10000
-vr 100:300
-vr 102:60 -vr 104:60 -vr 106:60 -vr 108:60 -vr 110:60 -vr 112:60 -vr 114:60 -vr 116:60 -vr 118:60 -vr
120:60
-vr 122:60 -vr 124:60 -vr 126:60 -vr 128:60 -vr 130:60 -vr 132:60 -vr 134:60 -vr 136:60 -vr 138:60 -vr
140:60
-vr 142:60 -vr 144:60 -vr 146:60 -vr 148:60 -vr 150:60
-vr 148:60 -vr 146:60 -vr 144:60 -vr 142:60 -vr 140:60 -vr 138:60 -vr 136:60 -vr 134:60 -vr 132:60 -vr
130:60
-vr 128:60 -vr 126:60 -vr 124:60 -vr 122:60 -vr 120:60 -vr 118:60 -vr 116:60 -vr 114:60 -vr 112:60 -vr
110:60
-vr 108:60 -vr 106:60 -vr 104:60 -vr 102:60 -vr 100:60
-vr 100:3000
"""


def small(line: str) -> list[str]:
    """Its options for a machine of two cores: a twentieth of its queues and workers, and steps of a second.

    Each producer keeps its rates, and each consumer the processing times that belong to them.
    """
    words = shlex.split(line)
    for option, value in _SMALL.items():
        words[words.index(option) + 1] = value
    return [re.sub(r"^(\d+):\d+$", r"\1:1", word) for word in words]
