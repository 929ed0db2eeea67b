"""Where results land: bucket, state table, Glue tables made from the row schemas, and the named queries."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_athena as athena
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_glue as glue
from aws_cdk import aws_s3 as s3
from constructs import Construct

from breakeven.results import layout
from breakeven.results.queries import queries
from breakeven.results.schemas import PARTITION, TABLES, Table

DATABASE = "queue_breakeven"
SCAN_LIMIT_BYTES = 10 * 1024**3  # a query that would scan more is a mistake, and is stopped


class Results(Construct):
    def __init__(self, scope: Construct, construct_id: str) -> None:
        super().__init__(scope, construct_id)
        self.bucket = s3.Bucket(
            self,
            "Bucket",
            encryption=s3.BucketEncryption.S3_MANAGED,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            enforce_ssl=True,
            removal_policy=cdk.RemovalPolicy.RETAIN,
        )
        self.state_table = dynamodb.Table(
            self,
            "State",
            partition_key=dynamodb.Attribute(name="run_id", type=dynamodb.AttributeType.STRING),
            sort_key=dynamodb.Attribute(name="item", type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            time_to_live_attribute="expires_at",
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )
        self.database = glue.CfnDatabase(
            self,
            "Database",
            catalog_id=cdk.Aws.ACCOUNT_ID,
            database_input=glue.CfnDatabase.DatabaseInputProperty(name=DATABASE),
        )
        for table in TABLES:
            self._table(table).add_dependency(self.database)
        self.workgroup = athena.CfnWorkGroup(
            self,
            "WorkGroup",
            name=DATABASE,
            recursive_delete_option=True,
            work_group_configuration=athena.CfnWorkGroup.WorkGroupConfigurationProperty(
                enforce_work_group_configuration=True,
                bytes_scanned_cutoff_per_query=SCAN_LIMIT_BYTES,
                result_configuration=athena.CfnWorkGroup.ResultConfigurationProperty(
                    output_location=f"s3://{self.bucket.bucket_name}/athena/"
                ),
            ),
        )
        for name, sql in queries().items():
            named = athena.CfnNamedQuery(
                self, f"Query-{name}", database=DATABASE, name=name, query_string=sql, work_group=DATABASE
            )
            named.add_dependency(self.workgroup)
            named.add_dependency(self.database)

    def _table(self, table: Table) -> glue.CfnTable:
        """A Glue table over the rows, its partition injected: every scan must name its run."""
        location = f"s3://{self.bucket.bucket_name}/{layout.table_prefix(table.name)}"
        columns = [glue.CfnTable.ColumnProperty(name=name, type=kind) for name, kind in table.columns.items()]
        return glue.CfnTable(
            self,
            f"Table-{table.name}",
            catalog_id=cdk.Aws.ACCOUNT_ID,
            database_name=DATABASE,
            table_input=glue.CfnTable.TableInputProperty(
                name=table.name,
                description=table.comment,
                table_type="EXTERNAL_TABLE",
                partition_keys=[glue.CfnTable.ColumnProperty(name=PARTITION, type="string")],
                parameters={
                    "classification": "json",
                    "projection.enabled": "true",
                    f"projection.{PARTITION}.type": "injected",
                    "storage.location.template": f"{location}{PARTITION}=${{{PARTITION}}}/",
                },
                storage_descriptor=glue.CfnTable.StorageDescriptorProperty(
                    columns=columns,
                    location=location,
                    input_format="org.apache.hadoop.mapred.TextInputFormat",
                    output_format="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
                    serde_info=glue.CfnTable.SerdeInfoProperty(
                        serialization_library="org.openx.data.jsonserde.JsonSerDe"
                    ),
                ),
            ),
        )
