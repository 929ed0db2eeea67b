"""Objects of a run in the results bucket: JSON documents and rows. Writing twice changes nothing."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from botocore.exceptions import ClientError

from breakeven.results import layout
from breakeven.results.schemas import TABLES, Table

_TABLES: dict[str, Table] = {table.name: table for table in TABLES}
#: what S3 answers where another was there first: the object has changed, is being written, or has gone, of
#: which a HEAD, whose answer has no body, says no more than its status
OVERTAKEN = {"PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey", "404"}
#: looks at an object that others write, each followed by a write that is given up where it has changed
LOOKS = 10


@dataclass(frozen=True, order=True, slots=True)
class Age:
    """How new what is stored is: when its run started, and of those of one instant the greater name."""

    started_at: datetime
    run_id: str

    @classmethod
    def of(cls, started_at: str, run_id: str) -> Age:
        """:param started_at: ISO 8601 with its zone, as a run's record has it"""
        return cls(datetime.fromisoformat(started_at), run_id)

    def metadata(self) -> dict[str, str]:
        """As an object carries it."""
        return {"started-at": self.started_at.isoformat(), "run-id": self.run_id}


class S3(Protocol):
    """The part of boto3's S3 client that is used."""

    def put_object(self, **kwargs: Any) -> Any: ...
    def get_object(self, **kwargs: Any) -> Any: ...
    def head_object(self, **kwargs: Any) -> Any: ...
    def copy_object(self, **kwargs: Any) -> Any: ...
    def delete_object(self, **kwargs: Any) -> Any: ...
    def get_paginator(self, operation_name: Any) -> Any: ...


class Store:
    """:param kms_key: ARN of the key that encrypts credentials; without it, the account's own for S3"""

    def __init__(self, s3: S3, bucket: str, kms_key: str | None = None) -> None:
        self._s3, self._bucket = s3, bucket
        self._secrecy = {"ServerSideEncryption": "aws:kms"} | ({"SSEKMSKeyId": kms_key} if kms_key else {})

    @property
    def bucket(self) -> str:
        """Its name."""
        return self._bucket

    def put_bytes(
        self, key: str, body: bytes, content_type: str = "application/octet-stream", **headers: str
    ) -> None:
        """:param headers: further ones with which it is served, such as ``CacheControl``"""
        self._s3.put_object(Bucket=self._bucket, Key=key, Body=body, ContentType=content_type, **headers)

    def put_newest(self, key: str, body: bytes, content_type: str, age: Age, **headers: str) -> bool:
        """Store an object unless a newer one is there, in whichever order writers come.

        The object says itself how new it is, and S3 writes only where it is still the one that was looked at
        (Amazon S3 User Guide, "How to prevent object overwrites with conditional writes").

        :returns: whether it was stored
        :raises RuntimeError: others kept writing older ones meanwhile
        """
        for _ in range(LOOKS):
            try:
                there = self._find_head(key)
                if there is not None and (known := _age_of(there)) and known > age:
                    return False
                still = {"IfNoneMatch": "*"} if there is None else {"IfMatch": there["ETag"]}
                self._s3.put_object(
                    Bucket=self._bucket,
                    Key=key,
                    Body=body,
                    ContentType=content_type,
                    Metadata=age.metadata(),
                    **still,
                    **headers,
                )
            except ClientError as error:
                if error.response["Error"]["Code"] not in OVERTAKEN:
                    raise
            else:
                return True
        raise RuntimeError(f"{key} was written by others {LOOKS} times")

    def _find_head(self, key: str) -> Mapping[str, Any] | None:
        """What is known of the object without its content; None where there is none."""
        if key not in self.keys(key):
            return None
        head: Mapping[str, Any] = self._s3.head_object(Bucket=self._bucket, Key=key)
        return head

    def uri(self, key: str) -> str:
        return f"s3://{self._bucket}/{key}"

    def get_bytes(self, key: str) -> bytes:
        body: bytes = self._s3.get_object(Bucket=self._bucket, Key=key)["Body"].read()
        return body

    def put_json(self, key: str, document: object) -> None:
        """Store a document; compressed when the key ends in ``.gz``."""
        body = json.dumps(document, separators=(",", ":")).encode()
        self.put_bytes(key, _gzip(body) if key.endswith(".gz") else body, "application/json")

    def get_json(self, key: str) -> Any:
        """The document; raises the client's error when there is none."""
        body = self.get_bytes(key)
        return json.loads(gzip.decompress(body) if key.endswith(".gz") else body)

    def find_bytes(self, key: str) -> bytes | None:
        """The object, or None when there is none.

        Listed first: to who may not list the whole bucket S3 does not say that an object is missing.
        """
        return self.get_bytes(key) if key in self.keys(key) else None

    def find_json(self, key: str) -> Any:
        """The document, or None when there is none; listed first, as in ``find_bytes``."""
        return self.get_json(key) if key in self.keys(key) else None

    def copy(self, key: str, copy: str) -> None:
        """Copy an object within the bucket, with its type. One of at most 5 GB, as S3 copies in one call."""
        self._s3.copy_object(Bucket=self._bucket, Key=copy, CopySource={"Bucket": self._bucket, "Key": key})

    def put_secret(self, key: str, text: str) -> None:
        """Store a credential, encrypted with a KMS key rather than the bucket's own."""
        self._s3.put_object(Bucket=self._bucket, Key=key, Body=text.encode(), **self._secrecy)

    def keys(self, prefix: str) -> list[str]:
        pages = self._s3.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
        return [entry["Key"] for page in pages for entry in page.get("Contents", [])]

    def delete(self, key: str) -> None:
        """Delete an object; one that is not there is well."""
        self._s3.delete_object(Bucket=self._bucket, Key=key)

    def delete_all(self, prefix: str) -> None:
        for key in self.keys(prefix):
            self.delete(key)

    def put_rows(self, table: str, run_id: str, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write one object of a table's rows, or none where there are none.

        :raises ValueError: as :func:`encoded`
        """
        if body := encoded(table, rows):
            self.put_bytes(layout.row_key(table, run_id, name), body)

    def rows(self, table: str, run_id: str, name: str) -> list[dict[str, Any]]:
        """The rows of one object as they were written; none where there is no such object."""
        body = self.find_bytes(layout.row_key(table, run_id, name))
        return [json.loads(line) for line in gzip.decompress(body).splitlines()] if body else []


def _age_of(head: Mapping[str, Any]) -> Age | None:
    """None of an object that does not say: somebody put another in its place, which is as old as can be."""
    found = head["Metadata"]
    try:
        return Age.of(found["started-at"], found["run-id"])
    except (KeyError, ValueError):
        return None


def encoded(table: str, rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Rows as an object holds them, gzipped JSON lines; empty without rows.

    :raises ValueError: a row with a column missing or too many
    """
    columns = _TABLES[table].columns
    lines = []
    for row in rows:
        if row.keys() != columns.keys():
            raise ValueError(
                f"{table}: columns differ from the schema: {sorted(row.keys() ^ columns.keys())}"
            )
        lines.append(json.dumps({name: row[name] for name in columns}, separators=(",", ":")))
    return _gzip("\n".join(lines).encode() + b"\n") if lines else b""


def _gzip(body: bytes) -> bytes:
    return gzip.compress(body, compresslevel=6, mtime=0)  # no time stamp: the same rows, the same bytes
