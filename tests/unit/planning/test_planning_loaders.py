"""More loaders after a run in which one was the limit: how many, why, and what it is not misled by."""

from __future__ import annotations

import pytest

from breakeven.errors import InputError
from breakeven.loadgen.case_figures import Limit
from breakeven.planning import execution_limits
from breakeven.planning.budget.durations import MEETING_S, probe_holds, seconds_needed
from breakeven.planning.loaders.advice import LoaderAdvice, Place, Seen, read_advice
from breakeven.planning.sizing import more_loaders, most_loaders
from breakeven.terms import TargetName
from tests.support.cases import workload_with
from tests.support.loaders.loader_findings import BIG, BUSY, RUN, SMALL, after, counts, place, planned, suite


@pytest.mark.parametrize(
    ("loaders", "cpu_share", "more"),
    [(1, 0.2, 2), (2, 0.97, 3), (2, 1.3, 4), (4, 1.0, 6), (10, 0.8, 11), (10, 0.97, 13), (40, 0.5, 41)],
)
def test_more_are_so_many_that_each_has_room_and_always_more(loaders, cpu_share, more):
    assert more_loaders(loaders, cpu_share) == more


@pytest.mark.parametrize(
    ("environment", "hardware", "workers", "most", "why"),
    [
        ("aws", {}, (120, 50), 100, "at most 100"),
        ("aws", {}, (6, 3), 6, "6 producers and 3 consumers"),
        ("local", {"cores": 16, "memory_gib": 64.0}, (100, 50), 8, "16 cores"),
        ("local", {"cores": 64, "memory_gib": 4.0}, (100, 50), 4, "4 GiB"),
        ("local", SMALL, (100, 50), 2, "2 cores"),
        ("local", {"cores": 1, "memory_gib": 1.0}, (100, 50), 2, "1 cores"),
        ("local", {}, (100, 50), 2, "not known"),
        ("local", BIG, (1, 1), 1, "1 producer and 1 consumer give"),
    ],
)
def test_there_are_never_more_than_can_be_dealt_or_the_machine_holds(
    environment, hardware, workers, most, why
):
    producers, consumers = workers
    work = workload_with(producers=producers, consumers=consumers)
    bound = most_loaders(work, environment, hardware)
    assert bound.loaders == most
    assert why in bound.why


def test_a_loader_has_time_for_what_its_consumers_have_in_hand_at_the_end():
    pushed = {"consume": "push", "prefetch": 200, "rate": 10.0}
    quick, slow = (workload_with(**pushed, processing_ms=each) for each in (0.0, 200.0))
    needed = [seconds_needed(each, TargetName("rabbitmq-single"), "aws") for each in (quick, slow)]
    assert needed[1] - needed[0] == 40.0


def test_the_next_plan_has_more_loaders_and_says_why():
    first = planned(suite())
    second = planned(suite(), after(first))
    assert (counts(first), counts(second)) == ([2], [3])
    assert first.loader_notes == []
    assert second.loader_notes == [
        "work, threads=10 on rabbitmq-mirrored-pair: 3 loaders instead of 2: in run r20261120-1 on "
        "2026-11-20 loader 1 of 2 was the limit: it used 0.97 of a core, and 0.8 is the limit."
    ]
    (ref,) = [ref for legs in second.rounds for leg in legs for ref in leg.cases]
    assert ref.loaders == [0, 1, 2]


def test_a_run_that_no_loader_limited_changes_nothing():
    first = planned(suite())
    known = after(first, None)
    assert known.findings == ()
    assert planned(suite(), known) == first


def test_one_repeat_that_was_limited_is_enough_and_the_busiest_tells():
    made = planned(suite(repeats=3))
    shares = (0.85, None, 1.2)
    seen = [
        Seen(case, BUSY.model_copy(update={"cpu_share": share}) if share else None)
        for case, share in zip(made.cases, shares, strict=True)
    ]
    known = LoaderAdvice(suite="mine").learned(seen, place(), RUN, "2026-11-20")
    again = planned(suite(repeats=3), known)
    assert counts(again) == [4, 4, 4]
    assert len(again.loader_notes) == 1


