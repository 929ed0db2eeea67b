"""``npm run suites``: one run after another, bounded, and ended by the first that fails."""

import os
import subprocess
import sys

import pytest

from breakeven.workload.read import load_suite
from cli.exit_codes import INTERRUPTED
from cli.running import all_suites
from tests.support.workflow.command import ROOT

pytestmark = pytest.mark.usefixtures("signals_of_a_terminal")


@pytest.fixture
def lines():
    return []


def writes(path, code):
    """A stand-in for a run: it notes that it was started, and ends with that code."""

    def command(name):
        text = f"import sys; open({str(path)!r}, 'a').write({name!r} + ' '); sys.exit({code(name)})"
        return [sys.executable, "-c", text]

    return command


def test_suites_run_in_turn(tmp_path, lines):
    started = tmp_path / "started"
    assert all_suites.run_all(["a", "b"], writes(started, lambda _: 0), lines.append) == 0
    assert started.read_text() == "a b "
    assert lines == ["suite 1 of 2: a", "suite 2 of 2: b", "2 suites, each with a report"]


def test_the_first_that_fails_is_named_and_the_last(tmp_path, lines):
    started = tmp_path / "started"
    failing = writes(started, lambda name: 3 if name == "b" else 0)
    assert all_suites.run_all(["a", "b", "c"], failing, lines.append) == 3
    assert started.read_text() == "a b "
    assert lines[-1] == "stopped at b, suite 2 of 3: it ended with exit code 3"


def test_a_failed_self_test_stops_no_other_suite_and_is_named_at_the_end(tmp_path, lines):
    started = tmp_path / "started"
    doubtful = writes(started, lambda name: 5 if name in "ac" else 0)
    assert all_suites.run_all(["a", "b", "c"], doubtful, lines.append) == 5
    assert started.read_text() == "a b c "
    assert lines[-1] == "the self-test failed, so that no figure is to be relied on, in a and c"


def test_a_suite_that_takes_too_long_is_interrupted_and_leaves_no_process(tmp_path, lines):
    started, cleaned = tmp_path / "pid", tmp_path / "cleaned"
    text = (
        "import os, time\n"
        f"open({str(started)!r}, 'w').write(str(os.getpid()))\n"
        "try:\n    time.sleep(600)\n"
        f"except KeyboardInterrupt:\n    open({str(cleaned)!r}, 'w').write('yes')\n"
    )
    # without site-packages, so that even on a busy machine it has begun by then
    command = [sys.executable, "-I", "-S", "-c", text]
    code = all_suites.run_all(["a", "b"], lambda _: command, lines.append, most_s=6.0)
    assert code == 1
    assert lines[-1] == "stopped in a, suite 1 of 2: together they may take 0.1 minutes"
    assert cleaned.read_text() == "yes"
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)


def test_who_ends_all_of_them_alone_ends_the_suite_under_way_too(tmp_path):
    """By a signal to this process and not to its group, as a terminal sends it."""
    started, cleaned = tmp_path / "pid", tmp_path / "cleaned"
    suite = (
        "import os, time\n"
        "try:\n"
        f"    open({str(started)!r}, 'w').write(str(os.getpid()))\n"
        "    os.kill(os.getppid(), 15)\n"
        "    time.sleep(600)\n"
        f"except KeyboardInterrupt:\n    open({str(cleaned)!r}, 'w').write('yes')\n"
    )
    runner = (
        "import signal, sys; from cli.running import all_suites\n"
        "signal.signal(signal.SIGTERM, signal.default_int_handler)\n"
        f"sys.exit(all_suites.run_all(['a', 'b'], lambda _: [sys.executable, '-I', '-S', '-c', {suite!r}]))\n"
    )
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'functions'}"}
    done = subprocess.run([sys.executable, "-c", runner], env=environment, cwd=ROOT, timeout=60, check=False)
    assert done.returncode == INTERRUPTED
    assert cleaned.read_text() == "yes"
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)


def test_every_suite_with_a_scale_for_one_machine_is_among_them_the_shortest_first():
    found = all_suites.names()
    assert {"feature-cost", "rate-ladder", "big-backlog"} <= set(found)
    assert "quick" not in found
    assert all("local" in load_suite(name).scale for name in found)
    lengths = [all_suites.expected_s(name) for name in found]
    assert lengths == sorted(lengths)
