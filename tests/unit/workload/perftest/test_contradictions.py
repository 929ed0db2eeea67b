"""Options of PerfTest that contradict each other are refused, both of them named, in whatever order."""

import shlex

import pytest

from breakeven.errors import InputError
from breakeven.workload.perftest.command_line import read_options
from breakeven.workload.perftest.spec_suite import Wishes, options_suite, spec_suite

HERE = Wishes("local")


def suite_of(line):
    return options_suite(read_options(shlex.split(line)), HERE)


@pytest.mark.parametrize(
    ("line", "field", "value", "remedy"),
    [
        (
            "-qq -qa x-queue-type=classic",
            "-qa",
            "x-queue-type=classic",
            "-qq, by which it is x-queue-type=quorum",
        ),
        (
            "-qa x-queue-type=classic -qq",
            "-qq",
            "x-queue-type=quorum",
            "-qa, by which it is x-queue-type=classic",
        ),
        ("-qa x-queue-type=quorum,x-queue-type=classic", "-qa", "x-queue-type=classic", "-qa, by which"),
        (
            "-qa x-queue-mode=lazy --queue-args x-queue-mode=default",
            "--queue-args",
            "x-queue-mode=default",
            "-qa",
        ),
        ("-d one --id two", "--id", "two", "is there twice; keep one of them"),
        ("-qq=false", "-qq", "false", "takes no value"),
    ],
)
def test_a_contradiction_is_refused_with_both_options(line, field, value, remedy):
    with pytest.raises(InputError) as raised:
        suite_of(f"{line} -u q -z 5")
    assert (raised.value.field, raised.value.value) == (field, value)
    assert remedy in raised.value.remedy


@pytest.mark.parametrize("line", ["-qq -qa x-queue-type=quorum", "-qa x-queue-type=quorum -qq", "-qq -qq"])
def test_what_is_said_twice_alike_is_taken_once(line):
    suite, _ = suite_of(f"{line} -u q -z 5")
    assert suite.targets == ["rabbitmq-quorum-trio"]


def test_a_spec_file_that_contradicts_itself_is_refused():
    arguments = "x-queue-type=quorum,x-queue-type=classic"
    text = f"[{{'name': 'a', 'type': 'simple', 'params': [{{'queue-arguments': '{arguments}'}}]}}]"
    with pytest.raises(InputError, match="contradicts x-queue-type=quorum in front of it; keep one of them"):
        spec_suite(text.encode(), "spec.js", HERE)
