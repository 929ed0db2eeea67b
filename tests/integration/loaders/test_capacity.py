"""A capacity search on a server whose ceiling is programmed, and which is cold at first."""

from __future__ import annotations

import pytest

from breakeven.errors import CaseError
from breakeven.instrument.program import Program, Stall
from breakeven.loadgen.search.probe import best, bound
from tests.support.loaders.instrument_runs import instrument_case, measured

CEILING = 800.0  # messages a second
#: a cold server: for its first seconds it stalls again and again, as often as a probe takes
COLD = tuple(Stall(at_s=0.3 + number, for_s=0.4) for number in range(8))
PROGRAM = Program(protocol="amqp", messages=1, messages_per_s=CEILING, stalls=COLD)
SEARCH = {
    "mode": "capacity",
    "messages": None,
    "consume": "push",
    "prefetch": 200,
    "window": 200,
    "warmup_s": 0.3,
    "measure_s": 1.0,
    "drain_s": 20.0,
}
#: a busy host may hold the server up in any of them, and lessens what it holds: how near a search comes where
#: nothing does is held by the unit tests of the rates that it tries and of the growth that it reads
SEARCHES, NEAR = 3, 0.75


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(300.0, marks=pytest.mark.thorough),
        pytest.param(5000.0, marks=pytest.mark.installed),
    ],
)
def test_a_cold_server_is_not_taken_for_a_slow_one(first: float) -> None:
    found: list[object] = []
    for _ in range(SEARCHES):
        try:
            measurement, _ = measured(instrument_case(PROGRAM, rate=first, **SEARCH))
        except CaseError as error:  # a host that was busy all the time
            found.append(str(error))
            continue
        probes = measurement.results[0].probes
        held, failed = best(probes), bound(probes)
        assert held is not None
        assert failed is not None
        assert held.rate <= 1.02 * CEILING, "it never seems more"
        # twice, and once more where a short probe has left it open
        assert [probe.rate for probe in probes].count(failed.rate) in (2, 3)
        found.append(held.rate)
        if held.rate >= NEAR * CEILING:
            return
    pytest.fail(f"{found}: messages a second that were held of {CEILING:g}")
