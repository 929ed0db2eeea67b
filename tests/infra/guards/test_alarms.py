"""Alarms in the template, and that what they look at is what the functions send."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.support.aws.definition import definition_of, resources, states
from tests.support.aws.stacks import of

HANDLERS = Path(__file__).parents[3] / "functions" / "handlers"
DAY_S, WEEK_S = 86_400, 604_800


def alarms(template):
    """By name without the construct's and the digest."""
    found = resources(template, "AWS::CloudWatch::Alarm")
    return {name.removeprefix("Alarms")[:-8]: alarm for name, alarm in found.items()}


@pytest.fixture(scope="module")
def found(plain):
    return alarms(plain.template)


def test_each_mails_the_topic_which_takes_it_from_this_account_alone(plain, found):
    (topic,) = resources(plain.template, "AWS::SNS::Topic")
    of_runs = {"RunFailed", "RunTimedOut", "NodesUpTooLong", "LookFails", "NoGoodRun", "NotStarted"}
    of_clean_ups = {"NotCleanedUp", "CleanUpFails", "WatchdogFails", "LeftBehind"}
    assert found.keys() == of_runs | of_clean_ups
    assert all(alarm["AlarmActions"] == [{"Ref": topic}] for alarm in found.values())
    assert all("docs/aws.md" in alarm["AlarmDescription"] for alarm in found.values())
    (policy,) = resources(plain.template, "AWS::SNS::TopicPolicy").values()
    (statement,) = [one for one in policy["PolicyDocument"]["Statement"] if one.get("Sid") == "Alarms"]
    assert statement["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert statement["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}


@pytest.mark.parametrize(
    ("name", "metric"), [("RunFailed", "ExecutionsFailed"), ("RunTimedOut", "ExecutionsTimedOut")]
)
def test_a_failed_or_timed_out_run_alarms_and_an_aborted_one_does_not(plain, found, name, metric):
    (machine,) = resources(plain.template, "AWS::StepFunctions::StateMachine")
    alarm = found[name]
    # by itself: of a sum nothing is known where one of its metrics has no value
    assert (alarm["Namespace"], alarm["MetricName"], alarm["Statistic"]) == ("AWS/States", metric, "Sum")
    assert alarm["Dimensions"] == [{"Name": "StateMachineArn", "Value": {"Ref": machine}}]
    assert (alarm["Threshold"], alarm["ComparisonOperator"]) == (1, "GreaterThanOrEqualToThreshold")
    assert "ExecutionsAborted" not in {one.get("MetricName") for one in found.values()}


def test_the_execution_of_a_run_that_has_failed_fails_which_is_what_alarms(plain):
    """Mend 14: of the record alone nobody hears."""
    found = states(definition_of(plain.template))
    choice = found[found["FinishRun"]["Next"]]
    (well,) = choice["Choices"]
    assert {key: well[key] for key in ("Variable", "BooleanEquals")} == {
        "Variable": "$.finished.ok",
        "BooleanEquals": True,
    }
    assert (found[well["Next"]]["Type"], found[choice["Default"]]["Type"]) == ("Succeed", "Fail")
    assert {name for name, state in found.items() if state["Type"] == "Succeed"} == {well["Next"]}


def test_no_alarm_looks_back_further_than_cloudwatch_does(found):
    for name, alarm in found.items():
        periods = [alarm["Period"]] if "Period" in alarm else []
        periods += [one["MetricStat"]["Period"] for one in alarm.get("Metrics", []) if "MetricStat" in one]
        for period in periods:
            limit = WEEK_S if period >= 3600 else DAY_S
            assert period * alarm["EvaluationPeriods"] <= limit, name


def sent(handler: str) -> set[str]:
    """Names of metrics in a handler's source."""
    (source,) = HANDLERS.rglob(f"{handler}.py")
    calls = [node for node in ast.walk(ast.parse(source.read_text())) if isinstance(node, ast.Call)]
    named = [call.args[0] for call in calls if isinstance(call.func, ast.Name) and call.func.id == "count"]
    return {name.value for name in named if isinstance(name, ast.Constant)}


