"""Where moto does otherwise than AWS and this workflow would notice: one function a patch.

Each tells the symptom and the mend, and the tests show the symptom without it: ``machine_patches`` has
its own in ``tests/unit/local/patches/test_moto_machine_patches.py``, and so on. All are undone when their
control plane closes. Written against the moto release that the lock files name: attributes that are not there
any more raise at once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

from local.aws.boto import Aws
from local.aws.patches import (
    ecs_patches,
    endpoint_patches,
    error_patches,
    image_patches,
    machine_patches,
    map_patches,
    service_error_patches,
    stack_patches,
    state_patches,
    store_patches,
    task_patches,
)
from local.aws.swaps import Swaps

Patch = Callable[[Swaps, Aws], None]

#: in force while a control plane is open
ALL: tuple[Patch, ...] = (
    machine_patches.executions_run,
    machine_patches.stacks_make_running_machines,
    machine_patches.tasks_call_this_server,
    machine_patches.definitions_are_parsed_once,
    machine_patches.start_time_is_text,
    machine_patches.intrinsics_are_unescaped,
    machine_patches.stop_is_immediate,
    machine_patches.stopped_stays_stopped,
    error_patches.states_errors_leave_branches,
    error_patches.states_all_is_not_all,
    error_patches.lost_paths_are_fatal,
    service_error_patches.service_errors_have_their_names,
    state_patches.histories_are_finite,
    map_patches.failed_children_fail_their_map,
    task_patches.athena_tasks_wait,
    task_patches.ecs_tasks_wait,
    task_patches.builds_wait,
    ecs_patches.stacks_make_whole_tasks,
    ecs_patches.repositories_have_lawful_names,
    ecs_patches.containers_share_a_tasks_memory,
    ecs_patches.task_lists_are_short,
    endpoint_patches.endpoints_take_their_time,
    endpoint_patches.endpoints_go,
    endpoint_patches.endpoints_are_made_once,
    endpoint_patches.endpoints_are_found_by_id,
    endpoint_patches.private_names_need_dns,
    image_patches.images_are_made_of_stopped_instances,
    image_patches.images_take_their_time,
    image_patches.launches_have_an_image,
    store_patches.dynamodb_writes_are_atomic,
    store_patches.listings_outlive_deletions,
    stack_patches.definitions_are_substituted,
    stack_patches.functions_are_updated_without_layers,
    stack_patches.networks_resolve_names,
    stack_patches.resource_types_are_known,
)


@contextlib.contextmanager
def applied(aws: Aws, patches: Sequence[Patch] | None = None) -> Iterator[Swaps]:
    """Have ``patches`` (all of them unless said) in force; tests leave one out to see its symptom."""
    with Swaps() as swaps:
        for patch in ALL if patches is None else patches:
            patch(swaps, aws)
        yield swaps
