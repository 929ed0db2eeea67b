"""Corrections of moto's state machines; see ``moto_patches.py``."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import moto.stepfunctions.models as sfn_models

# binds its backends when first imported: imported while they are swapped, it would keep those
import moto.stepfunctions.responses  # noqa: F401
from botocore.config import Config
from moto.core.config import default_user_config
from moto.stepfunctions.parser.api import ExecutionStatus
from moto.stepfunctions.parser.asl.component.state.exec.execute_state import ExecutionState
from moto.stepfunctions.parser.asl.eval.program_state import ProgramStopped
from moto.stepfunctions.parser.asl.parse import preprocessor as asl_text
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser
from moto.stepfunctions.parser.asl.parse.intrinsic.preprocessor import Preprocessor as IntrinsicText
from moto.stepfunctions.parser.asl.utils import boto_client
from moto.stepfunctions.parser.backend.execution import Execution
from moto.stepfunctions.parser.models import stepfunctions_parser_backends

from local.aws.boto import Aws
from local.aws.parsed_definitions import Parsed
from local.aws.swaps import Patch, Swaps, around

#: an execution enters its first state a few milliseconds after it was started
_ENTRY_LIMIT_S = 2.0


@Patch
def executions_run(swaps: Swaps, _: Aws) -> None:
    """Symptom: an execution stays RUNNING for ever and no state is entered.

    Mend: switch moto's interpreter on.
    """
    swaps.item(default_user_config, "stepfunctions", {"execute_state_machine": True})


@Patch
def stacks_make_running_machines(swaps: Swaps, _: Aws) -> None:
    """Symptom: a state machine that a stack has created does not exist for the interpreter.

    Mend: stacks create machines where it looks for them.
    """
    swaps.attribute(sfn_models, "stepfunctions_backends", stepfunctions_parser_backends)


@Patch
def tasks_call_this_server(swaps: Swaps, aws: Aws) -> None:
    """Symptom: tasks call localhost:5000, whoever listens there, with a new client (10 ms) each time.

    Mend: our own clients, kept.
    """

    def client(*, service_name: str, region_name: str, config: Config, **_: Any) -> Any:
        return aws.task_client(service_name, region_name, config)

    swaps.attribute(boto_client, "boto3", SimpleNamespace(client=client))


@Patch
def definitions_are_parsed_once(swaps: Swaps, _: Aws) -> None:
    """Symptom: a machine's definition is parsed when it is made and at each start: the workflow's for half a
    second of the one interpreter that all requests share.

    Mend: keep what was parsed without an error; what runs is a copy of its own.
    """
    parsed = Parsed(AmazonStateLanguageParser.parse)
    swaps.attribute(AmazonStateLanguageParser, "parse", staticmethod(parsed.parse))


@around(Execution, "get_start_execution_details")
def start_time_is_text(original: Any, self: Any) -> Any:
    """Symptom: ``$$.Execution.StartTime`` is no JSON: describing an execution that passes it on fails.

    Mend: the text that AWS gives, UTC with milliseconds.
    """
    found = original(self)
    stamp = found.start_time.astimezone(UTC)
    found.start_time = stamp.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return found


@Patch
def intrinsics_are_unescaped(swaps: Swaps, _: Aws) -> None:
    r"""Symptom: ``States.Format('\'{}\'', $.x)``, which makes a SQL literal, gives backslashes.

    Mend: read the JSON string before what is in it, and take the backslash off a quote.
    """

    def visit(self: Any, context: Any) -> Any:
        text = json.loads(context.STRINGINTRINSICFUNC().getText())
        function, _ = asl_text.IntrinsicParser.parse(text)
        return asl_text.StringIntrinsicFunction(intrinsic_function_derivation=text, function=function)

    def unescape(original: Any, match: Any) -> Any:
        return match.group(1) if match.group(1) in "'\\" else original(match)

    swaps.attribute(asl_text.Preprocessor, "visitString_intrinsic_function", visit)
    swaps.wrap(IntrinsicText, "_replace_escaped_characters", unescape)


@around(Execution, "stop")
def stop_is_immediate(
    original: Any, self: Any, stop_date: datetime, error: str | None, cause: str | None
) -> None:
    """Symptom: a stopped execution is RUNNING until its task ends; one just started is not stopped at all.

    Mend: wait for its first state, and say ABORTED at once. As on AWS, what a task has begun goes on.
    """
    deadline = time.monotonic() + _ENTRY_LIMIT_S
    while not _entered(self) and time.monotonic() < deadline:
        time.sleep(0.005)
    original(self, stop_date=stop_date, error=error, cause=cause)
    if isinstance(self.exec_worker.env.program_state(), ProgramStopped):
        self.exec_status, self.stop_date = ExecutionStatus.ABORTED, stop_date


def _entered(execution: Any) -> bool:
    env = execution.exec_worker.env
    return env is not None and env.program_state() is not None


@around(ExecutionState, "_evaluate_with_timeout")
def stopped_stays_stopped(original: Any, self: Any, env: Any) -> None:
    """Symptom: stopped within a Map, an execution ends FAILED with an AttributeError.

    Mend: what goes wrong in a state after its execution has ended is no error of the execution.
    """
    try:
        original(self, env)
    except Exception:
        if env.is_running():
            raise
