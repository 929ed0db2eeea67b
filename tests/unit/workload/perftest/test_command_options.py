"""PerfTest's command line: the published lines, every option, and what becomes of bad ones."""

import shlex

import pytest

from breakeven.errors import InputError
from breakeven.planning.expand import expand
from breakeven.workload.perftest.command_line import read_options
from breakeven.workload.perftest.command_options import BY_NAME, OPTIONS
from breakeven.workload.perftest.spec_keys import KEYS, Key
from breakeven.workload.perftest.spec_suite import Wishes, options_suite
from tests.support.perftest_commands import PUBLISH_PEAK, SLOW_CONSUMERS

HERE = Wishes("local")


def suite_of(line):
    return options_suite(read_options(shlex.split(line)), HERE)


def workload(line):
    (case,) = expand(suite_of(line)[0], run_id="r", environment="local")
    return case


def test_the_published_line_of_slow_consumers_is_carried_out_as_far_as_its_time_reaches():
    case = workload(SLOW_CONSUMERS)
    found = case.workload
    assert case.target == "rabbitmq-quorum-trio"
    assert (found.producers, found.consumers, found.queues, found.rate) == (200, 200, 100, 20_000.0)
    assert (found.prefetch, found.window, found.confirms, found.persistent) == (1000, 1000, True, True)
    assert [step.value for step in found.processing_profile] == [*(10.0 + n for n in range(21)), 29.0]
    assert sum(step.for_s for step in found.processing_profile) == found.measure_s == 1800
    notes = suite_of(SLOW_CONSUMERS)[1]
    assert not any("guest" in note for note in notes)
    assert any(note.startswith("breakeven perftest: -vl: ") and "5940 s in all" in note for note in notes)
    assert any("-qa: auto-delete=false, durable=false: is no argument of a queue" in note for note in notes)
    assert any(note.startswith("breakeven perftest: --producer-random-start-delay: 30: ") for note in notes)


def test_the_published_line_of_a_publish_peak_is_carried_out_as_far_as_its_time_reaches():
    found = workload(PUBLISH_PEAK).workload
    assert [step.value for step in found.profile] == [200 * (100.0 + 2 * n) for n in range(26)]
    assert (found.measure_s, found.processing_ms, found.rate) == (1800, 10.0, 20_000.0)


def test_the_manuals_first_line_runs_and_says_how_long():
    case = workload('-x 1 -y 2 -u "throughput-test-1" -a --id "test 1"')
    assert (case.scenario, case.workload.producers, case.workload.consumers) == ("test-1", 1, 2)
    assert (case.workload.acks, case.workload.measure_s) == (False, 15.0)
    assert any("time-limit: none: a case has an end" in note for note in suite_of("-x 1")[1])


@pytest.mark.parametrize("line", ["-qq -u q -z 5", "--quorum-queue --queue q --time 5", "-qq -u=q --time=5"])
def test_short_and_long_options_say_the_same(line):
    case = workload(line)
    assert (case.target, case.workload.persistent, case.workload.measure_s) == (
        "rabbitmq-quorum-trio",
        True,
        5,
    )


def test_options_that_may_be_repeated_add_up():
    assert read_options(["-vr", "1:2", "-vr", "3:4"]).params["publishing-rates"] == "1:2,3:4"
    line = read_options(
        ["-qa", "x-queue-type=quorum", "-qa", "durable=false", "-f", "persistent", "-f", "mandatory"]
    )
    assert line.params == {
        "queue-arguments": "x-queue-type=quorum,durable=false",
        "flags": "persistent,mandatory",
    }


def test_each_option_is_of_a_known_parameter_or_says_what_becomes_of_it():
    assert all(option.key in KEYS or isinstance(option.key, Key) for option in OPTIONS)
    assert len(BY_NAME) == 2 * len(OPTIONS)
    carried = {option.key for option in OPTIONS if not isinstance(option.key, Key)}
    without = {"flag-persistent", "flag-mandatory", "msg-count", "queues-in-sequence", "cluster"}
    assert set(KEYS) - carried == without  # of spec files only


@pytest.mark.parametrize(
    "option", [each for each in OPTIONS if isinstance(each.key, Key)], ids=lambda each: each.long
)
def test_an_option_of_the_command_line_only_is_noted_or_refused_by_name(option):
    words = [f"--{option.long}"] if option.takes == "none" else [f"--{option.long}", "17"]
    if option.key.outcome == "noted":
        _, notes = options_suite(read_options([*words, "-u", "q", "-z", "5"]), HERE)
        (note,) = [note for note in notes if f": --{option.long}: " in note]
        assert note.endswith(option.key.reason)
        return
    with pytest.raises(InputError) as raised:
        read_options(words)
    assert (raised.value.field, raised.value.remedy) == (f"--{option.long}", option.key.reason)


