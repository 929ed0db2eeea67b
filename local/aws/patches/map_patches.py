"""Where moto's distributed Map does otherwise than AWS's; see ``moto_patches.py``."""

from __future__ import annotations

from typing import Any

from moto.stepfunctions.parser.api import HistoryEventType, MapRunFailedEventDetails
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import (
    FailureEvent,
    FailureEventException,
)
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name import StatesErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name_type import (
    StatesErrorNameType,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration.itemprocessor import (
    distributed_item_processor_worker as distributed,
)
from moto.stepfunctions.parser.asl.eval.event.event_detail import EventDetails
from moto.stepfunctions.parser.asl.eval.program_state import ProgramEnded, ProgramStopped

from local.aws.boto import Aws
from local.aws.swaps import Swaps

#: AWS's words; what the child has failed of is in its own execution only
EXCEEDED = "The specified tolerated failure threshold was exceeded"


def failed_children_fail_their_map(swaps: Swaps, _: Aws) -> None:
    """Symptom: a distributed Map of which a child fails succeeds, with null in the place of its answer.

    Mend: where no failure is tolerated the first one ends the Map as States.ExceedToleratedFailureThreshold.
    """

    def evaluate(self: Any, env: Any, job: Any) -> None:
        original(self, env, job)
        record = self._map_run_record
        tolerated = record.tolerated_failure_count or record.tolerated_failure_percentage
        if not tolerated and not isinstance(env.program_state(), (ProgramEnded, ProgramStopped)):
            job.job_output = FailureEventException(_exceeded(env))

    original = swaps.attribute(distributed.DistributedItemProcessorWorker, "_eval_job", evaluate)


def _exceeded(env: Any) -> FailureEvent:
    name = StatesErrorNameType.StatesExceedToleratedFailureThreshold
    details = MapRunFailedEventDetails(error=name.to_name(), cause=EXCEEDED)
    return FailureEvent(
        env=env,
        error_name=StatesErrorName(typ=name),
        event_type=HistoryEventType.MapRunFailed,
        event_details=EventDetails(mapRunFailedEventDetails=details),
    )
