"""An idle stack costs at most $5 a month, line by line; what would not is seen."""

from __future__ import annotations

import copy

import pytest

from breakeven.planning.run_deadline import MAX_RUN_S
from breakeven.pricing.prices.book_files import load_book
from tests.support.aws.definition import definition_of, template_of
from tests.support.aws.idle_cost import UnknownCostError, idle_lines

MOST_USD = 5.0
REGIONS = ["us-east-1", "eu-west-1"]


def total(template, region="us-east-1"):
    return sum(line.usd for line in idle_lines(template, load_book(region)))


def with_resource(template, **resource):
    changed = copy.deepcopy(template)
    changed["Resources"]["Another"] = resource
    return changed


@pytest.mark.parametrize("region", REGIONS)
def test_an_idle_stack_costs_at_most_five_dollars_a_month(assembly, region):
    lines = idle_lines(template_of(assembly), load_book(region))
    assert sum(line.usd for line in lines) <= MOST_USD, "\n".join(map(str, lines))
    assert all(line.rate.source for line in lines)


def test_so_does_one_that_publishes_its_reports(beside):
    lines = idle_lines(beside.template, load_book("us-east-1"))
    assert sum(line.usd for line in lines) <= MOST_USD
    assert "AWS::CloudFront::Distribution" in {each["Type"] for each in beside.template["Resources"].values()}


def test_the_lines_by_hand():
    watch = {"ScheduleExpression": "rate(15 minutes)", "Targets": [{}]}
    kinds = {"Alarm": "CloudWatch::Alarm", "Bucket": "S3::Bucket", "Nat": "EC2::NatGateway"}
    resources = {name: {"Type": f"AWS::{kind}"} for name, kind in kinds.items()}
    resources["Logs"] = {"Type": "AWS::Logs::LogGroup", "Properties": {"RetentionInDays": 30}}
    resources["Watch"] = {"Type": "AWS::Events::Rule", "Properties": watch}
    resources["Ends"] = {"Type": "AWS::Events::Rule", "Properties": {"EventPattern": {}, "Targets": [{}]}}
    resources["Role"] = {"Type": "AWS::IAM::Role"}
    found = {line.what: line.usd for line in idle_lines({"Resources": resources}, load_book("eu-west-1"))}
    assert found == pytest.approx(
        {
            "AWS::CloudWatch::Alarm": 0.10,
            "AWS::S3::Bucket": 5 * 0.023,
            "AWS::EC2::NatGateway": 730 * 0.048,
            "AWS::Logs::LogGroup": 0.05 * 0.03,
            # four an hour, 730 hours, 512 MB for 3 s and a tenth more
            "AWS::Events::Rule": 2920 * 1.65 * 0.0000133334,
        }
    )


@pytest.mark.parametrize(
    "resource",
    [
        {"Type": "AWS::EC2::NatGateway"},
        {
            "Type": "AWS::EC2::VPCEndpoint",
            "Properties": {"VpcEndpointType": "Interface", "SubnetIds": ["a", "b"]},
        },
    ],
)
def test_what_is_paid_by_the_hour_is_over_the_limit(assembly, resource):
    template = template_of(assembly)
    assert total(with_resource(template, **resource)) > MOST_USD >= total(template)


@pytest.mark.parametrize(
    "resource", [{"Type": "AWS::EC2::Instance"}, {"Type": "AWS::Logs::LogGroup", "Properties": {}}]
)
def test_what_nobody_has_priced_or_grows_for_ever_is_an_error(assembly, resource):
    with pytest.raises(UnknownCostError):
        total(with_resource(template_of(assembly), **resource))


def test_an_execution_is_stopped_when_the_plan_says(assembly):
    assert definition_of(template_of(assembly))["TimeoutSeconds"] == MAX_RUN_S