def test_what_was_enough_is_kept_and_what_was_not_is_raised_again():
    first = planned(suite())
    known = after(first)
    second = planned(suite(), known)
    enough = after(second, None, known, run_id="r-second")
    third = planned(suite(), enough)
    assert counts(third) == [3]
    assert third.loader_notes[0].endswith("and 0.8 is the limit; in run r-second 3 were enough.")
    assert counts(planned(suite(), after(third, None, enough, run_id="r-third"))) == [3]
    raised = planned(suite(), after(third, BUSY, enough, run_id="r-third"))
    assert counts(raised) == [4]
    assert "in run r-third" in raised.loader_notes[0]


def test_a_finding_ends_when_as_many_are_enough_after_all():
    first = planned(suite())
    known = after(first)
    as_many = planned(suite({"loaders": 2}), known)
    assert after(as_many, None, known).findings == ()


def test_on_a_small_machine_it_says_that_more_would_not_help():
    first = planned(suite(), hardware=SMALL)
    where = place(hardware=SMALL)
    known = after(first, where=where)
    for _ in range(3):
        again = planned(suite(), known, hardware=SMALL)
        assert counts(again) == counts(first) == [2]
        (note,) = again.loader_notes
        assert "2 loaders as before, although in run r20261120-1 on 2026-11-20" in note
        assert "No more, as this machine has 2 cores" in note
        known = after(again, BUSY, known, where=where)


def test_a_bound_that_is_met_on_the_way_is_said():
    first = planned(suite({"threads": 6}))
    hot = Limit(loader=0, stage="measure", cpu_share=3.5, evidence="it used 3.50 of a core")
    again = planned(suite({"threads": 6}), after(first, hot))
    assert counts(again) == [6]
    assert (
        "10 would be wanted, but 6 producers and 6 consumers give no more of them work"
        in (again.loader_notes[0])
    )


def test_a_capacity_search_has_one_loader_until_that_was_the_limit():
    search = suite({"mode": "capacity", "rate": 1000, "measure_s": 2})
    first = planned(search)
    again = planned(search, after(first))
    assert (counts(first), counts(again)) == ([1], [2])
    assert "2 loaders instead of 1: in run r20261120-1" in again.loader_notes[0]
    one, two = first.cases[0].expected_s, again.cases[0].expected_s
    probes = len(probe_holds(first.cases[0].workload))
    assert two == pytest.approx(one + probes * MEETING_S), "several have to meet before each rate"
    assert planned(suite({"mode": "capacity", "rate": 1000, "loaders": 4})).cases[0].loaders == 4


def test_a_count_in_the_suite_stands_and_the_plan_warns():
    known = after(planned(suite()))
    for layer in (suite({"loaders": 2}), suite(defaults={"loaders": 2})):
        again = planned(layer, known)
        assert counts(again) == [2]
        assert "2 loaders, as the suite says, although in run r20261120-1" in again.loader_notes[0]
        assert again.loader_notes[0].endswith("without it the plan would take 3.")
    more = planned(suite({"loaders": 7}), known)
    assert (counts(more), more.loader_notes) == ([7], [])
    assert counts(planned(suite({"loaders": 1}))) == [1]


def test_a_scenarios_count_is_nearer_than_the_suites():
    assert counts(planned(suite({"loaders": 3}, defaults={"loaders": 5}))) == [3]


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        ({"loaders": 11}, "scenarios.work.loaders: 11: at most 10 here: 10 producers and 10 consumers"),
        ({"loaders": 0}, "scenarios.work.loaders: 0: "),
        ({"loaders": 101, "threads": 200}, "scenarios.work.loaders: 101: "),
        (
            {"loaders": 3, "mode": "capacity", "rate": 10, "threads": 2},
            "at most 2 here: 2 producers and 2 consumers",
        ),
    ],
)
def test_a_count_that_cannot_be_is_refused(scenario, words):
    with pytest.raises(InputError, match=words):
        planned(suite(scenario))


@pytest.mark.parametrize(
    "other",
    [
        suite({"threads": 11}),
        suite({"client": "pika"}),
        suite({"message_size": "2KiB"}),
        suite(targets=["sqs-standard"]),
        suite(scenarios={"others": {"threads": 10}}),
        suite(variants={"as-published": {"rabbitmq-mirrored-pair": {}}}, variant="as-published"),
    ],
)
def test_the_run_of_another_cell_target_or_variant_says_nothing(other):
    known = after(planned(suite()))
    assert planned(other, known) == planned(other)
    assert planned(suite(), after(planned(other))) == planned(suite())


