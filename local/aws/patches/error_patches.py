"""Where errors of moto's states go otherwise than on AWS; see ``moto_patches.py``."""

from __future__ import annotations

from typing import Any

import moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration.iteration_worker as map_worker
import moto.stepfunctions.parser.asl.component.state.exec.state_parallel.branches_decl as parallel_branches
from moto.stepfunctions.parser.asl.component.common.error_name.custom_error_name import CustomErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.error_equals_decl import ErrorEqualsDecl
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name import StatesErrorName
from moto.stepfunctions.parser.asl.component.state.exec.execute_state import ExecutionState
from moto.stepfunctions.parser.asl.component.state.exec.state_task.state_task_lambda import StateTaskLambda
from moto.stepfunctions.parser.asl.utils.json_path import NoSuchJsonPathError

from local.aws.boto import Aws
from local.aws.swaps import Swaps


def states_errors_leave_branches(swaps: Swaps, _: Aws) -> None:
    """Symptom: ``States.Timeout`` in a Parallel's branch or a Map's item skips the Catch around it.

    Mend: carry it outward under its own kind of name instead of refusing it as a custom one.
    """

    def named(error_name: str | None) -> Any:
        reserved = error_name is not None and error_name.startswith("States.")
        return StatesErrorName.from_name(error_name) if reserved else CustomErrorName(error_name)

    swaps.attribute(parallel_branches, "CustomErrorName", named)
    swaps.attribute(map_worker, "CustomErrorName", named)


def states_all_is_not_all(swaps: Swaps, _: Aws) -> None:
    """Symptom: a Catch of States.ALL also takes what it never takes on AWS, so a hole would show there only.

    Mend: States.Runtime (a path that leads nowhere) and States.DataLimitExceeded pass it by.
    Source: AWS Step Functions Developer Guide, "Handling errors", States.ALL.
    """
    terminal = {"States.Runtime", "States.DataLimitExceeded"}

    def evaluate(self: Any, env: Any) -> None:
        if env.stack[-1] is not None and env.stack[-1].error_name in terminal:
            name = env.stack.pop()
            env.stack.append(name in self.error_names)
        else:
            original(self, env)

    original = swaps.attribute(ErrorEqualsDecl, "_eval_body", evaluate)


def lost_paths_are_fatal(swaps: Swaps, _: Aws) -> None:
    """Symptom: a path that leads nowhere in a function's payload is an error "Exception", caught and retried.

    Mend: States.Runtime, as in every other state and as on AWS.
    """

    def from_error(self: Any, env: Any, ex: Exception) -> Any:
        lost = isinstance(ex, NoSuchJsonPathError)
        return ExecutionState._from_error(self, env, ex) if lost else original(self, env, ex)

    original = swaps.attribute(StateTaskLambda, "_from_error", from_error)
