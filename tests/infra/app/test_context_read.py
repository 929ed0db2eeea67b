"""Bad context: the field, the value and the remedy, before anything is built."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from breakeven.errors import InputError, MultipleInputError
from breakeven.planning import plan
from infra.context.context_read import read_context
from infra.context.settings import Context
from tests.support.aws.stacks import GROWN
from tests.support.money.lacking import lacking

ROOT = Path(__file__).parents[3]
SINGAPORE = {"region": "ap-southeast-1", "schedule": "off"}
VPC = {"vpc_id": "vpc-01234567", "subnet_ids": "subnet-01234567,subnet-89abcdef"}
ZONED, SUBNET = {**VPC, "zones": "eu-west-1a,eu-west-1b"}, "subnet-0123abcd"

#: settings, the field at fault, what its remedy says
BAD = [
    ({"prefix": "Team A"}, "prefix", "lower-case letters, digits and single hyphens"),
    ({"prefix": "a-be"}, "prefix", "without the word 'be'"),
    ({"prefix": "a" * 21}, "prefix", "at most 20"),
    ({"region": "eu-west"}, "region", "such as eu-west-1"),
    ({"region": "mars-1"}, "region", "such as eu-west-1"),
    ({"zones": "eu-west-1a"}, "zones", "two or more different zones"),
    ({"zones": "eu-west-1a,eu-west-1a"}, "zones", "two or more different zones"),
    ({"zones": ["eu-west-1a", "eu-west-2a"]}, "zones", "not of eu-west-1 and eu-west-2"),
    ({"zones": "eu-west-1a,eu-west-1b", "region": "us-east-1"}, "zones", "breakeven:region, us-east-1"),
    ({"vpc_id": "my-vpc"}, "vpc_id", "such as vpc-0123456789abcdef0"),
    ({"vpc_id": "vpc-01234567"}, "vpc_id", "needs breakeven:subnet_ids"),
    ({"subnet_ids": VPC["subnet_ids"]}, "subnet_ids", "needs breakeven:vpc_id"),
    ({"route_table_ids": "rtb-01234567"}, "route_table_ids", "needs breakeven:vpc_id"),
    ({**VPC, "subnet_ids": "subnet-01234567"}, "subnet_ids", "two or more different subnets"),
    (VPC, "subnet_ids", "0 are given"),
    ({**VPC, "zones": "eu-west-1a,eu-west-1b,eu-west-1c"}, "subnet_ids", "3 are given"),
    ({"permissions_boundary": "arn:aws:iam::1:policy/x"}, "permissions_boundary", "name or the ARN"),
    ({"bootstrap_qualifier": "too-long-for-one"}, "bootstrap_qualifier", "1 to 10 lower-case"),
    ({"tags": "CostCenter"}, "tags", "CostCenter=1234"),
    ({"tags": {"aws:x": "y"}}, "tags", "no key starts with aws:"),
    ({"tags": {"cost center": "y"}}, "tags", "has a space or a slash"),
    ({"tags": {"acme/cost": "y"}}, "tags", "has a space or a slash"),
    ({"image_architectures": "arm"}, "image_architectures", "arm64, x86_64 or both"),
    ({"image_architectures": "arm64,x86_64", "image": "/i"}, "image_architectures", "of one architecture"),
    ({"bake": "no way"}, "bake", "true or false"),
    ({"publish": "TRUE"}, "publish", "true or false: whether anyone who knows the address may read"),
    ({"publish": "1"}, "publish", "true or false"),
    ({"publish": 1}, "publish", "true or false"),
    ({"bake": "false"}, "bake", "needs breakeven:image"),
    (
        {"bake": "false", "image": "/i", **ZONED, "build_subnet_id": SUBNET},
        "build_subnet_id",
        "nothing is built",
    ),
    ({"build_subnet_id": "subnet-1"}, "build_subnet_id", "such as subnet-0123456789abcdef0"),
    ({"build_subnet_id": SUBNET}, "build_subnet_id", "needs breakeven:vpc_id"),
    ({"kms_key_arn": "alias/mine"}, "kms_key_arn", "the ARN of a KMS key"),
    ({"kms_key_arn": GROWN["kms_key_arn"], "region": "us-east-1"}, "kms_key_arn", "not of eu-west-1"),
    ({"log_retention_days": "31"}, "log_retention_days", "one of 1, 3, 5, 7, 14, 30, 60"),
    ({"log_retention_days": "a month"}, "log_retention_days", "one of 1, 3, 5, 7, 14, 30, 60"),
    ({"access_log_bucket": "s3://logs"}, "access_log_bucket", "the name of a bucket"),
    ({"mail": "team"}, "mail", "such as team@example.com"),
    ({"mail": "a@example.com,b@example.com"}, "mail", "one mail address"),
    ({"instance_type": "m7g.lrge"}, "instance_type", "did you mean m7g.large"),
    ({**SINGAPORE, "instance_type": "m8g.large"}, "instance_type", "not offered in ap-s"),
    ({"architecture": "arm"}, "architecture", "arm64 or x86_64"),
    ({"architecture": "x86_64"}, "architecture", "m7g.large is arm64: leave breakeven:architecture out"),
    ({"architecture": "arm64", "instance_type": "m7i.large"}, "architecture", "m7i.large is x86_64"),
    ({"image": "/aws/service/debian/release/12/latest/amd64"}, "image", "for x86_64, and m7g.large is arm64"),
    ({"image": "ami-01234567"}, "image", "an SSM parameter"),
]


@pytest.mark.parametrize(("settings", "field", "remedy"), BAD)
def test_what_is_wrong_is_named_with_its_value_and_the_remedy(settings, field, remedy):
    with pytest.raises(InputError) as caught:
        read_context({f"breakeven:{key}": value for key, value in settings.items()})
    error = caught.value
    assert error.field == f"breakeven:{field}"
    assert error.value == settings[field]
    assert remedy in error.remedy
    assert not isinstance(error, MultipleInputError)


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("breakeven:prefx", "breakeven:prefix"),
        ("breakevn:prefix", "breakeven:prefix"),
        ("breakeven.tags", "breakeven:tags"),
        ("mail", "breakeven:mail"),
        ("breakeven:colour", None),
    ],
)
def test_a_key_that_would_go_unread_is_refused(key, meant):
    with pytest.raises(InputError, match="no such key") as caught:
        read_context({key: "x"})
    assert caught.value.field == key
    assert (f"did you mean '{meant}'?" in str(caught.value)) == (meant is not None)
    assert "there are breakeven:max_msg_per_s, breakeven:max_sqs_usd" in str(caught.value)


def test_what_belongs_to_the_cdk_is_left_alone():
    assert read_context({"aws:cdk:version-reporting": False, "cli-telemetry": False}) == Context()


def test_everything_that_is_wrong_is_said_at_once():
    with pytest.raises(InputError) as caught:
        read_context({"breakeven:mail": "x", "breakeven:zones": "y", "breakeven:prefx": "z"})
    assert [line.split(": ")[1] for line in str(caught.value).splitlines()] == [
        "breakeven:prefx",
        "breakeven:zones",
        "breakeven:mail",
    ]


def test_the_profiles_region_is_checked_where_none_is_given():
    with pytest.raises(InputError, match="it is the profile's region") as caught:
        read_context({}, profile_region="mars-1")
    assert caught.value.value == "mars-1"
    assert read_context({"breakeven:region": "eu-west-1"}, profile_region="mars-1").region == "eu-west-1"


def test_a_region_that_no_price_book_is_shipped_of_may_be_deployed_to():
    assert read_context({"breakeven:region": "eu-north-1"}).region == "eu-north-1"
    assert read_context({}, profile_region="eu-north-1").region is None


def test_text_of_the_command_line_and_values_of_cdk_json_mean_the_same():
    ours = {f"breakeven:{field}": value for field, value in GROWN.items()}
    typed = ours | {
        "breakeven:zones": ["eu-west-1a", "eu-west-1b"],
        "breakeven:tags": {"CostCenter": "1234", "Owner": "team-a"},
        "breakeven:log_retention_days": 90,
    }
    assert read_context(ours) == read_context(typed)
    assert set(GROWN) == set(Context.model_fields), "the tests leave a key out"


@pytest.mark.thorough
def test_the_command_line_fails_with_the_message_and_no_traceback(tmp_path):
    environment = {**os.environ, "CDK_DISABLE_CLI_TELEMETRY": "true", "CI": "true"}
    reported = subprocess.run(
        ["npx", "--no-install", "cdk", "synth", "--output", str(tmp_path), "-c", "breakeven:mail=team"],
        cwd=ROOT,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert reported.returncode != 0
    assert "context: breakeven:mail: 'team': must be one mail address" in reported.stderr
    assert "Traceback" not in reported.stdout + reported.stderr
    assert not (tmp_path / "manifest.json").exists()


def test_every_key_is_in_the_documentation_with_its_own_words():
    page = " ".join((ROOT / "docs" / "aws.md").read_text().replace("`", "").split())
    for field, info in Context.model_fields.items():
        assert f"breakeven:{field}" in page
        assert " ".join(str(info.description).replace("`", "").split()) in page, field


def test_a_schedule_in_a_region_whose_book_cannot_price_a_run_is_refused(monkeypatch):
    monkeypatch.setattr(plan, "book_of", lambda region: lacking("states", "transition", region))
    with pytest.raises(InputError) as caught:
        read_context({"breakeven:region": "ap-southeast-1", "breakeven:schedule": "monthly"})
    assert caught.value.field == "breakeven:schedule"
    assert "must be off: runs in ap-southeast-1" in caught.value.remedy
    assert "states/transition" in caught.value.remedy
    assert read_context({"breakeven:region": "ap-southeast-1", "breakeven:schedule": "off"}).region
