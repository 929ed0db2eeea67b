"""Remedies for values that an option of ``breakeven crossover`` does not take: what would do, and an example.

Ranges and words are read from the question's own schema, so that no message can disagree with the check.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from breakeven.pricing.bill.inputs import MAX_MESSAGE_BYTES, Inputs
from breakeven.workload.problems import did_you_mean
from breakeven.workload.sizes import size_from
from cli.crossover.option_values import NOT_BOOTED

#: messages a second of one cluster, below which it is no capacity but a slip of the pen
LEAST_CAPACITY: Final = 1.0
#: name of an option's value -> what it is a number of
_UNITS: Final = {
    "MSG/S": "messages a second",
    "SHARE": "a share of 1",
    "H": "hours",
    "S": "seconds",
    "MS": "milliseconds",
    "USD": "US dollars",
    "GB": "GB",
    "MB": "MB",
}
#: of fields whose default is none, or too plain to show how a value is written
EXAMPLES: Final[Mapping[str, float]] = {
    "msg_per_s": 1000,
    "batch_fill": 0.8,
    "empty_receives": 0.5,
    "existing_requests": 5_000_000,
    "send_batch": 10,
    "cluster_nodes": 5,
    "group_size": 3,
    "broker_zones": 3,
    "client_zone_share": 0.5,
    "capacity_msg_per_s": 20_000,
    "hours": 20,
    "migration_hours": 300,
    "lambda_window_s": 5,
    "lambda_pollers": 2,
    "lambda_receives": 5,
    "lambda_polls_per_s": 3,
    "amazon_mq_gb": 75,
    "amazon_mq_capacity_msg_per_s": 20_000,
    "amazon_mq_hours": 5,
    "amazon_mq_inter_node": 0.5,
}
#: how a complaint of a field alone begins, which says neither unit nor example
_OF_THE_FIELD: Final = "must be "


def with_remedy(complaint: str, field: str, metavar: str, text: object) -> str:
    """What is wrong with a value, and what would do.

    :param complaint: the question's own; one about several fields says what would do by itself
    :param metavar: what the help calls the option's value
    :param text: the value as given
    """
    if not complaint.startswith(_OF_THE_FIELD):
        return complaint
    if field == "message_bytes":
        return f"must be {size_from(1, MAX_MESSAGE_BYTES)}"
    schema = _schema(field)
    if "enum" in schema:
        known = [word for word in schema["enum"] if word not in NOT_BOOTED]
        return f"{did_you_mean(text, known)}must be one of {', '.join(known)}"
    if "maximum" not in schema:
        return complaint
    if "capacity" in field:  # of which the question itself takes less
        complaint = complaint.replace("over 0", f"at least {LEAST_CAPACITY:g}")
    return f"{complaint}; give {range_of(field, metavar)}"


def range_of(field: str, metavar: str) -> str:
    """Such as 'hours, 0 to 10,000, such as 20'."""
    schema = _schema(field)
    unit = _UNITS.get(metavar, "a number")
    if schema["type"] == "integer":
        unit = "a whole number" if metavar not in _UNITS else f"whole {unit}"
    most = f"{schema['maximum']:,.0f}"
    least = LEAST_CAPACITY if "capacity" in field else schema.get("minimum")
    span = f"over {schema['exclusiveMinimum']:g} to {most}" if least is None else f"{least:g} to {most}"
    return f"{unit}, {span}, such as {EXAMPLES.get(field, schema['default']):.15g}"


def _schema(field: str) -> Mapping[str, Any]:
    """Of one field, the null of an optional one left out."""
    schema: Mapping[str, Any] = Inputs.model_json_schema()["properties"][field]
    options = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
    return {**schema, **options[0]} if options else schema
