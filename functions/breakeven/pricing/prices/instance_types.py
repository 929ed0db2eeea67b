"""Instance types, whatever their region: the figures that cap a month's sustained capacity.

They stand in ``machines.json``, with their source and date; prices are in the books.
"""

from __future__ import annotations

import difflib
import json
from functools import cache
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from breakeven.errors import InputError
from breakeven.pricing.prices.price import Finite, IsoDate, Text

PATH = Path(__file__).parent / "machines.json"
CLOSE_NAMES = 5
#: families that AWS lists as previous generations -> a current one of the same kind, which suites get in
#: their place. Source: https://aws.amazon.com/ec2/previous-generation/, whose upgrade paths name current
#: families; of these Graviton's, on which brokers run unless a deployment says otherwise
SUCCESSORS = {"c3": "c7g", "r3": "r7g"}


class Machine(Finite):
    """One instance type. A field that is null is not known, or not there; ``reasons`` says why, by field."""

    instance_type: Text
    vcpu: int | None = Field(gt=0)
    memory_gib: float | None = Field(gt=0)
    architecture: Literal["arm64", "x86_64"] | None
    network_baseline_mbps: float | None = Field(gt=0, description="10^6 bits a second, sustained")
    ebs_baseline_mibps: float | None = Field(gt=0, description="MiB a second, sustained")
    cpu_credit_baseline: float | None = Field(
        gt=0,
        le=1,
        description="share of each vCPU that CPU credits sustain; none but a burstable type has it",
    )
    burstable: bool
    reasons: dict[str, Text]
    source: Text
    as_of: IsoDate = Field(description="of the oldest of the machine's figures")

    @model_validator(mode="after")
    def _says_why(self) -> Self:
        unknown = {name for name in type(self).model_fields if getattr(self, name) is None}
        if unknown != set(self.reasons):
            fields = ", ".join(sorted(unknown ^ set(self.reasons)))
            raise ValueError(
                f"{self.instance_type}: give a figure, or the reason why there is none: {fields}"
            )
        return self


def machine(instance_type: str) -> Machine:
    """The figures of an instance type, such as ``m7g.large``.

    :raises InputError: it is none of those that are known; the error names similar ones
    """
    table = machines()
    if instance_type in table:
        return table[instance_type]
    raise InputError("machines", "instance_type", instance_type, f"no such type; {_instead(instance_type)}")


def current_type(instance_type: str) -> str:
    """The type of the same size of a current family, where its own has passed; else the type itself."""
    family, _, size = instance_type.partition(".")
    successor = f"{SUCCESSORS.get(family, family)}.{size}"
    return successor if successor in machines() else instance_type


def vcpus(instance_type: str) -> int:
    """Of a type; 0 of one that is not known, or of which they are not."""
    found = machines().get(instance_type)
    return (found.vcpu or 0) if found else 0


def burstable_twin(instance_type: str) -> str | None:
    """The burstable type with its vCPUs, memory and architecture; None where there is none, or it is one."""
    own = machines().get(instance_type)
    if own is None or own.burstable or own.vcpu is None:
        return None
    alike = (own.vcpu, own.memory_gib, own.architecture)
    return next(
        (
            name
            for name, found in machines().items()
            if found.burstable and (found.vcpu, found.memory_gib, found.architecture) == alike
        ),
        None,
    )


def smaller_types(instance_type: str) -> list[str]:
    """Known types of its family with fewer vCPUs, the largest first; none of a type that is not known."""
    known, family = machines(), f"{instance_type.partition('.')[0]}."
    own = known[instance_type].vcpu if instance_type in known else None
    if own is None:
        return []
    fewer = [
        (found.vcpu, name)
        for name, found in known.items()
        if name.startswith(family) and found.vcpu is not None and found.vcpu < own
    ]
    return [name for _, name in sorted(fewer, reverse=True)]


@cache
def machines() -> dict[str, Machine]:
    """Every known instance type by its name, in the file's order."""
    document = json.loads(PATH.read_text(encoding="utf-8"))
    entries = [_complete(entry, document["reasons"], document["sources"]) for entry in document["machines"]]
    return {entry.instance_type: entry for entry in entries}


def _complete(entry: dict[str, Any], reasons: dict[str, str], sources: dict[str, str]) -> Machine:
    """Reasons and sources that many machines share stand once in the file."""
    shared = {field: why for field, why in reasons.items() if field in entry and entry[field] is None}
    whole = {**entry, "reasons": {**shared, **entry.get("reasons", {})}, "source": sources[entry["source"]]}
    return Machine.model_validate(whole)


def _instead(instance_type: str) -> str:
    """Names like the one asked for, or of its family, or all of them."""
    names = list(machines())
    family = [name for name in names if name.startswith(instance_type.partition(".")[0] + ".")]
    close = difflib.get_close_matches(instance_type, names, CLOSE_NAMES)
    near = list(dict.fromkeys([*close, *family]))[:CLOSE_NAMES]
    return f"did you mean {', '.join(near)}?" if near else f"there are {', '.join(sorted(names))}"
