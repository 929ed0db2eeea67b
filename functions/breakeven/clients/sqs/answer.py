"""Reads the answers of one connection; httptools (llhttp, the parser of Node.js) does the parsing."""

from __future__ import annotations

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

#: what the parser raises for bytes that are not an answer; its upgrade is none of its own errors
NotAnAnswer = (HttpParserError, HttpParserUpgrade)


class AnswerReader:
    """Takes bytes split anywhere. After ``is_complete``: ``status``, ``headers`` (lower case), ``body``,
    and ``keeps_alive``: may the connection be used again?
    """

    def __init__(self) -> None:
        self._parser = HttpResponseParser(self)
        self.begin()

    def begin(self) -> None:
        """Expect the next answer."""
        self.is_complete = self.keeps_alive = False
        self.status = 0
        self._headers: list[tuple[bytes, bytes]] = []
        self.body = b""

    def feed(self, data: bytes) -> None:
        """:raises NotAnAnswer: it is not HTTP, or more than the one answer that was asked for"""
        self._parser.feed_data(data)

    @property
    def headers(self) -> dict[str, str]:
        """By name in lower case. Made when asked for, since only errors are looked at as closely."""
        return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in self._headers}

    def on_message_begin(self) -> None:
        if self.is_complete:
            raise ValueError("an answer that nobody asked for")

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name, value))

    def on_body(self, body: bytes) -> None:
        self.body = self.body + body if self.body else body

    def on_message_complete(self) -> None:
        self.status = self._parser.get_status_code()
        if self.status < 200:  # such as 100 Continue: the answer itself is still to come
            self.begin()
            return
        self.keeps_alive = self._parser.should_keep_alive()
        self.is_complete = True
