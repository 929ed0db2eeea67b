"""Reports for readers without an account: nobody unless asked for, and then reports and nothing else."""

from __future__ import annotations

import re
from typing import Any

import pytest

from breakeven.report.render.bundle import TEMPLATES
from infra.context.context_read import read_context
from tests.support.aws.definition import resources

SITE_VARIABLE = "BREAKEVEN_SITE"


def only(built: Any, kind: str) -> dict[str, Any]:
    (found,) = resources(built.template, kind).values()
    return found


def test_no_context_publishes_nothing(plain):
    assert not [
        kind for each in plain.template["Resources"].values() if "CloudFront" in (kind := each["Type"])
    ]
    assert "ReportsUrl" not in plain.template["Outputs"]
    assert SITE_VARIABLE not in str(plain.template)
    assert read_context({}).publish is False


def test_the_distribution_asks_for_https_signs_its_requests_and_only_reads(grown):
    config = only(grown, "AWS::CloudFront::Distribution")["DistributionConfig"]
    behaviour, (origin,) = config["DefaultCacheBehavior"], config["Origins"]
    (control,) = resources(grown.template, "AWS::CloudFront::OriginAccessControl")
    assert origin["OriginAccessControlId"] == {"Fn::GetAtt": [control, "Id"]}
    assert origin["S3OriginConfig"] == {"OriginAccessIdentity": ""}
    signing = only(grown, "AWS::CloudFront::OriginAccessControl")["OriginAccessControlConfig"]
    assert (signing["SigningBehavior"], signing["SigningProtocol"]) == ("always", "sigv4")
    assert behaviour["ViewerProtocolPolicy"] == "https-only"
    assert behaviour["AllowedMethods"] == ["GET", "HEAD"]
    assert config["PriceClass"] == "PriceClass_100"
    assert config["DefaultRootObject"] == "reports/latest/index.html"
    assert "CacheBehaviors" not in config


def test_the_bucket_stays_closed_but_for_the_reports_to_that_one_distribution(grown, plain):
    statements = only(grown, "AWS::S3::BucketPolicy")["PolicyDocument"]["Statement"]
    (read,) = [each for each in statements if each["Effect"] == "Allow"]
    (distribution,) = resources(grown.template, "AWS::CloudFront::Distribution")
    (bucket,) = resources(grown.template, "AWS::S3::Bucket")
    assert read["Principal"] == {"Service": "cloudfront.amazonaws.com"}
    assert read["Action"] == "s3:GetObject"
    assert read["Resource"] == {"Fn::Join": ["", [{"Fn::GetAtt": [bucket, "Arn"]}, "/reports/*"]]}
    assert f"{{'Ref': '{distribution}'}}" in str(read["Condition"]["StringEquals"]["AWS:SourceArn"])
    for built in (grown, plain):
        assert set(only(built, "AWS::S3::Bucket")["PublicAccessBlockConfiguration"].values()) == {True}
    private = only(plain, "AWS::S3::BucketPolicy")["PolicyDocument"]["Statement"]
    assert [each["Effect"] for each in private] == ["Deny"]


def test_answers_are_as_old_as_each_object_says(grown):
    policy = only(grown, "AWS::CloudFront::CachePolicy")["CachePolicyConfig"]
    assert (policy["MinTTL"], policy["DefaultTTL"]) == (0, 0)


def directives(policy: str) -> dict[str, str]:
    return dict(each.strip().split(" ", 1) for each in policy.split(";"))


def test_the_headers_let_the_page_do_what_its_own_policy_does_and_frame_it_nowhere(grown):
    headers = only(grown, "AWS::CloudFront::ResponseHeadersPolicy")["ResponseHeadersPolicyConfig"]
    security = headers["SecurityHeadersConfig"]
    sent = directives(security["ContentSecurityPolicy"]["ContentSecurityPolicy"])
    template = (TEMPLATES / "index.html").read_text(encoding="utf-8")
    (own,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', template)
    own = directives(re.sub(r"{%.*?%}", "", own))
    assert own.pop("script-src") == "'{{ page.script.digest }}'"
    assert {name: sent[name] for name in own} == own
    assert {name: sent[name] for name in sent.keys() - own.keys()} == {
        "script-src": "'unsafe-inline'",
        "frame-ancestors": "'none'",
    }
    assert security["FrameOptions"]["FrameOption"] == "DENY"
    assert security["ReferrerPolicy"]["ReferrerPolicy"] == "no-referrer"
    assert security["StrictTransportSecurity"]["AccessControlMaxAgeSec"] == 365 * 24 * 3600
    assert security["ContentTypeOptions"] == {"Override": True}


def test_the_address_is_an_output_and_stands_in_the_mail(grown):
    (distribution,) = resources(grown.template, "AWS::CloudFront::Distribution")
    domain = {"Fn::GetAtt": [distribution, "DomainName"]}
    address = grown.template["Outputs"]["ReportsUrl"]["Value"]["Fn::Join"][1]
    assert address == ["https://", domain, "/reports/latest/index.html"]
    (noted,) = [
        name
        for name, each in resources(grown.template, "AWS::Lambda::Function").items()
        if SITE_VARIABLE in each["Environment"]["Variables"]
    ]
    assert noted.startswith("FunctionsBuildReport")


def test_two_installations_of_an_account_share_no_name_of_cloudfronts(grown, beside):
    def names(built: Any) -> set[str]:
        found = (
            only(built, "AWS::CloudFront::CachePolicy")["CachePolicyConfig"]["Name"],
            only(built, "AWS::CloudFront::ResponseHeadersPolicy")["ResponseHeadersPolicyConfig"]["Name"],
            only(built, "AWS::CloudFront::OriginAccessControl")["OriginAccessControlConfig"]["Name"],
        )
        return {str(name) for name in found}

    assert not names(grown) & names(beside)


@pytest.mark.parametrize("given", ["yes please", 2])
def test_what_is_neither_true_nor_false_is_refused(given):
    with pytest.raises(Exception, match=r"breakeven:publish.*true or false"):
        read_context({"breakeven:publish": given})
