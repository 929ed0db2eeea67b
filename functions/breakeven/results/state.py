"""Run, lane, case and loader state in DynamoDB: one partition a run, one item a thing (see ``items``).

A conditional write also goes through where all that it writes is there already: boto3 makes a call again
whose answer was lost, and the second would be refused because of the first. So what is set once gets a value
that only this caller has.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from decimal import Decimal
from typing import Any, Protocol

from boto3.dynamodb.conditions import Key
from botocore.exceptions import ClientError

from breakeven.results.items import RUN, case_item

KEEP_S = 90 * 24 * 3600  # state is for following and resuming a run; results live in S3


#: what DynamoDB answers to a write whose condition does not hold
CONDITION_FAILED = "ConditionalCheckFailedException"


class SuppressCodes(AbstractContextManager[None]):
    """Goes on after what AWS answers by one of these codes, as ``contextlib.suppress`` after exceptions."""

    def __init__(self, *codes: str) -> None:
        self._codes = codes

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        return isinstance(error, ClientError) and error.response["Error"]["Code"] in self._codes


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
        condition = "attribute_not_exists(#absent)" if only_if_absent else ""
        names = {"#absent": only_if_absent} if only_if_absent else {}
        return self._set(item, _expiring(fields), condition, names)

    def take(self, item: str, version: int | None, **fields: Any) -> None:
        """Set fields of an item that is as it was read, and count its version up. It is kept for good.

        ``version`` is the one read, None where there was no item. When the item has changed since, and not to
        what is to be set, nothing is written: raises the client's ``ConditionalCheckFailedException``.
        """
        fields = {"version": (version or 0) + 1, **fields}
        if version is None:
            self._set(item, fields, "attribute_not_exists(#0)")
        else:
            self._set(item, fields, "#0 = :read", values={":read": version})

    def end(self, **fields: Any) -> bool:
        """Set fields of the run's own item, unless it says already how the run ended; whether it did not."""
        condition = "attribute_not_exists(#state) OR #state = :running"
        return self._set_if(RUN, _expiring(fields), condition, {"#state": "status"}, {":running": "running"})

    def free(self, item: str, owner: str, **fields: Any) -> bool:
        """Set fields of a lock that this owner holds; whether it did."""
        names = {"#owner": "owner", "#released": "released_at"}
        condition = "#owner = :owner AND attribute_type(#released, :null)"
        return self._set_if(item, fields, condition, names, {":owner": owner, ":null": "NULL"})

    def _set_if(self, *update: Any) -> bool:
        with SuppressCodes(CONDITION_FAILED):
            self._set(*update)
            return True
        return False

    def _set(
        self,
        item: str,
        fields: Mapping[str, Any],
        condition: str = "",
        names: Mapping[str, str] | None = None,
        values: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Set fields and return the whole item.

        With a condition only where it holds, or where every field has its value already. DynamoDB evaluates
        AND before OR, and refuses parentheses that it does not need.

        :param names: placeholders of the condition's, and what they stand for; ``values`` likewise
        """
        set_so = [f"#{number} = :{number}" for number in range(len(fields))]
        so_already = f"{condition} OR {' AND '.join(set_so)}"
        answer = self._table.update_item(
            Key=self._key(item),
            UpdateExpression="SET " + ", ".join(set_so),
            ExpressionAttributeNames={
                **{f"#{number}": name for number, name in enumerate(fields)},
                **(names or {}),
            },
            ExpressionAttributeValues={
                **{f":{number}": _stored(value) for number, value in enumerate(fields.values())},
                **(values or {}),
            },
            ReturnValues="ALL_NEW",
            **({"ConditionExpression": so_already} if condition else {}),
        )
        return _plain_item(answer["Attributes"])

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
        condition = Key("run_id").eq(self.run_id)
        if prefix:
            condition &= Key("item").begins_with(prefix)
        query: dict[str, Any] = {"KeyConditionExpression": condition, "ConsistentRead": True}
        found: dict[str, dict[str, Any]] = {}
        while True:
            page = self._table.query(**query)
            found |= {entry["item"]: _plain_item(entry) for entry in page["Items"]}
            if "LastEvaluatedKey" not in page:
                return found
            query["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def _key(self, item: str) -> dict[str, str]:
        return {"run_id": self.run_id, "item": item}


def _expiring(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"expires_at": int(time.time()) + KEEP_S, **fields}


def _stored(value: Any) -> Any:
    """DynamoDB takes no floats; their shortest decimal form loses nothing."""
    return json.loads(json.dumps(value), parse_float=Decimal)


def _plain_item(item: Mapping[str, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(json.dumps(item, default=_number))
    return plain


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)
