"""The states and calls that the estimate reckons with are those of the definition, or a few more."""

from __future__ import annotations

import pytest

from breakeven.planning.budget import planning_assumptions as assumed
from tests.support.aws.definition import definition_of, template_of, usual

SPARE = 6
TASK_MAPS = ("Tasks", "ManyTasks")


@pytest.fixture(scope="module")
def taken(assembly):
    """What a case, a loader, a lane and a run come to, each beside what is within it."""
    definition = definition_of(template_of(assembly))

    def measured(counts):
        def of(
            cases=0,
            loaders=0,
            legs=0,
            rounds=1,
            down=False,
            faults=False,
            reboot=False,
            tasks=False,
            metrics=False,
        ):
            sizes = {"Rounds": rounds, "Legs": legs, "ManagedCases": cases, "BrokerCases": cases}
            sizes |= {"ManagedLoaders": loaders, "BrokerLoaders": loaders}
            sizes |= {"ManagedManyLoaders": loaders, "BrokerManyLoaders": loaders}
            sizes |= {f"{prefix}{name}": loaders for prefix in ("Managed", "Broker") for name in TASK_MAPS}
            without = ("BakeImages",)
            without += () if metrics else ("AwaitMetrics",)
            without += (
                () if tasks else ("EstablishTasks", *(name for name in sizes if name.endswith("Tasks")))
            )
            stopping = () if down else ("BrokerStopNodes", "BrokerStartNodes")
            stopping += () if down or faults else ("BrokerAwaitNodes",)
            stopping += () if reboot else ("BrokerRebootBroker",)
            return usual(definition, sizes, counts, (*without, *stopping))

        lane, case = of(legs=1), of(legs=1, cases=1)
        run, a_round = of(rounds=0), of(rounds=1) - of(rounds=0)
        return {
            "loader": of(legs=1, cases=1, loaders=1) - case,
            "case": case - lane,
            "nodes_down": of(legs=1, cases=1, down=True) - case,
            "faults": of(legs=1, cases=1, faults=True) - case,
            "reboot": of(legs=1, cases=1, reboot=True) - case,
            "lane": lane - of() + a_round,  # of a lane in a round of its own
            "run": run,
            "tasks": of(rounds=0, tasks=True) - run,
            "metrics": of(rounds=0, metrics=True) - run,
        }

    return measured


def test_transitions(taken):
    counted = taken(lambda state: 1)
    for of, count in counted.items():
        assert count <= assumed.TRANSITIONS[of] <= count + SPARE, of


def test_calls(taken):
    counted = taken(lambda state: int(state["Type"] == "Task" and "Functions" in state["Resource"]))
    assert counted.pop("loader") == 1
    for of, count in counted.items():
        assert count <= assumed.CALLS[of] <= count + SPARE, of
