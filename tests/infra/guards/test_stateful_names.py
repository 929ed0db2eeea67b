"""Names of the stateful resources: a deployed stack that updates to this one keeps them and what they hold.

CloudFormation replaces a resource whose logical id, type or physical name changes: rows would be orphaned,
the state of runs under way and logs lost, and whoever has subscribed to the topic would hear nothing more.
A move of constructs into other modules must change nothing here; a resource that is new is added.
"""

from __future__ import annotations

from typing import Any

#: type -> where CloudFormation takes a resource's physical name from
NAMES = {
    "AWS::Athena::WorkGroup": ("Name",),
    "AWS::DynamoDB::Table": ("TableName",),
    "AWS::ECR::Repository": ("RepositoryName",),
    "AWS::ECS::Cluster": ("ClusterName",),
    "AWS::Glue::Database": ("DatabaseInput", "Name"),
    "AWS::Glue::Table": ("TableInput", "Name"),
    "AWS::KMS::Key": (),
    "AWS::Logs::LogGroup": ("LogGroupName",),
    "AWS::S3::Bucket": ("BucketName",),
    "AWS::SNS::Topic": ("TopicName",),
    "AWS::SQS::Queue": ("QueueName",),
    "AWS::SSM::Parameter": ("Name",),
    "AWS::StepFunctions::StateMachine": ("StateMachineName",),
}
#: rows of the catalogue: name -> logical id
ROWS = {
    "cases": "ResultsTablecasesF8B0EA26",
    "windows": "ResultsTablewindowsC8495CD2",
    "latencies": "ResultsTablelatencies4BE1D003",
    "totals": "ResultsTabletotals9AAEB712",
    "ledgers": "ResultsTableledgersBEFCCCDE",
    "loaders": "ResultsTableloadersF0D0FF79",
    "probes": "ResultsTableprobesDF720DBB",
    "nodes": "ResultsTablenodes03BBEDBA",
    "service_minutes": "ResultsTableserviceminutes5CB0DB3D",
    "faults": "ResultsTablefaults95E49D82",
    "prices": "ResultsTablepricesA1E80B08",
    "cost_options": "ResultsTablecostoptionsC0A55F7D",
    "cost_items": "ResultsTablecostitemsAC013D4E",
}
#: log groups that CloudFormation names
LOG_GROUPS = (
    "NetworkRefusedTraffic4E84A6FF",
    "ImagesBuildRefusedTraffic10F73C9C",
    "LoaderImageBuildLogsAA5EF690",
    "TasksLogs30A06F1F",
    "FunctionsPlanLogs23DEF8CB",
    "FunctionsTakeLockLogs70CB5005",
    "FunctionsEstablishTasksLogsA5677593",
    "FunctionsWakeFunctionsLogsB437D210",
    "FunctionsBakeImagesLogs58B97973",
    "FunctionsCreateBrokerLogs4367AE74",
    "FunctionsLaunchBrokersLogs2F6ADF12",
    "FunctionsEstablishLaneInVpcLogs1B313548",
    "FunctionsEstablishLaneOutsideLogs63EB9B22",
    "FunctionsWarmLaneInVpcLogs723B9400",
    "FunctionsWarmLaneOutsideLogsCCDF48B2",
    "FunctionsStopNodesLogs5344860D",
    "FunctionsPrepareCaseInVpcLogs19115822",
    "FunctionsPrepareCaseOutsideLogs60BF513F",
    "FunctionsLoadInVpcLogsAE08365F",
    "FunctionsLoadOutsideLogsA9B21E87",
    "FunctionsWatchInVpcLogs2834881F",
    "FunctionsWatchOutsideLogs1A1AE760",
    "FunctionsRebootBrokerLogsD37758D1",
    "FunctionsSettleCaseInVpcLogsE8DC4E66",
    "FunctionsSettleCaseOutsideLogs02343BA4",
    "FunctionsFailCaseInVpcLogs9D3E652C",
    "FunctionsFailCaseOutsideLogs9BB755F2",
    "FunctionsStartNodesLogs00BD9612",
    "FunctionsAwaitNodesLogsBF19C66A",
    "FunctionsFailLegLogs144F99CE",
    "FunctionsReleaseLaneLogsAA2C7512",
    "FunctionsReleaseRunLogs3A61C426",
    "FunctionsCleanUpLogsEA0523F9",
    "FunctionsWatchdogLogs6ECF2CBF",
    "FunctionsReadMetricsLogs42F9B1B9",
    "FunctionsPriceRunLogsDA1CC649",
    "FunctionsBuildReportLogs15B89CC4",
    "FunctionsFinishRunLogs56693237",
    "FunctionsStartScheduledLogs0C647D23",
    "FunctionsLookLogsCB2CE9B4",
    "FunctionsRemoveImagesLogsDDC8EE65",
)
#: logical id -> type and physical name; None where CloudFormation makes it up
STATEFUL = {
    "ResultsBucket46167C27": ("AWS::S3::Bucket", None),
    "ResultsState8D7C3BD5": ("AWS::DynamoDB::Table", None),
    "ResultsDatabase0752A37E": ("AWS::Glue::Database", "queue_breakeven"),
    "ResultsWorkGroup42AE2752": ("AWS::Athena::WorkGroup", "queue_breakeven"),
    "LoaderImageRepository0485B7A5": ("AWS::ECR::Repository", None),
    "TasksClusterD320D228": ("AWS::ECS::Cluster", None),
    "WorkflowTopic0AB6265B": ("AWS::SNS::Topic", None),
    "WorkflowStateMachine8F1B1C15": ("AWS::StepFunctions::StateMachine", None),
    "WorkflowLogD7C9FC7F": ("AWS::Logs::LogGroup", "/aws/vendedlogs/states/QueueBreakeven"),
    "CleanUpDeadLetters5FDD30C0": ("AWS::SQS::Queue", None),
    "ScheduleUndelivered4514B30D": ("AWS::SQS::Queue", None),
    **{logical_id: ("AWS::Glue::Table", name) for name, logical_id in ROWS.items()},
    **dict.fromkeys(LOG_GROUPS, ("AWS::Logs::LogGroup", None)),
}
#: with every key of the context: names have the prefix of the installation, which has no network of its own
GROWN = {
    "ResultsDatabase0752A37E": ("AWS::Glue::Database", "team_a_queue_breakeven"),
    "ResultsWorkGroup42AE2752": ("AWS::Athena::WorkGroup", "team_a_queue_breakeven"),
    "WorkflowLogD7C9FC7F": ("AWS::Logs::LogGroup", "/aws/vendedlogs/states/team-a-QueueBreakeven"),
}
OF_OWN_NETWORKS = {"NetworkRefusedTraffic4E84A6FF", "ImagesBuildRefusedTraffic10F73C9C"}


