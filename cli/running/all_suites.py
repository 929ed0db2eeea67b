"""Every shipped suite that has a scale ``local``, run at it, one after another: ``npm run suites``.

It stops at the first of which cases fail, and after an hour. One whose self-test fails, as on a busy machine,
is named at the end. Each run has a report of its own in the folder of runs.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from breakeven import words
from breakeven.planning.plan import make_plan
from breakeven.workload.read import at_scale, load_shipped, shipped_suites
from breakeven.workload.scales import LOCAL
from cli.exit_codes import INTERRUPTED, OK, SELF_TEST_FAILED

#: of all of them together, seconds
MOST_S = 3600.0
#: in which a run that is interrupted lets go of what it has started
CLEAN_UP_S = 120.0
BREAKEVEN = (sys.executable, "-m", "cli")


def names() -> list[str]:
    """The suites that have such a scale, the shortest first: what is wrong shows early."""
    found = [name for name in shipped_suites() if LOCAL in load_shipped(name).scale]
    return sorted(found, key=expected_s)


def expected_s(name: str) -> float:
    """Seconds that the plan of the suite expects at that scale."""
    suite = at_scale(load_shipped(name), LOCAL)
    return make_plan(suite, run_id="plan", environment="local").estimate.seconds


def _say(line: str) -> None:
    """At once: the runs print to the same place."""
    print(line, flush=True)


def run_all(
    suites: Sequence[str],
    command: Callable[[str], Sequence[str]],
    say: Callable[[str], object] = _say,
    most_s: float = MOST_S,
) -> int:
    """Run them in turn; the exit code of the first that fails, that of a failed self-test, or 0.

    :param command: of a suite by its name
    :param most_s: after which the one that is under way is interrupted, and none is begun
    """
    ends = time.monotonic() + most_s
    in_doubt: list[str] = []
    for number, name in enumerate(suites, 1):
        say(f"suite {number} of {len(suites)}: {name}")
        place = f"{name}, suite {number} of {len(suites)}"
        code = _run(command(name), max(0.0, ends - time.monotonic()))
        if code is None:
            say(f"stopped in {place}: together they may take {most_s / 60:g} minutes")
            return 1
        if code == SELF_TEST_FAILED:
            in_doubt.append(name)
        elif code != OK:
            say(f"stopped at {place}: it ended with exit code {code}")
            return code
    say(f"{len(suites)} suites, each with a report")
    if in_doubt:
        say(f"the self-test failed, so that no figure is to be relied on, in {words.listing(in_doubt)}")
    return SELF_TEST_FAILED if in_doubt else OK


def _run(command: Sequence[str], most_s: float) -> int | None:
    """Its exit code; None where it had to be interrupted for want of time."""
    with subprocess.Popen(command) as process:
        try:
            return process.wait(timeout=most_s)
        except subprocess.TimeoutExpired:
            _interrupt(process)
            return None
        except KeyboardInterrupt:  # a terminal sends it to the run, too, which a second one does not disturb
            _interrupt(process)
            return INTERRUPTED


def _interrupt(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=CLEAN_UP_S)
    except subprocess.TimeoutExpired:
        process.kill()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(run_all(names(), lambda name: (*BREAKEVEN, "run", name, "--scale", LOCAL)))
