"""The memory that the core works on, field by field as in its C sources; pointers are addresses."""

from __future__ import annotations

from ctypes import Structure, c_int32, c_int64, c_uint8, c_uint64, c_void_p
from enum import IntEnum


class End(IntEnum):
    """Why a call of the core came back: ``enum end`` in ``connection.h``."""

    OVER = 0
    FULL = 1
    UNUSUAL = 2
    CLOSED = 3
    FAILED = 4


class TlsStatus(IntEnum):
    """What a call on a TLS connection returns that is no count of bytes: ``enum tls_status`` in ``tls.h``."""

    LATER = 0
    CLOSED = -1
    FAILED = -2


class Tls(Structure):
    """``struct tls``"""

    _fields_ = (
        ("ssl", c_void_p),
        ("handshake", c_void_p),
        ("read", c_void_p),
        ("write", c_void_p),
        ("has_pending", c_void_p),
        ("get_error", c_void_p),
        ("peek_error", c_void_p),
        ("clear_errors", c_void_p),
        ("reason", c_uint64),
        ("error", c_int32),
        ("wants", c_int32),
        ("drained", c_int64),
    )


class Connection(Structure):
    """``struct connection``"""

    _fields_ = (
        ("fd", c_int32),
        ("error", c_int32),
        ("tls", c_void_p),
        ("next_end", c_int64),
        ("in_", c_void_p),
        ("in_size", c_int64),
        ("in_end", c_int64),
        ("out", c_void_p),
        ("out_size", c_int64),
        ("out_from", c_int64),
        ("out_end", c_int64),
        ("read_ns", c_int64),
        ("wrote_ns", c_int64),
        ("read_every_ns", c_int64),
        ("judged_over_ns", c_int64),
        ("busy_from", c_int64),
        ("busy", c_int64),
        ("count", c_int64),
        ("since_ns", c_int64),
    )


class Sha256(Structure):
    """``struct sha256``"""

    _fields_ = (("init", c_void_p), ("update", c_void_p), ("final", c_void_p))


class Digested(Structure):
    """``struct digested``"""

    _fields_ = (("context", c_uint64 * 16),)


class Call(Structure):
    """``struct call``"""

    _fields_ = (
        ("sha256", c_void_p),
        ("head_size", c_int64),
        ("begun_size", c_int64),
        ("begun", Digested),
        ("canonical", Digested),
        ("inner", Digested),
        ("outer", Digested),
    )


class Flight(Structure):
    """``struct flight``"""

    _fields_ = (("due_ns", c_int64), ("sent_ns", c_int64))


class Sending(Structure):
    """``struct sending``"""

    _fields_ = (
        ("c", Connection),
        ("row_size", c_int64),
        ("rows", c_int64),
        ("stamp_at", c_int64),
        ("call", c_void_p),
        ("document_at", c_int64),
        ("again_at", c_int64),
        ("base", c_uint64),
        ("tag", c_uint8 * 8),
        ("confirms", c_int64),
        ("confirm", c_void_p),
        ("due_ns", c_void_p),
        ("most", c_int64),
        ("when_sent", c_int64),
        ("window", c_int64),
        ("together_ns", c_int64),
        ("next_tag", c_int64),
        ("oldest_tag", c_int64),
        ("in_flight", c_int64),
        ("shift", c_int64),
        ("room_since_ns", c_int64),
        ("blocked_ns", c_int64),
        ("flights", c_void_p),
        ("mask", c_int64),
        ("times", c_void_p),
        ("newest", c_void_p),
        ("keep", c_int64),
        ("sent", c_int64),
        ("answered", c_int64),
        ("columns", c_int64),
        ("could_ns", c_void_p),
        ("handed_ns", c_void_p),
        ("sequence", c_void_p),
        ("answer_due_ns", c_void_p),
        ("answer_sent_ns", c_void_p),
        ("answer_ns", c_void_p),
    )


class Receiving(Structure):
    """``struct receiving``"""

    _fields_ = (
        ("c", Connection),
        ("head", c_void_p),
        ("before", c_void_p),
        ("after", c_void_p),
        ("head_size", c_int64),
        ("before_size", c_int64),
        ("after_size", c_int64),
        ("size", c_int64),
        ("tag", c_uint8 * 8),
        ("producers", c_int64),
        ("ack", c_uint8 * 24),
        ("count", c_int64),
        ("columns", c_int64),
        ("tags", c_void_p),
        ("redelivered", c_void_p),
        ("stamps", c_void_p),
        ("in_hand_ns", c_void_p),
    )


class State(IntEnum):
    """Of ``Asking``: ``enum state`` in ``sqs_receiving.c``."""

    IDLE = 0
    ASKED = 1
    IN_HAND = 2
    DELETING = 3


class Asking(Structure):
    """``struct asking``"""

    _fields_ = (
        ("c", Connection),
        ("deletion", c_void_p),
        ("ask_size", c_int64),
        ("deletion_at", c_int64),
        ("before", c_void_p),
        ("before_size", c_int64),
        ("comes_back", c_int64),
        ("tag", c_uint8 * 8),
        ("producers", c_int64),
        ("state", c_int64),
        ("asked_ns", c_int64),
        ("called_ns", c_int64),
        ("handle", c_void_p),
        ("handle_size", c_int64),
        ("handle_room", c_int64),
        ("taken", c_int64),
        ("settled", c_int64),
        ("empty", c_int64),
        ("columns", c_int64),
        ("taken_asked_ns", c_void_p),
        ("in_hand_ns", c_void_p),
        ("redelivered", c_void_p),
        ("stamps", c_void_p),
        ("settled_asked_ns", c_void_p),
        ("settled_called_ns", c_void_p),
        ("replied_ns", c_void_p),
        ("empty_asked_ns", c_void_p),
        ("empty_answered_ns", c_void_p),
    )
