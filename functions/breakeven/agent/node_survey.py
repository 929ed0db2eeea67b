"""Times of a node's volume and of its connections to its peers, before anybody uses them: ``python3 -m
breakeven.agent.node_survey NODE peers|volume``, by ``nodes/start``.

Measured in the node's own Erlang machine, by the calls that its queues make: the log of quorum queues is
written and synchronized (``fdatasync``) in the folder that is used here, and queues reach their copies by the
connections between nodes that are used here. So nothing more is opened or installed. Sources: RabbitMQ's
documentation, "Quorum Queues" and "Clustering"; Erlang/OTP's, "Distributed Erlang" and modules file and erpc.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from breakeven.agent.broker_host import BrokerHost
from breakeven.agent.node_alarms import Evaluate
from breakeven.errors import BreakevenError

#: what is written before each synchronization, bytes
BLOCK = 4096
#: how long each part may take, milliseconds, and how often it is done at most
SYNCS_MS, MOST_SYNCS = 1000, 1000
TRIPS_MS, MOST_TRIPS = 300, 300
BULK_MS, MOST_BULKS = 500, 20
#: bytes of one message between nodes, and how many are under way at a time: enough to fill the connection
BULK, UNDER_WAY = 2**20, 16
#: the whole of it: a command that starts, a part for each of eight peers, and a network that is slow
WITHIN_S = 60.0

SURVEY = f"""
Timed = fun(Do) -> From = erlang:monotonic_time(), Do(),
    erlang:convert_time_unit(erlang:monotonic_time() - From, native, nanosecond) end,
Repeated = fun(Do, Ms, Most) ->
    Until = erlang:monotonic_time(millisecond) + Ms,
    Next = fun Next(Found, Left) ->
        case Left =:= 0 orelse erlang:monotonic_time(millisecond) >= Until of
            true -> lists:sort(Found);
            false -> Next([Timed(Do) | Found], Left - 1)
        end
    end,
    Next([Timed(Do)], Most - 1)
end,
Rank = fun(Sorted, Percent) -> lists:nth((length(Sorted) * Percent + 99) div 100, Sorted) end,
Ranks = fun(Sorted) -> {{length(Sorted), Rank(Sorted, 50), Rank(Sorted, 99)}} end,
{{ok, Folder}} = application:get_env(ra, data_dir),
Path = filename:join(Folder, "breakeven.survey"),
ok = filelib:ensure_dir(Path),
Block = crypto:strong_rand_bytes({BLOCK}),
{{ok, File}} = file:open(Path, [write, raw, binary]),
Volume = try Ranks(Repeated(fun() -> ok = file:write(File, Block), ok = file:datasync(File) end,
    {SYNCS_MS}, {MOST_SYNCS}))
after file:close(File), file:delete(Path) end,
Bulk = crypto:strong_rand_bytes({BULK}),
Send = fun(Peer) -> Asked = [erpc:send_request(Peer, erlang, byte_size, [Bulk]) ||
    _ <- lists:seq(1, {UNDER_WAY})], [{BULK} = erpc:receive_response(Each) || Each <- Asked] end,
Links = [begin
    Peer = erpc:call(Peer, erlang, node, []),
    Trips = Repeated(fun() -> erpc:call(Peer, erlang, node, []) end, {TRIPS_MS}, {MOST_TRIPS}),
    Send(Peer),
    Bulks = Repeated(fun() -> Send(Peer) end, {BULK_MS}, {MOST_BULKS}),
    {{Peer, Ranks(Trips), {BULK * UNDER_WAY} * length(Bulks) * 1000000000 div lists:sum(Bulks)}}
end || Peer <- Peers],
{{Volume, Links}}."""
#: what comes before: the peers to which connections are measured
TO_ALL, TO_NONE = "Peers = lists:sort(nodes()), ", "Peers = [], "
RANKS = r"\{(\d+),(\d+),(\d+)\}"
VOLUME, LINK = re.compile(RANKS), re.compile(rf"\{{'?([^{{}}',]+)'?,{RANKS},(\d+)\}}")


@dataclass(frozen=True, slots=True)
class Times:
    """Of an operation that was repeated: how often, and nearest ranks of how long it took, milliseconds."""

    count: int
    p50_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class Link:
    """From one node to another by name. ``round_trip``: of an empty call; ``bytes_per_s``: over the one
    connection that two nodes have, with messages of a mebibyte.
    """

    peer: str
    round_trip: Times
    bytes_per_s: float


@dataclass(frozen=True, slots=True)
class NodeSurvey:
    """Of one node. ``sync``: a block of 4 KiB written and synchronized to its volume; None: see ``error``."""

    sync: Times | None = None
    links: tuple[Link, ...] = ()
    error: str | None = None


def surveyed(evaluate: Evaluate, node: str, *, peers: bool = True) -> NodeSurvey:
    """Of a node that runs, in some seconds; where that can't be had, why.

    :param peers: measure the connections to all nodes that it sees, too, one after another
    """
    try:
        return _read(evaluate(node, (TO_ALL if peers else TO_NONE) + SURVEY, WITHIN_S))
    except BreakevenError as refused:
        return NodeSurvey(error=str(refused))


def _read(said: str) -> NodeSurvey:
    words = re.sub(r"\s", "", said)
    if not words.startswith("{{") or (volume := VOLUME.match(words, 1)) is None:
        raise BreakevenError(f"it answers {said[:200]!r}")
    return NodeSurvey(sync=_times(volume.groups()), links=tuple(_links(words[volume.end() :])))


def _links(words: str) -> Iterator[Link]:
    for found in LINK.finditer(words):
        peer, *ranks, bytes_per_s = found.groups()
        yield Link(peer, _times(tuple(ranks)), float(bytes_per_s))


def _times(ranks: tuple[Any, ...]) -> Times:
    count, p50_ns, p99_ns = map(int, ranks)
    return Times(count, p50_ns / 1e6, p99_ns / 1e6)


def main() -> None:
    """Print it, as the registration of a node has it: one line of JSON."""
    node, what = sys.argv[1:]
    survey = surveyed(BrokerHost(node).evaluate, node, peers=what == "peers")
    print(json.dumps(asdict(survey), separators=(",", ":")))


if __name__ == "__main__":
    main()
