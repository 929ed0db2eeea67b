"""Whatever bytes come, the core stays within its memory and comes back: run in a process of its own.

Each buffer ends where a page begins that nobody may touch: a read or a write past it ends the process.
Usage: python -m tests.support.scripted.core_fuzz SEED ROUNDS; prints how often each half came back for which
reason.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import random
import socket
import sys
import time
from collections import Counter

import numpy as np

from breakeven.clients.amqp.encoding import ACK, ACK_HEAD
from breakeven.clients.amqp.shape import pushed
from breakeven.clients.core.loading import core
from breakeven.clients.core.structs import Asking, End, Receiving, Sending, State
from breakeven.clients.sqs.fast_path_connection import SIGNATURE, SignedCall
from breakeven.clients.sqs.signing import Parts
from breakeven.loadgen.ledger.stamp import Stamper
from tests.support.scripted import amqp_wire as wire

PAGE = mmap.PAGESIZE
PRODUCER, WINDOW = 3, 8
STAMPER = Stamper("abcd", PRODUCER, wire.SIZE)
SHAPE = pushed(wire.QUEUE, wire.CONSUMER, wire.SIZE, True, 131_072)
SENT = ("could_ns", "handed_ns", "sequence", "answer_due_ns", "answer_sent_ns", "answer_ns")
PARTS = Parts(0, b"POST / HTTP/1.1\r\n", b"canonical", b"to sign", bytes(32))
#: what may be done to memory: nothing
PROT_NONE = 0
_libc = ctypes.CDLL(None, use_errno=True)


class Guarded:
    """``size`` bytes right before a page that nobody may touch."""

    def __init__(self, size: int) -> None:
        pages = -(-size // PAGE) + 1
        self._map = mmap.mmap(-1, pages * PAGE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        end = start + (pages - 1) * PAGE
        if _libc.mprotect(ctypes.c_void_p(end), PAGE, PROT_NONE):
            raise OSError(ctypes.get_errno(), "mprotect")
        self.size, self.address = size, end - size

    def fill(self, data: bytes) -> None:
        ctypes.memmove(self.address, data, len(data))


def message(tag: int) -> bytes:
    head = wire.deliver(tag, frame_max=131_072)
    return head.replace(wire.stamp(tag), STAMPER.stamp(tag))


def conversation(random_: random.Random) -> bytes:
    """What a broker may say, damaged or not."""
    pieces = [
        lambda: wire.ack(random_.randrange(0, 2 * WINDOW), random_.random() < 0.3),
        lambda: message(random_.randrange(1, 100)),
        lambda: wire.HEARTBEAT,
        lambda: wire.deliver(5, size=random_.randrange(0, 50)),
        lambda: wire.nack(2),
        lambda: random_.randbytes(random_.randrange(1, 40)),
    ]
    weights = (8, 8, 4, 1, 1, 1)
    data = bytearray(
        b"".join(make() for make in random_.choices(pieces, weights, k=random_.randrange(1, 12)))
    )
    for _ in range(random_.choice((0, 0, 1, 3))):
        data[random_.randrange(len(data))] = random_.randrange(256)
    return bytes(data[: random_.randrange(1, len(data) + 1)])


def sqs_answer(random_: random.Random) -> bytes:
    """What an SQS server may answer, damaged or not."""
    text = STAMPER.body(random_.randrange(9)).decode()
    documents = (
        {"MessageId": "1"},
        {"Messages": [{"Body": text, "ReceiptHandle": "h" * random_.randrange(70)}]},
        {"Messages": [{"Attributes": {"ApproximateReceiveCount": "2"}, "ReceiptHandle": "h", "Body": text}]},
        {"Messages": []},
        {"Messages": [{"Body": text, "ReceiptHandle": "h", "More": [[[[[[[[[1]]]]]]]]]}]},
        {},
    )
    body = json.dumps(random_.choice(documents), indent=random_.choice((None, 1))).encode()
    body = body[: random_.choice((len(body), len(body), random_.randrange(len(body) + 1)))]
    headers = random_.choice(
        (b"", b"Connection: keep-alive\r\n", b"connection: close\r\n", b"x" * 30 + b"\r\n")
    )
    data = bytearray(b"HTTP/1.1 200 OK\r\n%bContent-Length: %d\r\n\r\n%b" % (headers, len(body), body))
    for _ in range(random_.choice((0, 0, 0, 1, 3))):
        data[random_.randrange(len(data))] = random_.randrange(256)
    return bytes(data[: random_.choice((len(data), len(data), random_.randrange(1, len(data) + 1)))])


def receive(library: ctypes.CDLL, fd: int, data: bytes) -> End:
    columns = 2 + len(data) % 4
    buffer, out = Guarded(len(data)), Guarded(4 * len(ACK))
    tags, flags = Guarded(8 * columns), Guarded(columns)
    stamps, instants = Guarded(16 * columns), Guarded(8 * columns)
    struct = Receiving()
    pieces = [np.frombuffer(piece, np.uint8) for piece in SHAPE.pieces]
    struct.head, struct.before, struct.after = (int(piece.ctypes.data) for piece in pieces)
    struct.head_size, struct.before_size, struct.after_size = map(len, pieces)
    struct.size, struct.producers, struct.columns = SHAPE.size, PRODUCER + 1, columns
    struct.tag[:4], struct.ack[: len(ACK)] = list(STAMPER.tag), list(ACK)
    struct.tags, struct.redelivered = tags.address, flags.address
    struct.stamps, struct.in_hand_ns = stamps.address, instants.address
    buffer.fill(data)
    lend(struct, fd, buffer, out, len(data))
    end = End(library.receiving_run(ctypes.byref(struct), 0, 0))
    assert 0 <= struct.count <= columns
    return checked(struct, end)


def signed() -> SignedCall:
    call = SignedCall()
    call.renew(PARTS, b"d")
    return call


def ask(library: ctypes.CDLL, fd: int, data: bytes) -> End:
    """In the middle of an ask or of a deletion."""
    before, columns, call = np.frombuffer(b'{"ReceiptHandle":"', np.uint8), 1 + len(data) % 3, signed()
    room = SIGNATURE + 64 + len(before) + 32
    buffer, out, handle = Guarded(len(data)), Guarded(8 + len(PARTS.head) + room), Guarded(32)
    flags, stamps, instants = Guarded(columns), Guarded(16 * columns), Guarded(8 * columns)
    struct = Asking(ask_size=8, deletion_at=8, before_size=len(before), handle_room=32, columns=columns)
    struct.deletion, struct.before = ctypes.addressof(call.struct), int(before.ctypes.data)
    struct.comes_back, struct.producers = len(data) % 2, PRODUCER + 1
    struct.tag[:4], struct.handle = list(STAMPER.tag), handle.address
    struct.state = State.DELETING if len(data) % 5 == 0 else State.ASKED
    struct.redelivered, struct.stamps = flags.address, stamps.address
    for name, kind in Asking._fields_[-9:]:
        if kind is ctypes.c_void_p and name not in ("redelivered", "stamps"):
            setattr(struct, name, instants.address)
    buffer.fill(data[:-1])
    lend(struct, fd, buffer, out, len(data) - 1)
    now_ns = time.monotonic_ns()
    end = End(library.asking_run(ctypes.byref(struct), now_ns + 200_000, now_ns + 400_000))
    assert max(struct.taken, struct.settled, struct.empty) <= columns
    assert 0 <= struct.handle_size <= struct.handle_room
    return checked(struct, end)


def call(library: ctypes.CDLL, fd: int, data: bytes) -> End:
    """In the middle of SendMessage, whose answer is there but for its last byte."""
    request, made = b"POST /" + bytes(SIGNATURE) + b"d" + bytes(16) + b"r" * 4, signed()
    made.struct.head_size, columns = 6, 4
    buffer, out, flights = Guarded(len(data)), Guarded(len(request)), Guarded(16 * 2)
    instants = [Guarded(8 * columns) for _ in range(6)]
    struct = Sending(row_size=len(request), rows=1, window=1, confirms=1, columns=columns, mask=1)
    struct.call, struct.document_at, struct.stamp_at = (
        ctypes.addressof(made.struct),
        6 + SIGNATURE,
        7 + SIGNATURE,
    )
    struct.most, struct.oldest_tag, struct.next_tag, struct.in_flight = 2, 1, 2, 1
    struct.flights = flights.address
    out.fill(request)
    for name, column in zip(SENT, instants, strict=True):
        setattr(struct, name, column.address)
    buffer.fill(data[:-1])
    lend(struct, fd, buffer, out, len(data) - 1)
    now_ns = time.monotonic_ns()
    end = End(library.sending_run(ctypes.byref(struct), now_ns + 200_000, now_ns + 400_000))
    assert 0 <= struct.answered <= 1 + struct.sent <= columns
    return checked(struct, end)


def send(library: ctypes.CDLL, fd: int, data: bytes) -> End:
    """The last byte comes from the socket: only then does this half look."""
    columns, row = 2 * WINDOW, b"h" * 20 + bytes(16) + b"r" * 4
    buffer, out, flights = Guarded(len(data)), Guarded(len(row) * WINDOW), Guarded(16 * 16)
    columns_of = [Guarded(8 * columns) for _ in range(6)]
    struct = Sending()
    head = np.frombuffer(ACK_HEAD, np.uint8)
    struct.row_size, struct.rows, struct.stamp_at = len(row), WINDOW, 20
    struct.confirms, struct.confirm, struct.window = 1, int(head.ctypes.data), WINDOW
    struct.most, struct.next_tag, struct.oldest_tag = WINDOW // 2, 1, 1
    struct.flights, struct.mask, struct.columns = flights.address, 15, columns
    out.fill(row * WINDOW)
    flights.fill((-1).to_bytes(8, "little", signed=True) * 32)
    for name, column in zip(SENT, columns_of, strict=True):
        setattr(struct, name, column.address)
    buffer.fill(data[:-1])
    lend(struct, fd, buffer, out, len(data) - 1)
    now_ns = time.monotonic_ns()
    end = End(library.sending_run(ctypes.byref(struct), now_ns + 200_000, now_ns + 400_000))
    assert 0 <= struct.answered <= struct.sent <= WINDOW
    assert struct.in_flight == struct.sent - struct.answered
    return checked(struct, end)


def lend(struct: Receiving | Sending | Asking, fd: int, buffer: Guarded, out: Guarded, filled: int) -> None:
    struct.c.fd = fd
    struct.c.in_, struct.c.in_size, struct.c.in_end = buffer.address, buffer.size, filled
    struct.c.out, struct.c.out_size = out.address, out.size


def checked(struct: Receiving | Sending | Asking, end: End) -> End:
    assert 0 <= struct.c.in_end <= struct.c.in_size
    assert 0 <= struct.c.out_from <= struct.c.out_end <= struct.c.out_size
    return end


def main(seed: int, rounds: int) -> None:
    library, random_ = core(), random.Random(seed)
    assert library is not None
    came_back: Counter[str] = Counter()
    for _ in range(rounds):
        amqp, sqs = conversation(random_), sqs_answer(random_)
        halves = (
            ("receiving", receive, amqp),
            ("sending", send, amqp),
            ("asking", ask, sqs),
            ("calling", call, sqs),
        )
        for name, half, data in halves:
            ours, peer = socket.socketpair()
            with ours, peer:
                peer.sendall(data[-1:])
                came_back[f"{name} {half(library, ours.fileno(), data).name}"] += 1
    print(*(f"{reason}: {count}" for reason, count in sorted(came_back.items())), sep="\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
