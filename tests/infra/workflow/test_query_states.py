"""Athena looks up, reads and writes as the state machine: what the guides want of that role."""

from __future__ import annotations

import pytest

from breakeven.results.queries import bare, queries
from infra.context.settings import DATABASE
from local.aws.strict.requests.policies import Call
from tests.support.aws.definition import definition_of, resources, states
from tests.support.grants import review
from tests.support.grants.templates import ACCOUNT, REGION, Template

PLACE = f"{REGION}:{ACCOUNT}"


@pytest.fixture(scope="module")
def may(plain):
    policies = Template(plain.template).roles()["states"]
    return lambda action, resource: review.is_allowed(policies, Call("states", action, resource))


def glue(resource: str) -> str:
    return f"arn:aws:glue:{PLACE}:{resource}"


@pytest.mark.parametrize("resource", ["catalog", f"database/{DATABASE}", "database/default"])
def test_athena_may_look_up_our_database_and_the_one_that_it_always_begins_with(may, resource):
    assert may("glue:GetDatabase", glue(resource))


@pytest.mark.parametrize("action", ["glue:CreateDatabase", "glue:GetDatabases"])
def test_athena_may_make_the_default_database_where_a_region_has_none_and_no_other(may, action):
    assert may(action, glue("catalog"))
    assert may(action, glue("database/default"))
    assert not may(action, glue("database/another"))


def test_step_functions_may_ask_which_catalogue_a_query_is_on(may):
    assert may("athena:GetDataCatalog", f"arn:aws:athena:{PLACE}:datacatalog/AwsDataCatalog")


def test_a_long_answer_is_written_in_parts_where_answers_are_and_nowhere_else(plain, may):
    (bucket,) = resources(plain.template, "AWS::S3::Bucket")
    assert may("s3:ListBucketMultipartUploads", f"arn:aws:s3:::{bucket}")
    for action in ("s3:PutObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"):
        assert may(action, f"arn:aws:s3:::{bucket}/athena/answer.csv")
        assert not may(action, f"arn:aws:s3:::{bucket}/rows/cases/run_id=r/c.json.gz")


def test_athena_is_asked_without_comments(plain):
    found = states(definition_of(plain.template))
    asked = {
        name: each["Parameters"]["QueryString"] for name, each in found.items() if name.startswith("Query ")
    }
    assert asked == {f"Query {name}": bare(sql) for name, sql in queries().items()}
