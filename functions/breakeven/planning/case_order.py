"""The order of a run's cases: rounds of legs, and the cases of each."""

from __future__ import annotations

import random
from collections.abc import Sequence

from breakeven.planning.rounds import CaseRef, Leg
from breakeven.targets.catalog import INSTRUMENT
from breakeven.terms import Environment, TargetName
from breakeven.workload.case import Case


def order_rounds(cases: Sequence[Case], environment: Environment, seed: int) -> list[list[Leg]]:
    """On AWS one round of one leg a target, repeats interleaved; on one machine a round a repeat.

    Lanes on AWS share no host, so that they go side by side; on one machine legs go one at a time, in an
    order of chance so that no target always follows another. Within a repeat cases are shuffled. The
    instrument's cases are a round of their own before all others.
    """
    proving = [case for case in cases if case.target == INSTRUMENT]
    first = [[_proving_leg(proving)]] if proving else []
    return first + _order_compared([case for case in cases if case.target != INSTRUMENT], environment, seed)


def _proving_leg(cases: Sequence[Case]) -> Leg:
    refs = [_ref(case) for case in cases]
    return Leg(leg_id=f"round-0.{INSTRUMENT}", target=INSTRUMENT, opens=True, closes=True, cases=refs)


def _order_compared(cases: Sequence[Case], environment: Environment, seed: int) -> list[list[Leg]]:
    # order only, nothing secret
    dice = random.Random(seed)  # noqa: S311
    repeats = sorted({case.repeat for case in cases})
    targets = list(dict.fromkeys(case.target for case in cases))
    groups = [repeats] if environment == "aws" else [[repeat] for repeat in repeats]
    rounds = []
    for number, group in enumerate(groups):
        order = targets if environment == "aws" else dice.sample(targets, len(targets))
        legs = [
            Leg(
                leg_id=f"round-{number + 1}.{target}",
                target=target,
                machines=next(case.machines for case in cases if case.target == target),
                opens=number == 0,
                closes=number == len(groups) - 1,
                cases=[_ref(case) for repeat in group for case in _shuffled(cases, target, repeat, dice)],
            )
            for target in order
        ]
        rounds.append(legs)
    return rounds


def _shuffled(cases: Sequence[Case], target: TargetName, repeat: int, dice: random.Random) -> list[Case]:
    chosen = [case for case in cases if (case.target, case.repeat) == (target, repeat)]
    return dice.sample(chosen, len(chosen))


def _ref(case: Case) -> CaseRef:
    return CaseRef(
        case_id=case.case_id,
        loaders=list(range(case.loaders)),
        nodes_down=case.workload.nodes_down,
        faults=len(case.workload.node_faults),
        reboots=len(case.workload.reboots),
        loader=case.loader,
    )
