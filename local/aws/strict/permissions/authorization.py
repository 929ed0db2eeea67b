"""The layer that holds every call to the role it is made in, and answers in its place where that may not be.

Not simulated: policies of resources (the bucket's refusal of what comes without TLS), of keys and of
endpoints, boundaries, and policies of an organization. Source: IAM User Guide, "Policy evaluation logic".

Of denials (status, error's name and words, in the service's protocol): IAM User Guide, "Troubleshoot access
denied error messages" (the words); Amazon S3 User Guide, "Troubleshoot access denied (403 Forbidden) errors"
(the ARN in quotes); Amazon EC2 API Reference, "Error codes", UnauthorizedOperation; Amazon DynamoDB Developer
Guide, "Error handling", AccessDeniedException; Amazon SNS API Reference, Publish, AuthorizationError; Amazon
SQS API Reference, "Common errors", with the query mode of its JSON protocol as botocore has it; Amazon Athena
User Guide, "Athena error catalog"; AWS Lambda API Reference, "Common errors".
"""

from __future__ import annotations

import json
import uuid
from xml.sax.saxutils import escape

from local.aws.strict.front import Answer, PassOn, Request
from local.aws.strict.permissions.roles import Role, Roles
from local.aws.strict.refusals import Refusal
from local.aws.strict.requests import rest_calls
from local.aws.strict.requests.policies import Call, Verdict

#: operations that read an object, which may be absent
READS = {"s3:CopyObject", "s3:GetObject", "s3:HeadObject"}
ATHENA = (
    "You are not authorized to perform: {} on the resource. After your AWS administrator or you have updated "
    "your permissions, please try again."
)


class Authorization:
    """A person may do everything; see ``local.aws.strict.permissions.roles.Roles``."""

    def __init__(self, roles: Roles) -> None:
        self._roles = roles

    def __call__(self, request: Request, pass_on: PassOn) -> Answer:
        role = self._roles.of(request.caller)
        if role is None:
            answer = pass_on(request)
            if request.service == "iam":
                self._roles.forget()
            return answer
        for call in request.calls:
            verdict = role.verdict(call)
            if verdict is not Verdict.ALLOWED:
                return denied(request, role, call, verdict)
        answer = pass_on(request)
        if answer.status == 404 and request.operation in READS:
            return _absent(request, role, answer)
        return answer


def _absent(request: Request, role: Role, answer: Answer) -> Answer:
    """That an object is not there is said to those only who may list the bucket; to others that it is denied.

    Its key is no prefix that is asked for, so that a permission to list some prefixes does not do. Sources:
    Amazon S3 API Reference, GetObject and HeadObject, "Permissions"; Service Authorization Reference,
    Amazon S3, s3:prefix.
    """
    if b"NoSuchBucket" in answer.body:
        return answer
    bucket, _ = rest_calls.named_object(request.environ)
    listing = Call(str(request.caller), "s3:ListBucket", f"arn:aws:s3:::{bucket}")
    verdict = role.verdict(listing)
    return answer if verdict is Verdict.ALLOWED else denied(request, role, listing, verdict)


def denied(request: Request, role: Role, call: Call, verdict: Verdict) -> Answer:
    """The service's answer; ``call`` is the first of what the request needs that the role may not do."""
    service = request.service or ""
    words = _words(role, call, verdict, service)
    if service == "s3":
        return _s3(request, words)
    if service in ("lambda", "mq"):
        body = json.dumps({"Message" if service == "lambda" else "message": words}).encode()
        return Answer.of(403, "application/json", body, x_amzn_ErrorType="AccessDeniedException", **_id())
    if request.environ.get("HTTP_X_AMZ_TARGET"):
        return _json(request, service, ATHENA.format(call.action) if service == "athena" else words)
    return _query(service, words)


def _words(role: Role, call: Call, verdict: Verdict, service: str) -> str:
    """As AWS says it: SQS writes its actions in small letters, SNS its own name in capitals."""
    action = call.action
    if service == "sqs":
        action = action.lower()
    elif service == "sns":
        action = action.replace("sns:", "SNS:")
    resource = f'"{call.resource}"' if service == "s3" else call.resource
    on = "" if call.resource == "*" else f" on resource: {resource}"
    why = (
        "with an explicit deny in an identity-based policy"
        if verdict is Verdict.DENIED
        else f"because no identity-based policy allows the {action} action"
    )
    return f"User: {role.session} is not authorized to perform: {action}{on} {why}"


def _id() -> dict[str, str]:
    return {"x_amzn_RequestId": str(uuid.uuid4())}


def _s3(request: Request, words: str) -> Answer:
    """S3 answers HEAD without a body: a client sees nothing but the status."""
    number, host = uuid.uuid4().hex[:16].upper(), uuid.uuid4().hex
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<Error><Code>AccessDenied</Code><Message>{escape(words)}</Message>"
        f"<RequestId>{number}</RequestId><HostId>{host}</HostId></Error>"
    ).encode()
    if request.environ["REQUEST_METHOD"] == "HEAD":
        body = b""
    return Answer.of(403, "application/xml", body, x_amz_request_id=number, x_amz_id_2=host)


def _json(request: Request, service: str, words: str) -> Answer:
    """Of AWS's JSON protocols; SQS names the error as its older protocol does for a client that asks so."""
    kind, headers = "com.amazon.coral.service#AccessDeniedException", _id()
    if service == "ecs":
        kind = "AccessDeniedException"
    if service == "sqs" and request.environ.get("HTTP_X_AMZN_QUERY_MODE") == "true":
        headers["x_amzn_query_error"] = "AccessDenied;Sender"
    # DynamoDB's older services write it so; clients take either
    field = "Message" if service == "dynamodb" else "message"
    body = json.dumps({"__type": kind, field: words}).encode()
    content_type = request.environ.get("CONTENT_TYPE", "application/x-amz-json-1.1")
    return Answer.of(400, content_type, body, **headers)


def _query(service: str, words: str) -> Answer:
    """Of EC2's protocol and of the query protocol, which is SQS's older one."""
    code = {"ec2": "UnauthorizedOperation", "sns": "AuthorizationError"}.get(service, "AccessDenied")
    if service == "ec2":
        token = uuid.uuid4().hex * 4
        words = f"You are not authorized to perform this operation. {words}. Encoded authorization failure "
        words += f"message: {token}"
    return Refusal(code, words, 403).answer(service, "ec2" if service == "ec2" else "query")
