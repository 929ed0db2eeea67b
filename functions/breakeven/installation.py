"""Identity of the deployment that a process belongs to: several can stand side by side in one account."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass

#: on whatever a run makes: whose it is, which run's, and (on nodes) after how many seconds it must be gone
OWNER_TAG, RUN_TAG, LEASE_TAG = "breakeven:owner", "breakeven:run", "breakeven:lease-s"
#: on nodes: where their lane's objects are, and how many they are; nodes/surroundings/aws.sh reads them
BUCKET_TAG, TARGET_TAG, NODES_TAG = "breakeven:bucket", "breakeven:target", "breakeven:nodes"
#: on images, their snapshots and their builders: the image's name, and the release and architecture of which
#: it is the newest
IMAGE_TAG, FAMILY_TAG = "breakeven:image", "breakeven:image-family"
#: on an image that was made elsewhere: what its agents know (``breakeven.agent.VERSION``)
AGENT_TAG = "breakeven:agent"

#: how the names of cases' queues begin, after what the installation puts before them
QUEUES = "be-"
#: in front of a run's id, in what ECS calls the group of its tasks. Step Functions says of every task that
#: it was started by "AWS Step Functions", which cannot be changed: the group tells runs apart
RUN_GROUP = "run:"
#: of a task: where it finds what it is told, in the results bucket
TASK_INPUT = "BREAKEVEN_TASK_INPUT"


@dataclass(frozen=True, slots=True)
class Installation:
    """``owner`` names it, on whatever it makes; ``queue_prefix`` goes before the names of its SQS queues.

    ``account_tags`` are those that the account wants to see on everything.
    """

    owner: str = "QueueBreakeven"
    queue_prefix: str = ""
    account_tags: Mapping[str, str] | None = None

    def tags(self, own: Mapping[str, str]) -> dict[str, str]:
        """What a resource carries that a run makes: the account's tags, the owner's and its ``own``."""
        return {**(self.account_tags or {}), OWNER_TAG: self.owner, **own}


def installation() -> Installation:
    """As the stack has set the function's environment."""
    found = Installation()
    return Installation(
        owner=os.environ.get("BREAKEVEN_OWNER", found.owner),
        queue_prefix=os.environ.get("BREAKEVEN_QUEUE_PREFIX", found.queue_prefix),
        account_tags=json.loads(os.environ.get("BREAKEVEN_TAGS", "{}")),
    )
