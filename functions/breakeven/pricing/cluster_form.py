"""Form of a cluster of one's own: its nodes, and how many of them have a copy of a message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from breakeven.targets.records.rabbitmq_records import MIRRORED_PAIR
from breakeven.terms import MAX_NODES, MOST_BROKER_ZONES, Frozen
from breakeven.words import plural

Deployment = Literal["single", "pair", "trio"]
#: of each form the fewest nodes, and as many as it has unless more are asked for
NODES: dict[Deployment, int] = {"single": 1, "pair": 2, "trio": 3}
#: members of a quorum queue's group, unless another number is asked for
GROUP_SIZE = 3
#: a form in sentences and labels, and the same with another number of nodes
NAMES: dict[Deployment, str] = {"single": "one", "pair": "pair of", "trio": "trio of"}
LARGER: dict[Deployment, str] = {"pair": "mirrored cluster of", "trio": "quorum cluster of"}


class ClusterForm(Frozen):
    """A mirrored cluster has a copy on every node, or on as many as are asked for, a quorum queue one on each
    member of its group.
    """

    deployment: Deployment = "trio"
    cluster_nodes: int | None = Field(
        default=None, ge=1, le=MAX_NODES, description="null: as many as the form has: 1, 2 or 3"
    )
    group_size: int | None = Field(
        default=None,
        ge=1,
        le=MAX_NODES,
        description="on how many nodes a queue has a copy; null: on 3 of a trio, on all of a pair",
    )

    @property
    def nodes(self) -> int:
        return self.cluster_nodes or NODES[self.deployment]

    @property
    def copies(self) -> int:
        """Of each message, the leader's or master's own among them."""
        return self.group_size or self.usual_copies

    @property
    def is_mirrored(self) -> bool:
        """Are its queues classic ones with mirrors on other nodes?"""
        return self.deployment == "pair"

    @property
    def usual_copies(self) -> int:
        """As many as there are unless another number is asked for."""
        return GROUP_SIZE if self.deployment == "trio" else self.nodes

    @property
    def most_zones(self) -> int:
        """Over which its nodes can be spread: one a node, and three at most."""
        return min(self.nodes, MOST_BROKER_ZONES)

    @property
    def form(self) -> tuple[Deployment, int, int]:
        """What must be the same for a capacity to hold: form, nodes, copies."""
        return self.deployment, self.nodes, self.copies

    @property
    def is_usual(self) -> bool:
        """Are nodes and copies those that the form has unless others are asked for?"""
        return self.form == ClusterForm(deployment=self.deployment).form


#: changes an input's form to one without a number of nodes or members of its own
USUAL_NODES: Mapping[str, None] = {"cluster_nodes": None, "group_size": None}


def form_problem(asked: ClusterForm) -> str:
    """The field of a cluster that cannot be, and what can; empty where all is well."""
    form, least = asked.deployment, NODES[asked.deployment]
    if asked.nodes < least or (form == "single" and asked.nodes > 1):
        there = "one node" if form == "single" else f"{least} to {MAX_NODES} nodes"
        return f"cluster_nodes: a {form} has {there}; give as many, or another deployment"
    if asked.group_size is None:
        return ""
    if form == "single":
        return "group_size: the queues of a single have one copy; leave it out, or give a trio or a pair"
    if asked.group_size > asked.nodes:
        return (
            f"group_size: a node has one copy of a queue at most; give at most {asked.nodes}, or more nodes"
        )
    return ""


def cluster_name(asked: ClusterForm, machine: str) -> str:
    """Such as 'RabbitMQ trio of m7g.large', or 'RabbitMQ quorum cluster of 5 m7g.large'."""
    where = "on " if asked.deployment == "single" else ""
    name = f"{NAMES[asked.deployment]} {machine}"
    if asked.nodes != NODES[asked.deployment]:
        name = f"{LARGER[asked.deployment]} {asked.nodes} {machine}"
    return f"RabbitMQ {where}{name}{_copies(asked)}"


def form_words(asked: ClusterForm) -> str:
    """The form in a sentence: 'trio', or 'quorum cluster of 5 nodes'."""
    if asked.nodes == NODES[asked.deployment]:
        return f"{asked.deployment}{_copies(asked)}"
    return f"{LARGER[asked.deployment]} {asked.nodes} nodes{_copies(asked)}"


def mirroring_note(asked: ClusterForm) -> str:
    """That no supported release mirrors a pair's queues, and what to run today; empty of other forms."""
    removed = MIRRORED_PAIR.removed_in
    if asked.deployment != "pair" or removed is None:
        return ""
    left = f"A pair's classic {removed.what} left RabbitMQ in {removed.series}.0"
    return f"{left}; today's choice is the quorum trio."


def form_of_inputs(inputs: Mapping[str, Any]) -> ClusterForm:
    """Of a question's inputs, as reports keep them."""
    known = {name: inputs[name] for name in ClusterForm.model_fields if name in inputs}
    return ClusterForm.model_validate(known)


def _copies(asked: ClusterForm) -> str:
    """Said only where they are not as many as usual."""
    usual = asked.copies == asked.usual_copies
    return "" if usual else f", {plural(asked.copies, 'copy', 'copies')} of each message"