@pytest.mark.parametrize(
    ("line", "field", "remedy"),
    [
        ("--producer 2", "--producer", "did you mean '--producers'?"),
        ("-xy 2", "-xy", "no such option of PerfTest"),
        ("x 2", "x", "PerfTest's options begin with -"),
        ("-x", "-x", "needs a value after it"),
        ("-x 1 -x 2", "-x", "is there twice"),
        ("-x two", "-x", "must be a whole number"),
        ("--autoack=false", "--autoack", "takes no value"),
        ("-vr 100", "-vr", "a value and its seconds"),
        ("-f immediate", "-f", "left RabbitMQ in 3.0"),
        ("-C 100", "-C", "give -z, in seconds"),
        ("-t topic", "-t", "one queue each"),
        ("-x 801", "-x", "to 800"),
        ("-x -1", "-x", "must be at least 0"),
        ("-r -5", "-r", "must be at least 0, or -1 for none"),
        ("-R -2", "-R", "must be at least 0, or -1 for none"),
        ("-c -7", "-c", "must be at least 0, or -1 for none"),
        ("-ct -7", "-ct", "must be at least 0, or -1 for none"),
        ("-z -5", "-z", "must be at least 0"),
        ("-q -1", "-q", "must be at least 0"),
        ("-s -100", "-s", "must be at least 0"),
        ("-A -7", "-A", "must be at least 0"),
        ("-L -7", "-L", "must be at least 0"),
        ("-b -5", "-b", "must be at least 0"),
        ("-i often", "-i", "must be a number"),
        ("-qpt 3", "-qpt", "belongs to -qp; give that, too"),
        ("-qp q", "-qp", "needs -qpf and -qpt, 0 or more"),
    ],
)
def test_a_bad_option_is_refused_by_the_name_that_was_given(line, field, remedy):
    with pytest.raises(InputError) as raised:
        suite_of(line)
    assert (raised.value.where, raised.value.field) == ("breakeven perftest", field)
    assert remedy in raised.value.remedy


@pytest.mark.parametrize("option", ["-r", "-R", "-c", "-ct", "-ctp"])
def test_1_below_0_is_none_where_perftest_has_it_so(option):
    ours = {name: value for name, value in workload(f"-z 5 {option} -1").workload if name != "case_id"}
    assert ours == {name: value for name, value in workload("-z 5").workload if name != "case_id"}


def test_all_bad_options_are_named_at_once():
    with pytest.raises(InputError) as raised:
        read_options(["-po", "--wrong", "-na2", "-sq"])
    assert [line.split(": ")[1] for line in str(raised.value).splitlines()] == ["--wrong", "-na2", "-sq"]


@pytest.mark.parametrize(
    ("line", "field", "said"),
    [
        ("-qa x-quorum-initial-group-size=0 -qq", "-qa", "must be a whole number of nodes, 1 to 9, such as"),
        ("-qa x-quorum-initial-group-size=two", "-qa", "must be a whole number of nodes, 1 to 9, such as"),
        ("-qa x-queue-type=stream", "-qa", "must be x-queue-type=classic or x-queue-type=quorum"),
        ("-f immediate -qq", "-f", "left RabbitMQ"),
        ("-x ten", "-x", "must be a whole number, such as 10"),
        ("-s 40KiB", "-s", "must be a whole number of bytes, such as 40960"),
        ("-s big", "-s", "must be a whole number of bytes, such as 1024"),
        ("-z 30s", "-z", "must be a whole number of seconds, such as 30"),
        ("-r fast", "-r", "must be a number of messages a second, such as 100"),
        ("--nope 3", "--nope", "no such option of PerfTest; docs/perftest.md lists them"),
        ("-nope 3", "-nope", "no such option of PerfTest; docs/perftest.md lists them"),
        ("-consumers 3", "-consumers", "did you mean '--consumers'?"),
        ("-Z 3", "-Z", "did you mean '-z'?"),
    ],
)
def test_a_remedy_says_what_would_do(line, field, said):
    with pytest.raises(InputError) as raised:
        suite_of(line)
    assert raised.value.field == field
    assert said in raised.value.remedy
