"""Clean up whatever a run may still hold, by tag. Harmless when there is nothing."""

from __future__ import annotations

from breakeven.steps.cleanup.clean_up import release_rest
from handlers.cleanup.run_resources import every_resource_type, log_outcome
from handlers.common import Event, entry, services


@entry(Event)
def handler(event: Event) -> None:
    log_outcome(
        release_rest(services(), every_resource_type(), event.run_id),
        "its lanes and cases had not cleaned up",
    )
