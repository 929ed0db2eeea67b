"""Ask what the run's traffic costs, with what the run measured."""

from __future__ import annotations

from breakeven.steps.run.price_run import price_run
from handlers.common import Event, entry, services


@entry(Event)
def handler(event: Event) -> None:
    price_run(services(), event.run_id)
