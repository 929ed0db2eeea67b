"""The layer that holds every call to the role it is made in, before it is carried out.

Not simulated: policies of resources (the bucket's refusal of what comes without TLS), of keys and of
endpoints, boundaries, and policies of an organization. Source: IAM User Guide, "Policy evaluation logic".
"""

from __future__ import annotations

from local.aws.strict.front import Answer, PassOn, Request
from local.aws.strict.permissions.denials import denied
from local.aws.strict.permissions.roles import Role, Roles
from local.aws.strict.requests import rest_calls
from local.aws.strict.requests.policies import Call, Verdict

#: operations that read an object, which may be absent
READS = {"s3:CopyObject", "s3:GetObject", "s3:HeadObject"}


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
            verdict = role.policies.verdict(call)
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
    verdict = role.policies.verdict(listing)
    return answer if verdict is Verdict.ALLOWED else denied(request, role, listing, verdict)