def test_how_long_a_case_takes_does_not_matter():
    known = after(planned(suite()))
    assert counts(planned(suite({"warmup_s": 1, "measure_s": 7, "drain_s": 9}), known)) == [3]
    loads = suite({"mode": "load-unload", "messages": 1000})
    assert counts(planned(loads, after(planned(loads, scale=0.1)))) == [3]


@pytest.mark.parametrize(
    "where",
    [
        Place.of("aws", {}),
        Place.of("local", {**BIG, "cores": 8}),
        Place.of("local", {**BIG, "processor": "another"}),
        Place.of("local", BIG).model_copy(update={"version": "0.0.9"}),
    ],
)
def test_the_run_of_another_place_or_version_says_nothing(where):
    first = planned(suite())
    known = after(first, where=where)
    assert known.findings
    assert planned(suite(), known) == first


def test_the_findings_of_other_machines_are_kept_and_those_of_other_versions_go():
    first = planned(suite())
    elsewhere, old = Place.of("local", SMALL), place().model_copy(update={"version": "0.0.9"})
    known = after(first, where=elsewhere)
    known = known.model_copy(update={"findings": (*known.findings, *after(first, where=old).findings)})
    assert [one.place for one in after(first, None, known).findings] == [elsewhere]


def test_cells_that_were_not_measured_keep_their_finding():
    two = suite(scenarios={"work": {"threads": 10}, "others": {"threads": 20}})
    known = after(planned(two))
    one = LoaderAdvice.model_validate_json(known.model_dump_json()).learned(
        [Seen(planned(two).cases[0], None)], place(), "r-2", "2026-11-21"
    )
    assert [finding.of.scenario for finding in one.findings] == ["others"]


def test_more_that_would_have_the_plan_refused_are_not_taken_and_that_is_said(monkeypatch):
    first = planned(suite())
    monkeypatch.setattr(execution_limits, "HISTORY_BUDGET", execution_limits.history_events(first.cases))
    again = planned(suite(), after(first))
    assert (counts(again), again.refusals) == ([2], [])
    (note,) = again.loader_notes
    assert "No more loaders than usual, although earlier runs ask for them in 1 of its cells" in note
    assert "a plan may take" in note


def test_a_plan_that_is_refused_anyway_is_refused_with_its_own_reason():
    known = after(planned(suite(), environment="aws"), where=Place.of("aws", {}))
    made = planned(suite(), known, environment="aws", max_usd=0.0001)
    assert counts(made) == [4]
    assert [refusal.field for refusal in made.refusals] == ["max_usd"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "Invalid JSON"),
        (b"{", "Invalid JSON"),
        (b"\xff\xfe\x00", "Invalid JSON"),
        (b"[]", "must be an object"),
        (b'{"format": 2, "suite": "mine"}', "format: "),
        (b'{"format": 1, "suite": "mine", "findings": [{}]}', "findings.0.of: is required"),
        (b'{"format": 1, "suite": "yours"}', "of another one"),
    ],
)
def test_a_damaged_document_is_named_and_counts_as_none(body, words):
    advice, (warning,) = read_advice(body, "mine", "runs/advice/loaders/mine.json")
    assert advice == LoaderAdvice(suite="mine")
    assert warning.startswith("runs/advice/loaders/mine.json cannot be used (")
    assert words in warning


def test_a_document_that_would_write_on_a_terminal_is_damaged():
    known = after(planned(suite())).model_dump_json().replace("it used", r"\u001b[2J")
    _, (warning,) = read_advice(known.encode(), "mine", "mine.json")
    assert "limit.evidence" in warning


def test_a_machine_may_call_itself_anything():
    made = planned(suite(), LoaderAdvice(suite="mine"), hardware={"cores": 2, "processor": "x\x1b[2J" * 200})
    assert counts(made) == [2]


def test_no_document_is_nothing_to_tell_of():
    assert read_advice(None, "mine", "x") == (LoaderAdvice(suite="mine"), [])
