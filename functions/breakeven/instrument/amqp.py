"""One AMQP 0-9-1 connection: enough of the protocol for our clients and for pika."""

from __future__ import annotations

import socket
import struct
import time
from typing import Any

from pika import spec

from breakeven.instrument import amqp_frames as frames
from breakeven.instrument.amqp_channel import Channel
from breakeven.instrument.broker import Broker
from breakeven.instrument.loop import Loop, Peer

#: what is offered to clients; they choose what they like better
CHANNEL_MAX, FRAME_MAX, HEARTBEAT_S = 2047, 131_072, 60
#: reply codes of connection.close. Source: AMQP 0-9-1, reply codes
SYNTAX_ERROR, NOT_IMPLEMENTED = 502, 540
CAPABILITIES = {
    "publisher_confirms": True,
    "basic.nack": True,
    "consumer_cancel_notify": True,
    "authentication_failure_close": True,
}


class AmqpConnection(Peer):
    """User names and passwords are taken as they come: it listens on loopback only."""

    def __init__(self, loop: Loop, connected: socket.socket, broker: Broker, *, multiple: bool) -> None:
        super().__init__(loop, connected)
        self._frame_max = FRAME_MAX
        self._broker, self._multiple = broker, multiple
        self._rest = b""
        self._greeted = False
        self._channels: dict[int, Channel] = {}
        self._publishing: tuple[Channel, str, bool] | None = None
        self._properties = b""
        self._chunks: list[bytes] = []
        self._lacking = 0

    def received(self, data: bytes) -> None:
        if self._rest:
            data = self._rest + data
        if not self._greeted:
            if len(data) < len(frames.PROTOCOL_HEADER):
                self._rest = data
                return
            if not data.startswith(frames.PROTOCOL_HEADER):
                self.write(frames.PROTOCOL_HEADER)
                self.close_when_written()
                return
            data = data[len(frames.PROTOCOL_HEADER) :]
            self._greet()
        read = 0
        try:
            for kind, channel, payload, behind in frames.split(data):
                read = behind
                self._frame(kind, channel, payload)
        except (frames.NotAmqp, struct.error) as error:
            self._refuse(SYNTAX_ERROR, str(error))
            return
        self._rest = data[read:]

    def lost(self) -> None:
        for channel in self._channels.values():
            channel.close()
        self._channels.clear()

    def flush(self) -> bool:
        if self._multiple:
            for channel in self._channels.values():
                self._unsent += channel.confirms_due()
        return super().flush()

    def _greet(self) -> None:
        self._greeted = True
        properties = {"product": "Queue Breakeven's instrument", "capabilities": CAPABILITIES}
        start = spec.Connection.Start(server_properties=properties, mechanisms="PLAIN", locales="en_US")
        self._say(0, start)

    def _say(self, channel: int, method: Any) -> None:
        self.write(frames.method_frame(channel, method))

    def _refuse(self, code: int, why: str) -> None:
        self._say(0, spec.Connection.Close(code, why[:200], 0, 0))
        self.close_when_written()

    def _frame(self, kind: int, number: int, payload: bytes) -> None:
        if kind == spec.FRAME_BODY:
            self._body(payload)
        elif kind == spec.FRAME_HEADER:
            self._properties, self._chunks = payload, []
            self._lacking = frames.body_size(payload)
            if not self._lacking:
                self._publish(b"")
        elif kind == spec.FRAME_METHOD:
            self._method(number, payload)
        elif kind != spec.FRAME_HEARTBEAT:
            raise frames.NotAmqp(f"frame of type {kind}")

    def _body(self, payload: bytes) -> None:
        self._lacking -= len(payload)
        if self._lacking < 0:
            raise frames.NotAmqp("a body that is too long")
        if self._lacking:
            self._chunks.append(payload)
        else:
            self._publish(b"".join((*self._chunks, payload)) if self._chunks else payload)

    def _publish(self, body: bytes) -> None:
        if self._publishing is None:
            raise frames.NotAmqp("content that nobody published")
        channel, queue, mandatory = self._publishing
        self._publishing = None
        channel.publish(queue, mandatory, self._properties, body)

    def _method(self, number: int, payload: bytes) -> None:
        index = frames.METHOD.unpack_from(payload)[0]
        if index == frames.PUBLISH:
            self._publishing = (self._channel(number), *frames.publishing(payload))
        elif index == frames.ACK:
            tag, multiple = frames.TAG_AND_BIT.unpack_from(payload, frames.METHOD.size)
            self._channel(number).ack(tag, bool(multiple))
        elif index == frames.GET:
            queue, no_ack = frames.getting(payload)
            self._channel(number).get(queue, acks=not no_ack)
        elif number == 0:
            self._of_connection(frames.decoded(payload))
        else:
            self._of_channel(number, frames.decoded(payload))

    def _channel(self, number: int) -> Channel:
        channel = self._channels.get(number)
        if channel is None:
            raise frames.NotAmqp(f"channel {number} is not open")
        return channel

    def _of_connection(self, method: Any) -> None:
        match method:
            case spec.Connection.StartOk():
                tune = spec.Connection.Tune(CHANNEL_MAX, FRAME_MAX, HEARTBEAT_S)
                self._say(0, tune)
            case spec.Connection.TuneOk():
                self._frame_max = min(method.frame_max or FRAME_MAX, FRAME_MAX)
                if method.heartbeat:
                    self._beat(round(method.heartbeat * 1e9 / 2))
            case spec.Connection.Open():
                self._say(0, spec.Connection.OpenOk())
            case spec.Connection.Close():
                self.lost()
                self._say(0, spec.Connection.CloseOk())
            case spec.Connection.CloseOk():
                self.close_when_written()
            case _:
                self._refuse(NOT_IMPLEMENTED, f"{method.NAME} is not implemented")

    def _beat(self, every_ns: int) -> None:
        if not self.closed:
            self.write(frames.HEARTBEAT)
            self.loop.at(time.monotonic_ns() + every_ns, lambda: self._beat(every_ns))

    def _of_channel(self, number: int, method: Any) -> None:
        reply: Any = None
        match method:
            case spec.Channel.Open():
                self._channels[number] = Channel(
                    number, self, self._broker, self._frame_max, multiple=self._multiple
                )
                reply = spec.Channel.OpenOk()
            case spec.Channel.Close():
                self._channel(number).close()
                del self._channels[number]
                reply = spec.Channel.CloseOk()
            case spec.Confirm.Select():
                self._channel(number).confirm_select()
                reply = None if method.nowait else spec.Confirm.SelectOk()
            case spec.Basic.Qos():
                self._channel(number).qos(method.prefetch_count)
                reply = spec.Basic.QosOk()
            case spec.Basic.Consume():
                self._consume(self._channel(number), number, method)
            case spec.Basic.Cancel():
                self._channel(number).cancel(method.consumer_tag)
                reply = None if method.nowait else spec.Basic.CancelOk(method.consumer_tag)
            case spec.Basic.Nack():
                self._channel(number).refuse(method.delivery_tag, method.multiple, method.requeue)
            case spec.Basic.Reject():
                self._channel(number).refuse(method.delivery_tag, False, method.requeue)
            case spec.Queue.Declare():
                count = len(self._broker.queue(method.queue))
                reply = None if method.nowait else spec.Queue.DeclareOk(method.queue, count, 0)
            case spec.Queue.Delete():
                count = self._broker.delete(method.queue)
                reply = None if method.nowait else spec.Queue.DeleteOk(count)
            case _:
                self._refuse(NOT_IMPLEMENTED, f"{method.NAME} is not implemented")
        if reply is not None:
            self._say(number, reply)

    def _consume(self, channel: Channel, number: int, method: Any) -> None:
        consumer = channel.consume(method.queue, method.consumer_tag, acks=not method.no_ack)
        if not method.nowait:
            self._say(number, spec.Basic.ConsumeOk(consumer.tag))
        channel.start(consumer)
