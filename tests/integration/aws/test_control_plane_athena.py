"""Queries on the simulated Athena, asked for through its API as the functions ask."""

from __future__ import annotations

import gzip
import json
import time

import pytest
from botocore.exceptions import ClientError

from local.aws.athena_service import athena_text
from local.aws.control_plane import ControlPlane
from local.children import Children
from tests.support.aws.probe import Machines

DATABASE, BUCKET, GROUP = "results", "results-bucket", "group"
LIMIT_S = 30


@pytest.fixture(scope="module")
def plane(tmp_path_factory):
    folder = tmp_path_factory.mktemp("athena")
    with (
        Children() as children,
        ControlPlane(
            children=children, cloud_assembly=folder, machines=Machines(), env={}, log_dir=folder / "logs"
        ) as opened,
    ):
        opened.client("s3").create_bucket(Bucket=BUCKET)
        opened.client("athena").create_work_group(
            Name=GROUP,
            Configuration={"ResultConfiguration": {"OutputLocation": f"s3://{BUCKET}/athena/"}},
        )
        glue = opened.client("glue")
        glue.create_database(DatabaseInput={"Name": DATABASE})
        columns = {"name": "string", "operations": "bigint", "share": "double", "closed": "boolean"}
        glue.create_table(
            DatabaseName=DATABASE,
            TableInput={
                "Name": "cases",
                "PartitionKeys": [{"Name": "run_id", "Type": "string"}],
                "StorageDescriptor": {
                    "Columns": [{"Name": name, "Type": kind} for name, kind in columns.items()],
                    "Location": f"s3://{BUCKET}/rows/cases/",
                },
            },
        )
        yield opened


def put(plane, run_id, *rows, name="rows"):
    body = gzip.compress("".join(f"{json.dumps(row)}\n" for row in rows).encode())
    plane.client("s3").put_object(Bucket=BUCKET, Key=f"rows/cases/run_id={run_id}/{name}.json.gz", Body=body)


def ask(plane, sql, *parameters, **options):
    athena = plane.client("athena")
    given = {"ExecutionParameters": list(parameters)} if parameters else {}
    started = athena.start_query_execution(
        QueryString=sql, WorkGroup=GROUP, QueryExecutionContext={"Database": DATABASE}, **given, **options
    )
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        found = athena.get_query_execution(QueryExecutionId=started["QueryExecutionId"])["QueryExecution"]
        if found["Status"]["State"] in {"SUCCEEDED", "FAILED"}:
            return found
    raise AssertionError("the query does not end")


def rows_of(plane, query):
    pages = plane.client("athena").get_paginator("get_query_results")
    return [
        [cell.get("VarCharValue") for cell in row["Data"]]
        for page in pages.paginate(QueryExecutionId=query["QueryExecutionId"])
        for row in page["ResultSet"]["Rows"]
    ]


def test_a_partition_is_read_by_a_quoted_parameter(plane):
    put(plane, "a run", {"name": "one", "operations": 5, "share": 0.25, "closed": True})
    put(plane, "other", {"name": "two", "operations": 7})
    sql = "SELECT name, operations, share, closed, run_id FROM cases WHERE run_id = ?"
    query = ask(plane, sql, "'a run'")
    assert query["Status"]["State"] == "SUCCEEDED", query
    assert rows_of(plane, query) == [
        ["name", "operations", "share", "closed", "run_id"],
        ["one", "5", "0.25", "true", "a run"],
    ]
    info = plane.client("athena").get_query_results(QueryExecutionId=query["QueryExecutionId"])
    kinds = [column["Type"] for column in info["ResultSet"]["ResultSetMetadata"]["ColumnInfo"]]
    assert kinds == ["varchar", "bigint", "double", "boolean", "varchar"]


def test_the_csv_is_in_the_work_groups_location(plane):
    put(plane, "csv", {"name": 'a "name", quoted', "operations": None})
    query = ask(plane, "SELECT name, operations FROM cases WHERE run_id = 'csv'")
    location = query["ResultConfiguration"]["OutputLocation"]
    assert location == f"s3://{BUCKET}/athena/{query['QueryExecutionId']}.csv"
    body = (
        plane.client("s3").get_object(Bucket=BUCKET, Key=location.partition(f"{BUCKET}/")[2])["Body"].read()
    )
    assert body.decode() == '"name","operations"\n"a ""name"", quoted",\n'


def test_a_null_has_no_value(plane):
    put(plane, "null", {"name": None, "operations": 1})
    query = ask(plane, "SELECT name FROM cases WHERE run_id = 'null'")
    assert rows_of(plane, query) == [["name"], [None]]


def test_objects_that_come_or_change_are_seen(plane):
    total = "SELECT CAST(sum(operations) AS bigint) AS n FROM cases WHERE run_id = 'growing'"
    put(plane, "growing", {"operations": 1}, name="first")
    assert rows_of(plane, ask(plane, total))[1] == ["1"]
    put(plane, "growing", {"operations": 10}, name="first")
    put(plane, "growing", {"operations": 100}, name="second")
    assert rows_of(plane, ask(plane, total))[1] == ["110"]
    plane.client("s3").delete_object(Bucket=BUCKET, Key="rows/cases/run_id=growing/second.json.gz")
    assert rows_of(plane, ask(plane, total))[1] == ["10"]


def test_a_table_without_objects_is_empty(plane):
    query = ask(plane, "SELECT count(*) AS n FROM cases WHERE run_id = 'nobody'")
    assert rows_of(plane, query)[1] == ["0"]


def test_results_come_in_pages(plane):
    put(plane, "many", *({"operations": n} for n in range(2500)))
    query = ask(plane, "SELECT operations FROM cases WHERE run_id = 'many' ORDER BY operations")
    athena = plane.client("athena")
    first = athena.get_query_results(QueryExecutionId=query["QueryExecutionId"])
    assert len(first["ResultSet"]["Rows"]) == 1000
    assert rows_of(plane, query) == [["operations"], *([str(n)] for n in range(2500))]
    few = athena.get_query_results(QueryExecutionId=query["QueryExecutionId"], MaxResults=2)
    assert [row["Data"][0]["VarCharValue"] for row in few["ResultSet"]["Rows"]] == ["operations", "0"]


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT nothing FROM cases WHERE run_id = 'a run'", "nothing"),
        ("SELECT 1 FROM absent", "absent"),
        ("SELEC 1", "SQL error"),
        ("SELECT name FROM cases", "run_id"),
    ],
)
def test_a_query_that_fails_says_why(plane, sql, reason):
    query = ask(plane, sql)
    assert query["Status"]["State"] == "FAILED"
    assert reason in query["Status"]["StateChangeReason"]
    assert reason in query["Status"]["AthenaError"]["ErrorMessage"]
    with pytest.raises(ClientError):
        rows_of(plane, query)


def test_an_absent_work_group_is_refused(plane):
    with pytest.raises(ClientError, match="InvalidRequestException"):
        plane.client("athena").start_query_execution(QueryString="SELECT 1", WorkGroup="absent")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        (1.5, "1.5"),
        (False, "false"),
    ],
)
def test_values_are_written_as_athena_writes_them(value, text):
    assert athena_text(value) == text
