"""The simulated account: its plan and its quotas, which a layer answers for and holds calls to.

moto knows no plan of an account, has a thousand functions and as many machines as anybody likes. An account
that was opened yesterday has few.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from moto.core import DEFAULT_ACCOUNT_ID
from moto.ec2.models import ec2_backends
from moto.ec2.models.instance_types import INSTANCE_TYPES

from local.aws.strict.front import Answer, PassOn, Request
from local.aws.strict.refusals import Refusal
from local.aws.strict.requests.needed import REGION, Parameters

#: Service Quotas' codes -> the field of ``SimulatedAccount`` that holds the quota. They are written here once
#: more, and not taken from our code: a wrong one there is to be refused here
QUOTAS = {"L-1216C47A": "vcpus", "L-3032A538": "task_vcpus", "L-B99A9384": "functions"}
#: what Lambda says of a call over the quota
OVER = {"Reason": "ConcurrentInvocationLimitExceeded", "Type": "User", "message": "Rate Exceeded."}
#: of these families' on-demand instances the quota of vCPUs is: A, C, D, H, I, M, R, T, Z
STANDARD = "acdhimrtz"


@dataclass(frozen=True, slots=True)
class SimulatedAccount:
    """``plan``: FREE launches only types that are eligible for the Free Tier. Quotas are a region's.

    ``functions``: concurrent executions of Lambda; ``vcpus``, ``task_vcpus``: that EC2 and Fargate may run.
    """

    plan: Literal["FREE", "PAID"] = "PAID"
    functions: int = 1000
    vcpus: int = 512
    task_vcpus: int = 512


ESTABLISHED = SimulatedAccount()


class AccountLayer:
    """Answers what is asked of the account, and refuses what it may not do. Safe to share by threads."""

    def __init__(self, account: SimulatedAccount) -> None:
        self._account = account
        self._lock = threading.Lock()
        self._running = 0

    def __call__(self, request: Request, pass_on: PassOn) -> Answer:
        operation = request.operation
        if operation == "lambda:Invoke":
            return self._invoke(request, pass_on)
        if operation == "ec2:RunInstances":
            return self._refusal(request.parameters) or pass_on(request)
        if operation == "freetier:GetAccountPlanState":
            return _json(self._plan())
        if operation == "lambda:GetAccountSettings":
            return _json(self._settings())
        if operation == "servicequotas:GetServiceQuota":
            code = request.parameters["QuotaCode"]
            if code in QUOTAS:
                value = float(getattr(self._account, QUOTAS[code]))
                return _json({"Quota": {"QuotaCode": code, "Value": value}})
        return pass_on(request)

    def _invoke(self, request: Request, pass_on: PassOn) -> Answer:
        """Over the account's concurrency a call fails at once with 429; an asynchronous one waits in a queue.

        Lambda guide, "Understanding Lambda function scaling"; API reference, Invoke: TooManyRequestsException
        with the reason ConcurrentInvocationLimitExceeded.
        """
        if request.environ.get("HTTP_X_AMZ_INVOCATION_TYPE") == "Event":
            return pass_on(request)
        with self._lock:
            if self._running >= self._account.functions:
                return _json(OVER, 429, x_amzn_ErrorType="TooManyRequestsException")
            self._running += 1
        try:
            return pass_on(request)
        finally:
            with self._lock:
                self._running -= 1

    def _plan(self) -> dict[str, Any]:
        """Free Tier API reference, GetAccountPlanState."""
        return {
            "accountId": DEFAULT_ACCOUNT_ID,
            "accountPlanType": self._account.plan,
            "accountPlanStatus": "ACTIVE",
        }

    def _settings(self) -> dict[str, Any]:
        """Lambda API reference, GetAccountSettings."""
        functions = self._account.functions
        limit = {"ConcurrentExecutions": functions, "UnreservedConcurrentExecutions": functions}
        return {"AccountLimit": limit, "AccountUsage": {"FunctionCount": 0, "TotalCodeSize": 0}}

    def _refusal(self, given: Parameters) -> Answer | None:
        """Why EC2 launches nothing of what is asked for; None: nothing speaks against it.

        EC2 API reference, error codes: VcpuLimitExceeded; and the answer that an account on the free plan is
        given for a type that is not eligible.
        """
        name = _instance_type(given)
        known = INSTANCE_TYPES.get(name)
        if known is None:
            return None  # moto's to refuse
        if self._account.plan == "FREE" and not known.get("FreeTierEligible"):
            message = "The specified instance type is not eligible for Free Tier. For a list of Free Tier "
            message += (
                "instance types, run 'describe-instance-types' with the filter 'free-tier-eligible=true'."
            )
            return Refusal("InvalidParameterCombination", message).answer("ec2")
        wanted = given["MaxCount"] * _vcpus(name)
        if wanted and wanted + _up() > self._account.vcpus:
            message = (
                f"You have requested more vCPU capacity than your current vCPU limit of {self._account.vcpus}"
            )
            return Refusal("VcpuLimitExceeded", message).answer("ec2")
        return None


def _instance_type(given: Parameters) -> str:
    """As the call names it, or its launch template, whose latest version is launched; neither: no text."""
    if name := given.get("InstanceType"):
        return str(name)
    templates = ec2_backends[DEFAULT_ACCOUNT_ID][REGION].launch_templates
    template = templates.get(given.get("LaunchTemplate", {}).get("LaunchTemplateId"))
    return str(template.latest_version().data.get("InstanceType") or "") if template else ""


def _vcpus(name: str) -> int:
    """Of one instance, as far as they count towards the quota."""
    known = INSTANCE_TYPES.get(name)
    return int(known["VCpuInfo"]["DefaultVCpus"]) if known and name[0] in STANDARD else 0


IN_USE = {"pending", "running", "shutting-down"}


def _up() -> int:
    """vCPUs of the quota that are in use: of instances that are pending, running or shutting down.

    Of those that shut down EC2's documentation does not say it; users have met the limit then.
    """
    instances = ec2_backends[DEFAULT_ACCOUNT_ID][REGION].all_instances()
    return sum(_vcpus(one.instance_type) for one in instances if one.state in IN_USE)


def _json(document: Mapping[str, Any], status: int = 200, **headers: str) -> Answer:
    return Answer.of(status, "application/x-amz-json-1.1", json.dumps(document).encode(), **headers)