def stateful(template: dict[str, Any]) -> dict[str, tuple[str, Any]]:
    """Type and physical name of each stateful resource, by its logical id."""
    found = {}
    for logical_id, resource in template["Resources"].items():
        if resource["Type"] in NAMES:
            name: Any = resource.get("Properties", {})
            for part in NAMES[resource["Type"]]:
                name = (name or {}).get(part)
            found[logical_id] = (resource["Type"], name if NAMES[resource["Type"]] else None)
    return found


def test_a_stack_that_updates_keeps_every_stateful_resource(plain):
    assert stateful(plain.template) == STATEFUL


def test_so_does_one_with_every_key_of_the_context(grown):
    kept = {logical_id: what for logical_id, what in STATEFUL.items() if logical_id not in OF_OWN_NETWORKS}
    assert stateful(grown.template) == {**kept, **GROWN}


def test_the_key_of_the_state_is_what_runs_under_way_are_found_by(plain):
    """Another key schema replaces a table whatever it is called."""
    table = plain.template["Resources"]["ResultsState8D7C3BD5"]["Properties"]
    assert [(each["AttributeName"], each["KeyType"]) for each in table["KeySchema"]] == [
        ("run_id", "HASH"),
        ("item", "RANGE"),
    ]


def test_a_renamed_or_replaced_resource_is_seen(plain):
    """The list's own test: what it is there for changes it."""
    changed = {**plain.template["Resources"]}
    changed["ResultsBucket1"] = changed.pop("ResultsBucket46167C27")
    changed["WorkflowTopic0AB6265B"] = {"Type": "AWS::SNS::Topic", "Properties": {"TopicName": "runs"}}
    differing = dict(stateful({"Resources": changed}).items() ^ STATEFUL.items())
    assert differing.keys() == {"ResultsBucket1", "ResultsBucket46167C27", "WorkflowTopic0AB6265B"}
