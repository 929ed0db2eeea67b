"""Storage of results: bucket, state table, Glue tables made from the row schemas, and the named queries."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_athena as athena
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_glue as glue
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from breakeven.results import layout
from breakeven.results.queries import queries
from breakeven.results.schemas import PARTITION, TABLES, Table
from infra.context.settings import Context
from infra.statements import acknowledge, allow, objects
from infra.storage import Storage

SCAN_LIMIT_BYTES = 10 * 1024**3  # a query that would scan more is a mistake, and is stopped


class Results(Construct):
    """The bucket outlives the stack; the rest is made of it again, or is of no use without the stack."""

    def __init__(self, scope: Construct, construct_id: str, *, context: Context, storage: Storage) -> None:
        super().__init__(scope, construct_id)
        self._storage, self.database_name = storage, context.database
        self.bucket = self._bucket(context.access_log_bucket)
        self.state_table = self._state_table()
        self._catalogue()

    def allow_reading(self, role: iam.IRole, *prefixes: str) -> None:
        """Objects whose keys match, and that are there: see ``allow_listing``."""
        self._allow(role, ["s3:GetObject"], prefixes)

    def allow_listing(self, role: iam.IRole, *prefixes: str) -> None:
        """What there is, but not what is in it: where a key begins so; without prefixes, everywhere.

        That an object is not there S3 says only to who may list the whole bucket, and to others that they may
        not read it: whoever may list some prefixes lists, before it reads what may be missing.
        """
        only = {"StringLike": {"s3:prefix": list(prefixes)}} if prefixes else None
        allow(role, ["s3:ListBucket"], [self.bucket.bucket_arn], only)

    def allow_writing(self, role: iam.IRole, *prefixes: str) -> None:
        self._allow(role, ["s3:PutObject"], prefixes)

    def allow_deleting(self, role: iam.IRole, *prefixes: str) -> None:
        self._allow(role, ["s3:DeleteObject"], prefixes)

    def allow_state(self, role: iam.IRole, *actions: str) -> None:
        """Do that to the state of runs, lanes, cases and loaders."""
        if actions:
            allow(role, actions, [self.state_table.table_arn])
            self._storage.allow(role)

    def _allow(self, role: iam.IRole, actions: list[str], prefixes: tuple[str, ...]) -> None:
        if not prefixes:
            return
        allow(role, actions, [self.bucket.arn_for_objects(prefix) for prefix in prefixes])
        self._storage.allow(role)
        why = "a run makes its keys as it goes: this prefix is the narrowest thing that can be named before"
        acknowledge(role, {objects(self.bucket, prefix): why for prefix in prefixes})

    def _bucket(self, access_log_bucket: str | None) -> s3.Bucket:
        key = self._storage.key
        logs_to = (
            s3.Bucket.from_bucket_name(self, "AccessLogs", access_log_bucket) if access_log_bucket else None
        )
        bucket = s3.Bucket(
            self,
            "Bucket",
            encryption=s3.BucketEncryption.KMS if key else s3.BucketEncryption.S3_MANAGED,
            encryption_key=key,
            bucket_key_enabled=True if key else None,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            enforce_ssl=True,
            server_access_logs_bucket=logs_to or None,
            server_access_logs_prefix=f"{cdk.Stack.of(self).stack_name}/" if logs_to else None,
            lifecycle_rules=[
                # the lane deletes its own; this is for one that was never closed
                s3.LifecycleRule(id="secrets", prefix="secrets/", expiration=cdk.Duration.days(1)),
                # the report holds what the queries answered
                s3.LifecycleRule(id="answers", prefix="athena/", expiration=cdk.Duration.days(30)),
                # needed until the image exists, and where it cannot be built
                s3.LifecycleRule(id="images", prefix=layout.IMAGES, expiration=cdk.Duration.days(30)),
                s3.LifecycleRule(
                    id="unfinished", abort_incomplete_multipart_upload_after=cdk.Duration.days(1)
                ),
            ],
            # kept when the stack is deleted, but for the empty one of a first deployment that is rolled back:
            # AWS CloudFormation template reference, "DeletionPolicy attribute", RetainExceptOnCreate
            removal_policy=cdk.RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
        )
        acknowledge(
            bucket,
            {
                "S1": "Logs of access need a second bucket, which would outlive the stack with nothing of "
                "value in it. Only this stack's roles may read here, what is kept are figures for "
                "publication, and a lane's credentials are deleted with its brokers. "
                "breakeven:access_log_bucket names a bucket of the account's that takes such logs."
            },
        )
        return bucket

    def _state_table(self) -> dynamodb.Table:
        """What is under way, whose items expire after 90 days, and which runs of a suite there are.

        No result is here only.
        """
        key = self._storage.key
        return dynamodb.Table(
            self,
            "State",
            partition_key=dynamodb.Attribute(name="run_id", type=dynamodb.AttributeType.STRING),
            sort_key=dynamodb.Attribute(name="item", type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            encryption=dynamodb.TableEncryption.CUSTOMER_MANAGED if key else None,
            encryption_key=key,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            time_to_live_attribute="expires_at",
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )

    def _catalogue(self) -> None:
        """The database with a table for each kind of row, the work group, and every query by its name."""
        name = self.database_name
        self.database = glue.CfnDatabase(
            self,
            "Database",
            catalog_id=cdk.Aws.ACCOUNT_ID,
            database_input=glue.CfnDatabase.DatabaseInputProperty(name=name),
        )
        for table in TABLES:
            self._table(table).add_resource_dependency(self.database)
        self.workgroup = athena.CfnWorkGroup(
            self,
            "WorkGroup",
            name=name,
            recursive_delete_option=True,
            work_group_configuration=athena.CfnWorkGroup.WorkGroupConfigurationProperty(
                enforce_work_group_configuration=True,
                bytes_scanned_cutoff_per_query=SCAN_LIMIT_BYTES,
                result_configuration=self._answers(),
            ),
        )
        for query, sql in queries().items():
            named = athena.CfnNamedQuery(
                self, f"Query-{query}", database=name, name=query, query_string=sql, work_group=name
            )
            named.add_resource_dependency(self.workgroup)
            named.add_resource_dependency(self.database)

    def _answers(self) -> athena.CfnWorkGroup.ResultConfigurationProperty:
        key = self._storage.key
        return athena.CfnWorkGroup.ResultConfigurationProperty(
            output_location=f"s3://{self.bucket.bucket_name}/athena/",
            encryption_configuration=athena.CfnWorkGroup.EncryptionConfigurationProperty(
                encryption_option="SSE_KMS" if key else "SSE_S3", kms_key=key.key_arn if key else None
            ),
        )

    def _table(self, table: Table) -> glue.CfnTable:
        """A Glue table over the rows, its partition injected: every scan must name its run."""
        location = f"s3://{self.bucket.bucket_name}/{layout.table_prefix(table.name)}"
        columns = [glue.CfnTable.ColumnProperty(name=name, type=kind) for name, kind in table.columns.items()]
        return glue.CfnTable(
            self,
            f"Table-{table.name}",
            catalog_id=cdk.Aws.ACCOUNT_ID,
            database_name=self.database_name,
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
