"""Options of PerfTest's command line, each with the parameter of spec files that it stands for.

Source: ``PerfTest.getOptions`` of PerfTest 2.26 (https://github.com/rabbitmq/rabbitmq-perf-test).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from breakeven.workload.perftest.spec_keys import OF_ITS_PROCESS, Key, noted, refused

#: where errors of a command line are
COMMAND: Final = "breakeven perftest"
_BROKERS = "the run has brokers of its own; give --rabbitmq-url to use others"
_TLS = "a run on AWS has TLS of its own, and one on this machine none"
_STREAMS = "streams are no queues; leave it out"


@dataclass(frozen=True, slots=True)
class Option:
    """One option. ``key``: a spec file's parameter, or what becomes of an option that spec files do not have.

    ``takes``: a value, one that adds to those before (``many``), or none.
    """

    short: str
    long: str
    key: str | Key
    takes: str = "one"


def _options() -> Iterator[Option]:
    for line in _CARRIED.split():
        short, long, parameter, takes = line.split("/")
        yield Option(short, long, parameter, takes)
    for names, key in _COMMAND_ONLY.items():
        short, long = names.split("/")
        yield Option(short, long, key, "none" if key.kind == "flag" else "one")


#: short and long name, parameter, and how many values
_CARRIED: Final = """
x/producers/producer-count/one
y/consumers/consumer-count/one
X/producer-channel-count/producer-channel-count/one
Y/consumer-channel-count/consumer-channel-count/one
r/rate/producer-rate-limit/one
R/consumer-rate/consumer-rate-limit/one
vr/variable-rate/publishing-rates/many
vs/variable-size/message-sizes/many
vl/variable-latency/consumer-latencies/many
L/consumer-latency/consumer-latency-in-microseconds/one
s/size/min-msg-size/one
z/time/time-limit/one
C/pmessages/producer-msg-count/one
D/cmessages/consumer-msg-count/one
c/confirm/confirm/one
ct/confirm-timeout/confirm-timeout/one
a/autoack/auto-ack/none
A/multi-ack-every/multi-ack-every/one
q/qos/consumer-prefetch/one
Q/global-qos/channel-prefetch/one
m/ptxsize/producer-tx-size/one
n/ctxsize/consumer-tx-size/one
u/queue/queue-names/one
qp/queue-pattern/queue-pattern/one
qpf/queue-pattern-from/queue-sequence-from/one
qpt/queue-pattern-to/queue-sequence-to/one
qa/queue-args/queue-arguments/one
ca/consumer-args/consumer-arguments/one
mp/message-properties/message-properties/one
e/exchange/exchange-name/one
t/type/exchange-type/one
k/routing-key/routing-key/one
K/random-routing-key/random-routing-key/none
rkcs/routing-key-cache-size/routing-key-cache-size/one
sb/skip-binding-queues/skip-binding-queues/none
f/flag/flags/many
ad/auto-delete/auto-delete/one
p/predeclared/predeclared/none
E/exclusive/exclusive/none
ms/use-millis/use-millis/none
po/polling/polling/none
pi/polling-interval/polling-interval/one
na/nack/nack/none
re/requeue/requeue/one
jb/json-body/json-body/none
bc/body-count/body-count/one
bfc/body-field-count/body-field-count/one
B/body/body-files/one
T/body-content-type/body-content-type/one
S/slow-start/consumer-slow-start/none
prsd/producer-random-start-delay/producer-random-start-delay-in-seconds/one
hst/heartbeat-sender-threads/heartbeat-sender-threads/one
pst/producer-scheduler-threads/producer-scheduler-thread-count/one
ctp/consumers-thread-pools/consumers-thread-pools/one
st/shutdown-timeout/shutdown-timeout/one
sst/servers-startup-timeout/servers-start-up-timeout/one
sul/servers-up-limit/servers-up-limit/one
nty/netty/netty/none
"""
#: what spec files do not have, by both names
_COMMAND_ONLY: Final[dict[str, Key]] = {
    "h/uri": noted("text", None, _BROKERS),
    "H/uris": noted("text", None, _BROKERS),
    "i/interval": noted("number", 1, "results are of each second"),
    "o/output-file": noted("text", None, "results are in the run's folder; see breakeven report"),
    "M/framemax": noted("count", 0, "frames are as large as the broker offers"),
    "b/heartbeat": noted("count", 0, "connections are watched by the loader itself"),
    "ll/leader-locator": noted(
        "text", None, "queues have their leaders on each node in turn, by leaders: spread"
    ),
    "cal/connection-allocation": noted(
        "text", None, "connections go to their queue's leader, or to each node in turn"
    ),
    "dcr/disable-connection-recovery": noted("flag", False, "a lost connection is opened again"),
    "cri/connection-recovery-interval": noted("text", None, "a lost connection is opened again"),
    "mf/metrics-format": noted("text", None, OF_ITS_PROCESS),
    "em/exposed-metrics": noted("text", None, OF_ITS_PROCESS),
    "niot/nio-threads": noted("count", 1, OF_ITS_PROCESS),
    "niotp/nio-thread-pool": noted("count", 1, OF_ITS_PROCESS),
    "ntyt/netty-threads": noted("count", 0, OF_ITS_PROCESS),
    "ntyep/netty-epoll": noted("flag", False, OF_ITS_PROCESS),
    "ntykq/netty-kqueue": noted("flag", False, OF_ITS_PROCESS),
    "tsbs/tcp-send-buffer-size": noted("count", 0, OF_ITS_PROCESS),
    "trbs/tcp-receive-buffer-size": noted("count", 0, OF_ITS_PROCESS),
    "tnd/tcp-no-delay": noted("text", None, "connections send at once, without Nagle's algorithm"),
    "verbose/verbose": noted("flag", False, OF_ITS_PROCESS),
    "verbose-full/verbose-full": noted("flag", False, OF_ITS_PROCESS),
    "udsc/use-default-ssl-context": noted("flag", False, _TLS),
    "sni/server-name-indication": noted("text", None, _TLS),
    "se/sasl-external": noted("flag", False, _TLS),
    "sq/stream-queue": refused("flag", False, _STREAMS),
    "smssb/stream-max-segment-size-bytes": refused("text", None, _STREAMS),
    "ma/max-age": refused("text", None, _STREAMS),
    "sco/stream-consumer-offset": refused("text", None, _STREAMS),
    "mlb/max-length-bytes": refused(
        "text", "0", "a queue that drops messages; the ledger would count them lost"
    ),
    "P/publishing-interval": refused("text", None, "give -r below 1, such as -r 0.1 for a message each 10 s"),
    "ew/exit-when": refused("text", None, "a case has a length; give -z, in seconds"),
    "csd/consumer-start-delay": refused("text", None, "all workers of a case start together; leave it out"),
    "qf/queue-file": refused("text", None, "give -qp, -qpf and -qpt"),
    "ei/expected-instances": refused("count", 0, "loaders start together; a case has as many as it needs"),
    "isn/instance-sync-namespace": refused("text", None, "belongs to -ei; leave it out"),
    "ist/instance-sync-timeout": refused("count", 600, "belongs to -ei; leave it out"),
    "o2uri/oauth2-token-endpoint": refused("text", None, "brokers of a run have passwords made for it"),
    "o2id/oauth2-client-id": refused("text", None, "belongs to -o2uri; leave it out"),
    "o2sec/oauth2-client-secret": refused("text", None, "belongs to -o2uri; leave it out"),
    "o2gr/oauth2-grant-type": refused("text", None, "belongs to -o2uri; leave it out"),
    "o2p/oauth2-parameters": refused("text", None, "belongs to -o2uri; leave it out"),
    "?/help": refused("flag", False, "see breakeven perftest --help, in front of --"),
    "v/version": refused("flag", False, "see breakeven --version"),
    "mh/metrics-help": refused("flag", False, "no metrics are exposed"),
    "env/environment-variables": refused("flag", False, "options are not taken from the environment"),
}
#: long names of options whose values are never repeated: they hold passwords
SECRET: Final = {"uri", "uris", "oauth2-client-secret"}

OPTIONS: Final = tuple(_options())
BY_NAME: Final = {
    **{f"-{option.short}": option for option in OPTIONS},
    **{f"--{option.long}": option for option in OPTIONS},
}
