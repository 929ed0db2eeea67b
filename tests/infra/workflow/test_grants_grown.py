"""Roles of a stack in a grown account: nothing that they need is lost, and the account's key is open to them.

The end-to-end tests hold the default stack's roles against calls (tests/e2e/test_clean_up.py). Here each
thing that those roles may do is judged by the roles of stacks with a key, a VPC, a boundary and a prefix of
the account's own. What only a real account shows: key policies, and what a boundary takes away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from local.aws.strict.requests.policies import Call, Statement
from tests.support.aws.stacks import BESIDE, GROWN, Built
from tests.support.grants import review
from tests.support.grants.roles import Roles
from tests.support.grants.templates import Template

pytestmark = pytest.mark.installed

KEY, QUALIFIER = GROWN["kms_key_arn"], GROWN["bootstrap_qualifier"]
#: roles of what an existing VPC's owner sees to, and of the architecture that another stack's images have
OF_THE_OWN_VPC = {"role:NetworkVpcRefusedIAM", "role:ImagesBuildVpcRefusedIAM"}
IMAGES = "role:Images"
#: logical ids of what an image is baked from, which name its architecture
BAKED = re.compile(r"ImagesPair(?:arm64|x8664)(\w+?)[0-9A-F]{8}")
#: an image of the account's own is looked up by CloudFormation, Debian's by EC2 at launch
LOOKED_UP = "ssm:GetParameters"
#: a base image of the account's own is a Debian 12, of which no image of the trio is baked
OF_THE_TRIO = re.compile(r"ImagesTrio|/release/13/")
#: a VPC and subnets that are named: each stack has others
A_VPC = re.compile(r":vpc/[^\"]+")
OF_THE_NETWORK = re.compile(r":(vpc|subnet)/[^*]")
USES = {"kms:Decrypt", "kms:GenerateDataKey"}
#: action on something that a key encrypts -> what its caller must be allowed to do with the key. Sources: S3,
#: "Using server-side encryption with AWS KMS keys"; DynamoDB, "Authorizing use of your customer managed key";
#: SNS and SQS, "Key management": publishers and senders; Athena reads and writes answers as S3's caller
WITH_KEY = {
    "s3:GetObject": {"kms:Decrypt"},
    "s3:PutObject": {"kms:GenerateDataKey"},
    "sns:Publish": USES,
    "sqs:SendMessage": USES,
    **dict.fromkeys(
        ("dynamodb:GetItem", "dynamodb:Query", "dynamodb:UpdateItem"),
        USES | {"kms:Encrypt", "kms:DescribeKey"},
    ),
}
#: with these a call names nothing that is encrypted
WITHOUT_KEY = {
    "s3:AbortMultipartUpload",
    "s3:DeleteObject",
    "s3:GetBucketLocation",
    "s3:ListBucket",
    "s3:ListBucketMultipartUploads",
    "s3:ListMultipartUploadParts",
    "sqs:GetQueueAttributes",
}


@pytest.fixture(scope="module")
def roles(plain, grown, beside) -> dict[str, Roles]:
    stacks = {"plain": plain, "grown": grown, "beside": beside}
    alike = {
        name: json.loads(BAKED.sub(r"ImagesPair\g<1>00000000", json.dumps(built.template)))
        for name, built in stacks.items()
    }
    found = {name: Template(template).roles() for name, template in alike.items()}
    return {name: {role: in_one_vpc(each) for role, each in of.items()} for name, of in found.items()}


def in_one_vpc(policies: list[Statement]) -> list[Statement]:
    """Each stack has its own, which conditions name."""
    return [
        replace(each, conditions=json.loads(A_VPC.sub(":vpc/own", json.dumps(each.conditions))))
        for each in policies
    ]


def prefixed(text: str, prefix: str) -> str:
    """As an installation with the prefix has it: its stack, its database, its queues."""
    for own, other in (
        ("queue_breakeven", f"{prefix.replace('-', '_')}_queue_breakeven"),
        ("QueueBreakeven", f"{prefix}-QueueBreakeven"),
        *([("cdk-hnb659fds-", f"cdk-{QUALIFIER}-")] if prefix == GROWN["prefix"] else []),
        (":be-*", f":{prefix}-be-*"),
    ):
        text = text.replace(own, other)
    return text


def calls(role: str, policies: list[Statement], prefix: str) -> Iterator[Call]:
    """A call for each single thing that is granted, with what its conditions ask for, in that stack."""
    for action, resource, statement in review.grants(policies):
        if OF_THE_NETWORK.search(resource):
            continue
        context = tuple(
            (key, prefixed(wanted[0] if isinstance(wanted, list) else wanted, prefix))
            for keys in statement.conditions.values()
            for key, wanted in keys.items()
        )
        yield Call(role, action, prefixed(resource, prefix).replace("*", "any"), context)


def lost(before: Roles, after: Roles, prefix: str) -> list[str]:
    """What roles may do in the one stack and not in the other."""
    return [
        str(call)
        for role in before.keys() & after.keys()
        for call in calls(role, before[role], prefix)
        if not review.is_allowed(after[role], call)
    ]


def is_left_out(name: str, granted: str) -> bool:
    return name == "grown" and bool(OF_THE_TRIO.search(granted))


def ours(role: str) -> bool:
    return role not in OF_THE_OWN_VPC and not role.startswith(IMAGES)


@pytest.mark.parametrize(("name", "prefix"), [("grown", GROWN["prefix"]), ("beside", BESIDE["prefix"])])
def test_no_role_and_nothing_that_it_may_do_is_lost(roles, name, prefix):
    assert len(roles["plain"]) > 25
    assert set(filter(ours, roles["plain"])) == set(filter(ours, roles[name]))
    found = [call for call in lost(roles["plain"], roles[name], prefix) if not is_left_out(name, call)]
    assert [call for call in found if LOOKED_UP not in call] == []
    assert len(found) == (name == "grown")


@pytest.mark.parametrize(("name", "prefix"), [("grown", GROWN["prefix"]), ("beside", BESIDE["prefix"])])
def test_nothing_is_gained_but_the_use_of_the_key(roles, name, prefix):
    plain = {
        (role, call.action, call.resource)
        for role, policies in roles["plain"].items()
        for call in calls(role, policies, prefix)
    }
    gained = {
        (role, action, resource)
        for role, policies in roles[name].items()
        if ours(role)
        for action, resource, _ in review.grants(policies)
        if (role, action, resource.replace("*", "any")) not in plain and not OF_THE_NETWORK.search(resource)
    }
    assert {resource for _, _, resource in gained} == ({KEY} if name == "grown" else set())


@pytest.mark.parametrize("name", ["plain", "grown", "beside"])
def test_what_the_reviewed_list_says_that_roles_need_they_have(roles, name):
    absent = [str(grant) for grant in review.absent(roles[name], review.implied())]
    assert [grant for grant in absent if not is_left_out(name, grant)] == []
    assert sorted(map(str, review.on_everything(roles[name]))) == []


def key_needed(grown: Built, policies: list[Statement]) -> set[str]:
    """What of the key the role's own actions take."""
    encrypted = Template(grown.template).encrypted_with(KEY)
    on_encrypted = {
        action
        for action, resource, _ in review.grants(policies)
        if any(resource == each or resource.startswith(f"{each}/") for each in encrypted)
    }
    assert on_encrypted <= WITH_KEY.keys() | WITHOUT_KEY, "say which of the two it is"
    return {need for action in on_encrypted & WITH_KEY.keys() for need in WITH_KEY[action]}


