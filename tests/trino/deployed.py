"""What the stack gives to Athena, as read from its template: named queries and Glue tables.

Both engines get their tables from here, so that a table which is declared wrongly in Glue is found as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.aws.sql_engine import SqlResult, SqlTable, run
from tests.support.aws.definition import resources

#: a row format of Glue's, as Trino names it
FORMATS = {"org.openx.data.jsonserde.JsonSerDe": "OPENX_JSON"}
#: Hive's types as Trino names them; the types that rows may have
TYPES = {
    "string": "varchar",
    "int": "integer",
    "bigint": "bigint",
    "double": "double",
    "boolean": "boolean",
}


@dataclass(frozen=True, slots=True)
class GlueTable:
    """``columns`` and ``partitions`` are name -> Hive type; ``prefix`` is that of the keys of its objects."""

    name: str
    columns: dict[str, str]
    partitions: dict[str, str]
    prefix: str
    template: str  # the key of a partition's folder, with ${name} for its value
    projection: dict[str, str]  # partition column -> kind
    serde: str

    def on_trino(self) -> str:
        """The statement that creates the same table in Trino's Hive catalog."""
        columns = [f'"{name}" {TYPES[kind]}' for name, kind in self.columns.items()]
        partitions = [
            f"\"{name}\" {TYPES[kind]} WITH (partition_projection_type = '{self.projection[name]}')"
            for name, kind in self.partitions.items()
        ]
        named = ", ".join(f"'{name}'" for name in self.partitions)
        return f"""
            CREATE TABLE "{self.name}" ({", ".join([*columns, *partitions])})
            WITH (
              format = '{FORMATS[self.serde]}',
              external_location = 'local:///{self.prefix}',
              partitioned_by = ARRAY[{named}],
              partition_projection_enabled = true,
              partition_projection_location_template = 'local:///{self.template}'
            )
        """

    def on_the_local_engine(self, data: Path) -> SqlTable:
        """The same table over the files in a folder that stands for the bucket."""
        files = sorted(path for path in (data / self.prefix).rglob("*") if path.is_file())
        return SqlTable(self.columns, self.partitions, files)


#: puts a query with the run's id for each ``?`` to an engine
Ask = Callable[[str, str], SqlResult]


def local_engine(tables: Mapping[str, GlueTable], data: Path) -> Ask:
    """The engine that local runs have, on the files in that folder."""

    def ask(sql: str, run_id: str) -> SqlResult:
        found = {name: table.on_the_local_engine(data) for name, table in tables.items()}
        return run(sql, found, [f"'{run_id}'"] * sql.count("?"))

    return ask


def named_queries(template: dict[str, Any]) -> dict[str, str]:
    """Name -> SQL."""
    found = resources(template, "AWS::Athena::NamedQuery").values()
    return {query["Name"]: query["QueryString"] for query in found}


def glue_tables(template: dict[str, Any]) -> dict[str, GlueTable]:
    found = [_table(t["TableInput"]) for t in resources(template, "AWS::Glue::Table").values()]
    return {table.name: table for table in found}


def _table(given: dict[str, Any]) -> GlueTable:
    storage, parameters = given["StorageDescriptor"], given["Parameters"]
    partitions = _types(given["PartitionKeys"])
    assert parameters["projection.enabled"] == "true"
    return GlueTable(
        name=given["Name"],
        columns=_types(storage["Columns"]),
        partitions=partitions,
        prefix=_key(storage["Location"]),
        template=_key(parameters["storage.location.template"]),
        projection={name: parameters[f"projection.{name}.type"] for name in partitions},
        serde=storage["SerdeInfo"]["SerializationLibrary"],
    )


def _types(columns: list[dict[str, str]]) -> dict[str, str]:
    return {column["Name"]: column["Type"] for column in columns}


def _key(location: dict[str, Any]) -> str:
    """What comes after the bucket in ``s3://bucket/key``; the bucket is known by reference only."""
    _, (scheme, bucket, key) = location["Fn::Join"]
    assert (scheme, set(bucket)) == ("s3://", {"Ref"})
    return str(key).removeprefix("/")
