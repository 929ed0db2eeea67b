"""Run, lane, case and loader state in DynamoDB: one partition a run, one item a thing (see ``items``).

A conditional write also goes through where all that it writes is there already: boto3 makes a call again
whose answer was lost, and the second would be refused because of the first. So what is set once gets a value
that only this caller has.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Protocol

from botocore.exceptions import ClientError

from breakeven.results.items import RUN, case_item

KEEP_S = 90 * 24 * 3600  # state is for following and resuming a run; results live in S3


class Table(Protocol):
    """The part of boto3's DynamoDB table that is used."""

    def get_item(self, **kwargs: Any) -> Any: ...
    def query(self, **kwargs: Any) -> Any: ...
    def update_item(self, **kwargs: Any) -> Any: ...


class RunState:
    def __init__(self, table: Table, run_id: str) -> None:
        self._table, self.run_id = table, run_id

    def get(self, item: str) -> dict[str, Any]:
        """The item's fields; empty when there is none yet."""
        answer = self._table.get_item(Key=self._key(item), ConsistentRead=True)
        return _plain_item(answer.get("Item", {}))

    def update(self, item: str, *, only_if_absent: str | None = None, **fields: Any) -> dict[str, Any]:
        """Set fields, leaving others as they are, and return the whole item.

        With ``only_if_absent`` nothing is written when that field exists already, unless with all that is
        to be set: raises the client's ``ConditionalCheckFailedException``.
        """
        fields = {"expires_at": int(time.time()) + KEEP_S, **fields}
        names, values = _assigned(fields)
        options: dict[str, Any] = _setting(names)
        if only_if_absent:
            names["#absent"] = only_if_absent
            options["ConditionExpression"] = _or_is_so("attribute_not_exists(#absent)", fields)
        answer = self._table.update_item(
            Key=self._key(item),
            ExpressionAttributeNames=names,
            ExpressionAttributeValues=values,
            ReturnValues="ALL_NEW",
            **options,
        )
        return _plain_item(answer["Attributes"])

    def take(self, item: str, version: int | None, **fields: Any) -> None:
        """Set fields of an item that is as it was read, and count its version up. It is kept for good.

        ``version`` is the one read, None where there was no item. When the item has changed since, and not to
        what is to be set, nothing is written: raises the client's ``ConditionalCheckFailedException``.
        """
        fields = {"version": (version or 0) + 1, **fields}
        names, values = _assigned(fields)
        as_read = "attribute_not_exists(#0)"
        if version is not None:
            as_read = "#0 = :read"
            values[":read"] = version
        self._table.update_item(
            Key=self._key(item),
            **_setting(names),
            ConditionExpression=_or_is_so(as_read, fields),
            ExpressionAttributeNames=names,
            ExpressionAttributeValues=values,
        )

    def end(self, **fields: Any) -> bool:
        """Set fields of the run's own item, unless it says already how the run ended; whether it did not."""
        fields = {"expires_at": int(time.time()) + KEEP_S, **fields}
        names, values = _assigned(fields)
        return self._if_so(
            Key=self._key(RUN),
            **_setting(names),
            ConditionExpression=_or_is_so("attribute_not_exists(#state) OR #state = :running", fields),
            ExpressionAttributeNames={**names, "#state": "status"},
            ExpressionAttributeValues={**values, ":running": "running"},
        )

    def free(self, item: str, owner: str, **fields: Any) -> bool:
        """Set fields of a lock that this owner holds; whether it did."""
        names, values = _assigned(fields)
        return self._if_so(
            Key=self._key(item),
            **_setting(names),
            ConditionExpression=_or_is_so("#owner = :owner AND attribute_type(#released, :null)", fields),
            ExpressionAttributeNames={**names, "#owner": "owner", "#released": "released_at"},
            ExpressionAttributeValues={**values, ":owner": owner, ":null": "NULL"},
        )

    def _if_so(self, **update: Any) -> bool:
        try:
            self._table.update_item(**update)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
                raise
            return False
        return True

    def next_attempt(self, case_id: str) -> int:
        """Count one more attempt of the case and return its number, from 1."""
        answer = self._table.update_item(
            Key=self._key(case_item(case_id)),
            UpdateExpression="ADD attempt :one SET expires_at = :expires",
            ExpressionAttributeValues={":one": 1, ":expires": int(time.time()) + KEEP_S},
            ReturnValues="UPDATED_NEW",
        )
        return int(answer["Attributes"]["attempt"])

    def items(self, prefix: str = "") -> dict[str, dict[str, Any]]:
        """Every item of the run whose key starts with the prefix, by key."""
        condition = "run_id = :run" + (" AND begins_with(#item, :prefix)" if prefix else "")
        query: dict[str, Any] = {
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": {":run": self.run_id, **({":prefix": prefix} if prefix else {})},
            "ConsistentRead": True,
        }
        if prefix:
            query["ExpressionAttributeNames"] = {"#item": "item"}
        found: dict[str, dict[str, Any]] = {}
        while True:
            page = self._table.query(**query)
            found |= {entry["item"]: _plain_item(entry) for entry in page["Items"]}
            if "LastEvaluatedKey" not in page:
                return found
            query["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def _key(self, item: str) -> dict[str, str]:
        return {"run_id": self.run_id, "item": item}


def _assigned(fields: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    """Placeholders of names and of values, numbered alike."""
    names = {f"#{i}": name for i, name in enumerate(fields)}
    return names, {f":{i}": _stored(value) for i, value in enumerate(fields.values())}


def _setting(names: Mapping[str, str]) -> dict[str, str]:
    return {"UpdateExpression": "SET " + ", ".join(f"{name} = :{name[1:]}" for name in names)}


def _or_is_so(condition: str, fields: Mapping[str, Any]) -> str:
    """The condition, or that every field has the value that ``_assigned`` gives to it.

    DynamoDB evaluates AND before OR, and refuses parentheses that it does not need.
    """
    return f"{condition} OR " + " AND ".join(f"#{i} = :{i}" for i in range(len(fields)))


def _stored(value: Any) -> Any:
    """DynamoDB takes no floats; their shortest decimal form loses nothing."""
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, Mapping):
        return {key: _stored(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_stored(inner) for inner in value]
    return value


def _plain_item(item: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _plain(value) for key, value in item.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value
