"""Needs of services whose operations are methods and paths: S3 and Lambda.

Sources: Amazon S3 User Guide, "Required permissions for Amazon S3 API operations"; Service Authorization
Reference, "Actions, resources, and condition keys for AWS Lambda".
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, unquote

from moto.core import DEFAULT_ACCOUNT_ID
from moto.s3.models import s3_backends

from local.aws.strict.requests.needed import HERE, Signature, UnreadableCallError
from local.aws.strict.requests.policies import Call, Context

#: what is asked of a bucket or an object by another name than its key: none of them is used
SUBRESOURCES = {"acl", "cors", "delete", "policy", "tagging", "uploadId", "uploads", "versioning", "versions"}
OF_BUCKETS = {"GET": "ListObjectsV2", "HEAD": "HeadBucket", "PUT": "CreateBucket"}
OF_OBJECTS = {"GET": "GetObject", "HEAD": "HeadObject", "PUT": "PutObject", "DELETE": "DeleteObject"}
#: of a request to list: parameters that are condition keys
LISTING = {"prefix": "s3:prefix", "delimiter": "s3:delimiter", "max-keys": "s3:max-keys"}
KEY_HEADER = "HTTP_X_AMZ_SERVER_SIDE_ENCRYPTION_AWS_KMS_KEY_ID"
Read = tuple[str, list[Call]]


def s3(environ: dict[str, Any], by: Signature) -> Read:
    """The operation, and what it needs."""
    bucket, _, key = environ["PATH_INFO"].lstrip("/").partition("/")
    method, asked = environ["REQUEST_METHOD"], _asked(environ)
    known = OF_OBJECTS if key else OF_BUCKETS
    if not bucket or method not in known or asked.keys() & SUBRESOURCES:
        raise UnreadableCallError(f"s3 {method} /{bucket} {sorted(asked)}: {HERE}")
    name, arn = known[method], f"arn:aws:s3:::{bucket}"
    if not key:
        listing: Context = tuple((LISTING[each], asked[each]) for each in LISTING if each in asked)
        making = method == "PUT"
        return name, [by.needs("s3:CreateBucket", arn) if making else by.needs("s3:ListBucket", arn, listing)]
    needed = [by.needs(f"s3:{name.replace('Head', 'Get')}", f"{arn}/{key}")]
    if source := environ.get("HTTP_X_AMZ_COPY_SOURCE"):
        name, source = "CopyObject", unquote(source).lstrip("/")
        needed = [by.needs("s3:GetObject", f"arn:aws:s3:::{source}"), *_opened(by, *_parted(source)), *needed]
    if method == "PUT":
        needed += _sealed(by, bucket, environ)
    return name, [*needed, *(_opened(by, bucket, key) if method in {"GET", "HEAD"} else [])]


def named_object(environ: dict[str, Any]) -> tuple[str, str]:
    """The bucket and the key of what a request reads: of a copy those of its source."""
    source = unquote(environ.get("HTTP_X_AMZ_COPY_SOURCE", "")) or environ["PATH_INFO"]
    return _parted(source.lstrip("/"))


def _parted(path: str) -> tuple[str, str]:
    bucket, _, key = path.partition("/")
    return bucket, key


def _asked(environ: dict[str, Any]) -> dict[str, str]:
    """The query's parameters; of some S3 knows the name alone."""
    found = parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True)
    return {name: values[0] for name, values in found.items()}


def _opened(by: Signature, bucket: str, key: str) -> list[Call]:
    """What reading an object takes of the key of the account's own that encrypts it.

    Source: Amazon S3 User Guide, "Using server-side encryption with AWS KMS keys (SSE-KMS)".
    """
    known = s3_backends[DEFAULT_ACCOUNT_ID]["aws"].buckets.get(bucket)
    found = known.keys.get(key) if known else None
    return [by.needs("kms:Decrypt", found.kms_key_id)] if found and _is_own(found.kms_key_id) else []


def _sealed(by: Signature, bucket: str, environ: dict[str, Any]) -> list[Call]:
    """What writing one takes: of the key that the request names, else of the bucket's."""
    key = environ.get(KEY_HEADER) or _key_of(bucket)
    return [by.needs("kms:GenerateDataKey", key)] if key and _is_own(key) else []


def _key_of(bucket: str) -> str | None:
    known = s3_backends[DEFAULT_ACCOUNT_ID]["aws"].buckets.get(bucket)
    rules = (getattr(known, "encryption", None) or {}).get("Rule") or {}
    rule = rules[0] if isinstance(rules, list) else rules
    found = rule.get("ApplyServerSideEncryptionByDefault", {}).get("KMSMasterKeyID")
    return str(found) if found else None


def _is_own(key: str | None) -> bool:
    """The key that S3 has by itself is open to whoever may call S3."""
    return key is not None and key.startswith("arn:") and ":alias/aws/" not in key


def lambda_(environ: dict[str, Any], by: Signature) -> Read:
    """The operation, and what it needs."""
    method, path = environ["REQUEST_METHOD"], unquote(environ["PATH_INFO"])
    if found := re.fullmatch(r"/2015-03-31/functions/(.+)/invocations", path):
        return "Invoke", [by.needs("lambda:InvokeFunction", _function(found[1], by))]
    if (found := re.fullmatch(r"/2015-03-31/functions/(.+)/configuration", path)) and method == "GET":
        name = "GetFunctionConfiguration"
        return name, [by.needs(f"lambda:{name}", _function(found[1], by))]
    if path == "/2016-08-19/account-settings":
        return "GetAccountSettings", [by.needs("lambda:GetAccountSettings", "*")]
    raise UnreadableCallError(f"lambda {method} {path}: {HERE}")


def _function(name: str, by: Signature) -> str:
    """The ARN of a function that is called by its name, or by that."""
    return name if name.startswith("arn:") else by.arn("lambda", f"function:{name}")
