"""The live page of a run on this machine, ``--live``: served on loopback while the run is under way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from breakeven.planning.plan import Plan
from cli.running.progress import TerminalView, View

if TYPE_CHECKING:
    from cli.running.live.live_server import LiveServer
    from cli.running.live.live_view import LivePageView


class NoPage:
    """Stands where no page is asked for."""

    def beside(self, terminal: TerminalView) -> View:
        """The terminal's view, as it is."""
        return terminal

    def end(self, outcome: str) -> None:
        """Nobody is to be told."""


class Page:
    """The page of one run."""

    def __init__(self, server: LiveServer, plan: Plan, folder: Path) -> None:
        self._server, self._plan, self._folder = server, plan, folder
        self._view: LivePageView | None = None

    def beside(self, terminal: TerminalView) -> View:
        """A view that shows the run in both places; the first line says where."""
        from cli.running.live.live_view import LivePageView  # noqa: PLC0415

        self._view = LivePageView(terminal, self._server, self._plan.cases, self._folder)
        self._view.say(f"live: {self._server.address}")
        return self._view

    def end(self, outcome: str) -> None:
        """Tell pages that are open how the run ended: they go to the report."""
        if self._view:
            self._view.end(outcome)


@contextmanager
def live_page(port: int | None, run_id: str, plan: Plan, runs: Path) -> Iterator[Page | NoPage]:
    """The run's page, served from now on; its end waits for a page that is open to take the report.

    :param port: 0 for any that is free; None for no page
    :raises InputError: the port cannot be had
    """
    if port is None:
        yield NoPage()
        return
    # brings a web server and a template's engine, for which no other run should wait
    from cli.running.live.live_server import LiveServer  # noqa: PLC0415

    with LiveServer(port, run_id, plan.suite) as server:
        yield Page(server, plan, runs / run_id)