def lacking(grown: Built, roles: Roles) -> list[str]:
    """What of the key roles need, and may not use."""
    return [
        str(call)
        for role, policies in roles.items()
        for need in key_needed(grown, policies)
        if not review.is_allowed(policies, call := Call(role, need, KEY))
    ]


def test_the_key_encrypts_what_is_stored(grown):
    kinds = sorted(arn.split(":")[2] for arn in Template(grown.template).encrypted_with(KEY))
    assert kinds == ["dynamodb", "s3", "sns", "sqs"]


def test_every_role_may_do_with_the_key_what_its_actions_take(grown, roles):
    assert lacking(grown, roles["grown"]) == []


def test_only_roles_that_store_or_read_may_use_the_key(grown, roles):
    holding = {role for role, policies in roles["grown"].items() if is_key_open(policies)}
    assert holding == {role for role, policies in roles["grown"].items() if key_needed(grown, policies)}
    assert {"states", "Plan", "LoadInVpc", "Look", "StartScheduled", "role:BrokersNode"} <= holding


def is_key_open(policies: list[Statement]) -> bool:
    return any(action.startswith("kms:") for action, _, _ in review.grants(policies))


def test_a_permission_that_is_missing_is_seen(grown, roles):
    """Of the key, and of anything else, whichever it is."""
    for action in ("kms:Decrypt", "kms:GenerateDataKey"):
        left = {"Load": review.without(roles["grown"]["LoadInVpc"], action)}
        assert lacking(grown, left) == [f"Load: {action} on {KEY}"]
    for role, policies in roles["grown"].items():
        actions = {action for action, _, _ in review.grants(policies) if not action.startswith("kms:")}
        for action in actions if ours(role) else ():
            left = {role: review.without(policies, action)}
            assert lost({role: roles["plain"][role]}, left, GROWN["prefix"]), (role, action)