@pytest.mark.parametrize(
    ("name", "handler"), [("NodesUpTooLong", "health"), ("NoGoodRun", "health"), ("LeftBehind", "watchdog")]
)
def test_it_looks_at_a_metric_that_the_function_sends_for_this_installation(plain, grown, name, handler):
    for built in (plain, grown):
        alarm = alarms(built.template)[name]
        (function,) = [
            one
            for one in resources(built.template, "AWS::Lambda::Function").values()
            if one["Handler"].endswith(f".{handler}.handler")
        ]
        variables = function["Environment"]["Variables"]
        assert alarm["MetricName"] in sent(handler)
        assert alarm["Namespace"] == variables["POWERTOOLS_METRICS_NAMESPACE"] == built.artifact["name"]
        assert alarm["Dimensions"] == [{"Name": "service", "Value": variables["POWERTOOLS_SERVICE_NAME"]}]


@pytest.mark.parametrize(("name", "handler"), [("CleanUpFails", "clean_up"), ("WatchdogFails", "watchdog")])
def test_errors_of_what_lets_go_alarm_and_go_on_doing_so_as_long_as_it_fails(plain, found, name, handler):
    functions = resources(plain.template, "AWS::Lambda::Function")
    (function,) = [key for key, one in functions.items() if one["Handler"].endswith(f".{handler}.handler")]
    alarm = found[name]
    assert (alarm["Namespace"], alarm["MetricName"], alarm["Statistic"]) == ("AWS/Lambda", "Errors", "Sum")
    assert alarm["Dimensions"] == [{"Name": "FunctionName", "Value": {"Ref": function}}]
    # the watchdog comes each quarter of an hour: in a shorter period it would be well again in between
    assert alarm["Period"] == 3600
    assert alarm["Threshold"] == 1
    assert alarm["ComparisonOperator"] == "GreaterThanOrEqualToThreshold"


@pytest.mark.parametrize(("name", "construct"), [("NotCleanedUp", "CleanUp"), ("NotStarted", "Schedule")])
def test_each_queue_of_dead_letters_has_its_alarm(plain, found, name, construct):
    (queue,) = [key for key in resources(plain.template, "AWS::SQS::Queue") if key.startswith(construct)]
    alarm = found[name]
    assert (alarm["MetricName"], alarm["Threshold"]) == ("ApproximateNumberOfMessagesVisible", 1)
    assert alarm["Dimensions"] == [{"Name": "QueueName", "Value": {"Fn::GetAtt": [queue, "QueueName"]}}]


def test_no_queue_of_dead_letters_is_without_an_alarm(plain, grown):
    for built in (plain, grown):
        seen = {
            dimension["Value"]["Fn::GetAtt"][0]
            for alarm in alarms(built.template).values()
            for dimension in alarm.get("Dimensions", [])
            if dimension["Name"] == "QueueName"
        }
        assert seen == set(resources(built.template, "AWS::SQS::Queue"))


@pytest.mark.installed
def test_35_days_without_a_good_run_alarm_unless_the_context_says_otherwise(found):
    assert (found["NoGoodRun"]["Threshold"], found["NoGoodRun"]["Period"]) == (35, DAY_S)
    assert found["NoGoodRun"]["TreatMissingData"] == "ignore", "one figure a day, not always to the second"
    assert "NoGoodRun" not in alarms(of({"no_run_alarm_days": "0", "schedule": "off"}).template)
    assert alarms(of({"no_run_alarm_days": "70"}).template)["NoGoodRun"]["Threshold"] == 70


def test_the_function_looks_each_hour_and_may_only_look(plain):
    (rule,) = [
        one for name, one in resources(plain.template, "AWS::Events::Rule").items() if "Hourly" in name
    ]
    assert rule["ScheduleExpression"] == "cron(7 * * * ? *)"
    (target,) = rule["Targets"]
    assert target["InputTransformer"]["InputPathsMap"] == {"time": "$.time"}
    allowed = {
        action
        for name, policy in resources(plain.template, "AWS::IAM::Policy").items()
        if name.startswith("FunctionsLook")
        for statement in policy["PolicyDocument"]["Statement"]
        for action in ([statement["Action"]] if isinstance(statement["Action"], str) else statement["Action"])
    }
    table = {"dynamodb:GetItem", "dynamodb:UpdateItem"}
    logs = {"logs:CreateLogStream", "logs:PutLogEvents"}
    traces = {"xray:PutTelemetryRecords", "xray:PutTraceSegments"}
    looks = {"ec2:DescribeInstances", "mq:ListBrokers", "mq:DescribeBroker"}
    assert allowed == looks | table | logs | traces
