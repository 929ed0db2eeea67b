"""Reading suites: what is accepted, and that every fault names file, field, value and remedy."""

import os
from pathlib import Path

import pytest

from breakeven.errors import InputError, MultipleInputError
from breakeven.workload.read import (
    MAX_FILE_BYTES,
    load_file,
    load_shipped,
    load_suite,
    parse_suite,
    parse_yaml,
    shipped_suites,
)

SCENARIOS = Path(__file__).parents[3] / "scenarios"


def document(scenario=None, **changes):
    base = {
        "suite": "mine",
        "title": "A suite",
        "targets": ["sqs-standard"],
        "scenarios": {"parallel": scenario if scenario is not None else {"threads": 5}},
    }
    return {**base, **changes}


def fault(found):
    with pytest.raises(InputError) as caught:
        parse_suite(found, "mine.yaml")
    assert not isinstance(caught.value, MultipleInputError), str(caught.value)
    return caught.value


def test_a_minimal_suite_is_four_fields():
    suite = parse_suite(document(), "mine.yaml")
    assert suite.scenarios["parallel"].threads == [5]
    assert (suite.repeats, suite.variant, suite.seed) == (1, "equal-guarantees", None)


BAD = [
    # field, value, words of the remedy
    (document({"thread": 5}), "scenarios.parallel.thread", 5, "did you mean 'threads'?"),
    (document(scenarioss={}), "scenarioss", "{}", "did you mean 'scenarios'?"),
    (document(defaults={"measures": 3}), "defaults.measures", 3, "did you mean 'measure_s'?"),
    (
        document({"cells": [{"producer": 1}]}),
        "scenarios.parallel.cells.0.producer",
        1,
        "did you mean 'producers'?",
    ),
    (document({"threads": "5"}), "scenarios.parallel.threads", "5", "whole number from 1 to 800"),
    (document({"threads": "5"}), "scenarios.parallel.threads", "5", "without quotes"),
    (document({"rate": "100"}), "scenarios.parallel.rate", "100", "such as 500, without quotes"),
    (document({"threads": 2.5}), "scenarios.parallel.threads", 2.5, "whole number from 1 to 800"),
    (document({"threads": True}), "scenarios.parallel.threads", True, "whole number from 1 to 800"),
    (document({"threads": 0}), "scenarios.parallel.threads", 0, "whole number from 1 to 800"),
    (document({"threads": [1, 801]}), "scenarios.parallel.threads.1", 801, "whole number from 1 to 800"),
    (document({"threads": []}), "scenarios.parallel.threads", "[]", "a list of 1 to 50"),
    (document({"threads": [1, 5, 1]}), "scenarios.parallel.threads", "[1, 5, 1]", "entry 3 is there twice"),
    (document({"threads": list(range(1, 60))}), "scenarios.parallel.threads", None, "a list of 1 to 50"),
    (document({"threads": 5, "producers": 5}), "scenarios.parallel.producers", 5, "one or the other"),
    (document(defaults={"threads": 5, "consumers": 5}), "defaults.consumers", 5, "one or the other"),
    (
        document({"queues": 2, "cells": [{"threads": 5, "queues": 2}]}),
        "scenarios.parallel.queues",
        2,
        "keep one of them",
    ),
    (
        document({"threads": 2, "cells": [{"queues": 2}, {"producers": 3, "consumers": 1}]}),
        "scenarios.parallel.threads",
        2,
        "is given by the scenario, and producers by its cells; keep one of them",
    ),
    (
        document({"consumers": [1, 2], "producers": 1, "cells": [{"threads": 5}]}),
        "scenarios.parallel.producers",
        1,
        "is given by the scenario, and threads by its cells; keep one of them",
    ),
    (document({"threads": 5, "message_size": 15}), "scenarios.parallel.message_size", 15, "from 16B"),
    (
        document({"threads": 5, "message_size": "1 furlong"}),
        "scenarios.parallel.message_size",
        "1 furlong",
        "such as 16B, 1KiB",
    ),
    (
        document({"threads": 5, "message_size": "40KB"}),
        "scenarios.parallel.message_size",
        "40KB",
        "KB is 1,000 bytes to some and 1,024 to others: write 40KiB or 40000B",
    ),
    (document({"threads": 5, "measure_s": "3"}), "scenarios.parallel.measure_s", "3", "from 1 to 10800"),
    (
        document({"threads": 5, "measure_s": float("nan")}),
        "scenarios.parallel.measure_s",
        None,
        "from 1 to 10800",
    ),
    (document({"threads": 5, "drain_s": 0}), "scenarios.parallel.drain_s", 0, "from 1 to 10800"),
    (document({"threads": 5, "wait_s": 21}), "scenarios.parallel.wait_s", 21, "from 0 to 20"),
    (document({"threads": 5, "confirms": "yes"}), "scenarios.parallel.confirms", "yes", "true or false"),
    (document({"threads": 5, "consume": "pull"}), "scenarios.parallel.consume", "pull", "one of get, push"),
    (document({"mode": "paralel"}), "scenarios.parallel.mode", "paralel", "did you mean 'parallel'?"),
    (
        document({"threads": 5, "mode": "load-unload"}),
        "scenarios.parallel.messages",
        None,
        "required by mode load-unload",
    ),
    (document({"threads": 5, "messages": 9}), "scenarios.parallel.messages", 9, "mode: load-unload"),
    (document({"threads": 5, "rate": 0}), "scenarios.parallel.rate", 0, "0.0001 to 10000000"),
    (document({"threads": 5, "rate": [5, 1e9]}), "scenarios.parallel.rate.1", 1e9, "0.0001 to 10000000"),
    (document({"threads": 5, "rate": "fast"}), "scenarios.parallel.rate", "fast", "messages a second"),
    (document({"threads": 5, "window": 0}), "scenarios.parallel.window", 0, "from 1 to 65535"),
    (
        document({"threads": 5, "arrivals": "bursts"}),
        "scenarios.parallel.arrivals",
        "bursts",
        "one of constant",
    ),
    (
        document({"threads": 5, "processing_ms": -1}),
        "scenarios.parallel.processing_ms",
        -1,
        "from 0 to 600000",
    ),
    (
        document({"threads": 5, "rate": 5, "profile": [{"rate": 5, "for_s": 0}]}),
        "scenarios.parallel.profile.0.for_s",
        0,
        "at most 10800",
    ),
    (
        document({"threads": 5, "rate": 5, "measure_s": 9, "profile": [{"rate": 5, "for_s": 1}]}),
        "scenarios.parallel.measure_s",
        9,
        "as long as the profile",
    ),
    (
        document({"threads": 5, "mode": "load-unload", "messages": 9, "rate": 5}),
        "scenarios.parallel.rate",
        None,
        "mode: parallel",
    ),
    (
        document({"threads": 5, "mode": "capacity", "rate": 5, "messages": 9}),
        "scenarios.parallel.messages",
        9,
        "mode: load-unload",
    ),
    (
        document({"threads": 5, "mode": "capacity", "profile": [{"rate": 5, "for_s": 1}]}),
        "scenarios.parallel.profile",
        None,
        "one rate at a time",
    ),
    (document({"threads": 5, "objective_ms": 5}), "scenarios.parallel.objective_ms", 5, "mode capacity"),
    (
        document({"threads": 5, "mode": "load-unload", "messages": 9, "warmup_s": 1}),
        "scenarios.parallel.warmup_s",
        1,
        "no measured stage",
    ),
    (document(targets=["sqs-standrd"]), "targets.0", "sqs-standrd", "did you mean 'sqs-standard'?"),
    (document(targets="sqs-standard"), "targets", "sqs-standard", "must be a list: write [sqs-standard]"),
    (
        document({"cells": []}),
        "scenarios.parallel.cells",
        "[]",
        "must be a list of 1 to 50, each a mapping of threads",
    ),
    (
        document(targets=["kafka"]),
        "targets.0",
        "kafka",
        "one of sqs-standard, sqs-fifo, rabbitmq-quorum-trio",
    ),
    (document(targets=[]), "targets", "[]", "one of sqs-standard"),
    (document(targets=["sqs-standard"] * 2), "targets", None, "entry 2 is there twice"),
    (document(repeats=0), "repeats", 0, "whole number from 1 to 100"),
    (document(seed=-1), "seed", -1, "whole number from 0"),
    (document(variant="as-publishd"), "variant", "as-publishd", "did you mean 'as-published'?"),
    (
        document(variants={"as-publishd": {}}),
        "variants.as-publishd",
        "as-publishd",
        "did you mean 'as-published'?",
    ),
    (
        document(variants={"as-published": {"sqs": {}}}),
        "variants.as-published.sqs",
        "sqs",
        "one of sqs-standard",
    ),
    (
        document(variants={"as-published": {"sqs-standard": {"threads": 5}}}),
        "variants.as-published.sqs-standard.threads",
        5,
        "there are confirms",
    ),
    (document(scenarios={}), "scenarios", "{}", "a mapping"),
    (document(scenarios={"Big One": {}}), "scenarios.Big One", "Big One", "small letters"),
    (document(scenarios={7: {}}), "scenarios.7", 7, "small letters"),
    (document(scenarios={"parallel": 5}), "scenarios.parallel", 5, "a mapping of"),
    (document(suite="../etc"), "suite", "../etc", "small letters"),
    (document(title=""), "title", "", "text of 1 to 300"),
    (document(title="\x1b[2J"), "title", "\x1b[2J", "one line of text"),
    (document(**{"\x1b[2J": 1}), "'\\x1b[2J'", 1, "no such field"),
]


@pytest.mark.parametrize(("found", "field", "value", "remedy"), BAD)
def test_a_fault_names_file_field_value_and_remedy(found, field, value, remedy):
    error = fault(found)
    assert (error.where, error.field) == ("mine.yaml", field)
    if value is not None:
        assert error.value == value
    assert remedy in error.remedy
    found = "" if error.value is None else f"{error.value!r}: "
    assert str(error) == f"mine.yaml: {field}: {found}{error.remedy}"
    assert "\n" not in str(error)
    assert len(str(error)) < 600


@pytest.mark.parametrize("name", ["suite", "title", "targets", "scenarios"])
def test_a_required_field_that_is_missing_is_named(name):
    error = fault({key: value for key, value in document().items() if key != name})
    assert (error.field, error.value) == (name, None)
    assert error.remedy.startswith("is required")


@pytest.mark.parametrize("found", [None, [], "quick", 5])
def test_what_is_no_mapping_is_no_suite(found):
    assert "a suite is a mapping" in fault(found).remedy


@pytest.mark.parametrize(("value", "quotes"), [("5", True), ("1:30", False), ("yes", False)])
def test_quotes_are_named_where_there_are_some(value, quotes):
    assert ("without quotes" in fault(document({"threads": value})).remedy) == quotes


def test_several_faults_are_reported_one_a_line():
    with pytest.raises(MultipleInputError) as caught:
        parse_suite(document({"threads": 0, "queues": 0}, repeats="2"), "mine.yaml")
    lines = str(caught.value).splitlines()
    fields = [line.split(": ")[1] for line in lines]
    assert fields == ["repeats", "scenarios.parallel.threads", "scenarios.parallel.queues"]


def test_a_flood_of_faults_is_cut_and_says_so():
    with pytest.raises(InputError) as caught:
        parse_suite(document(**{f"field{n}": n for n in range(500)}), "mine.yaml")
    lines = str(caught.value).splitlines()
    assert len(lines) == 21
    assert "480" in lines[-1]


def test_what_is_long_is_abbreviated():
    assert len(str(fault(document(title="x" * 100_000)))) < 300
    assert len(str(fault(document(**{"x" * 100_000: 1})))) < 300


def test_no_message_carries_what_a_terminal_would_obey():
    found = document(title="\x1b[2J", **{"\x1b[2J": "\x1b[2J"})
    found["scenarios"]["\x9b2J"] = {"\x07": []}
    with pytest.raises(InputError) as caught:
        parse_suite(found, "mine.yaml")
    assert str(caught.value).replace("\n", "").isprintable()


YAML = [
    ("a: [1\nb: 2", "line 2, column 2", "a bracket before it is not closed"),
    ("suite: x\nsuite: y", "line 2, column 1", "'suite' is there twice"),
    ("a:\n  b: 1\n  b: 2", "line 3, column 3", "'b' is there twice"),
    ("a: &big [1, 2]\nb: *big", "line 2, column 4", "aliases are not allowed"),
    ("a: !!python/object/apply:os.system [ls]", "line 1, column 4", "tags are not allowed"),
    ("a:\n  - !!int '5'", "line 2, column 5", "tags are not allowed"),
    ("a: 1\n--- \nb: 2", "line 2, column 1", "a file has one suite; remove ---, and what follows"),
    ("a: 1\n\tb: 2", "line 2, column 1", "a tab stands where only spaces may; put spaces in its place"),
    ("a: {\tb: 1}", "line 1, column 5", "a tab stands where only spaces may; put spaces in its place"),
    ("a: %x", "line 1, column 4", "text that begins with such a character needs quotes"),
    ("a: @x", "line 1, column 4", "text that begins with such a character needs quotes"),
    ("a: b: c", "line 1, column 5", "text with a colon needs quotes, or a line is indented wrongly"),
    (
        "a:\n   b: 1\n  c: 2",
        "line 3, column 3",
        "indented in another way than what it belongs to; indent both alike",
    ),
    ("a: 1\nb\nc: 2", "line 3, column 1", "a line before is a name without a colon; write name: value"),
    ('a: "b', "line 1, column 6", "a quotation mark is not closed"),
    ('a: "\\q"', "line 1, column 6", "put the text in single quotes"),
    ("a: 1\nb: " + "9" * 5000, "line 2, column 4", "a number of 5000 digits"),
    ("a: \x00", "character 3", "no character that a suite can have; remove it"),
    ("[" * 20_000, "file", "too deep"),
]


@pytest.mark.parametrize(("text", "field", "remedy"), YAML)
def test_bad_yaml_names_file_line_and_column(text, field, remedy):
    with pytest.raises(InputError) as caught:
        parse_yaml(text.encode(), "mine.yaml")
    assert (caught.value.where, caught.value.field) == ("mine.yaml", field)
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("010", 10),
        ("-5", -5),
        ("0o17", 15),
        ("0x1F", 31),
        ("1:30", "1:30"),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("-.inf", float("-inf")),
        ("True", True),
        ("yes", "yes"),
        ("off", "off"),
        ("~", None),
        ("", None),
        ("2012-12-01", "2012-12-01"),
        ("=", "="),
    ],
)
def test_a_value_is_what_it_looks_like(text, value):
    """By the core schema of YAML 1.2."""
    found = parse_yaml(f"a: {text}".encode(), "mine.yaml")["a"]
    assert (found, type(found)) == (value, type(value))


def test_nothing_is_merged_from_elsewhere():
    assert parse_yaml(b"<<: {repeats: 2}", "mine.yaml") == {"<<": {"repeats": 2}}


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_only_a_regular_file_is_read(tmp_path, kind):
    path = {"pipe": tmp_path / "mine.yaml", "device": Path("/dev/zero"), "folder": tmp_path}[kind]
    if kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(InputError, match="is not a regular file"):
        load_file(path)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_bytes(b"suite: \xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        load_file(path)


def test_a_file_over_the_bound_is_refused_before_it_is_parsed(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("# " + "x" * MAX_FILE_BYTES)
    with pytest.raises(InputError, match=f"at most {MAX_FILE_BYTES} bytes"):
        load_file(path)


def test_a_file_that_is_not_there_says_what_is():
    with pytest.raises(InputError) as caught:
        load_suite("no/such.yaml")
    assert "no/such.yaml" in str(caught.value)
    assert "quick" in caught.value.remedy


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(InputError, match="did you mean 'quick'"):
        load_suite("quik")


@pytest.mark.parametrize("name", ["../pyproject", "/etc/hostname", "quick.yaml", "published/source-a"])
def test_a_shipped_name_is_never_a_path(name):
    with pytest.raises(InputError, match="no such suite"):
        load_shipped(name)


@pytest.mark.parametrize("name", shipped_suites())
def test_a_shipped_suite_reads_the_same_by_name_by_path_and_as_a_document(name):
    by_name, by_path = load_suite(name), load_suite(str(SCENARIOS / f"{name}.yaml"))
    inline = parse_suite(by_name.document(), "run input")
    assert by_name.suite == name
    assert by_name.document() == by_path.document() == inline.document()
    assert by_name.sha256 == by_path.sha256 == inline.sha256
    assert by_name.where == f"scenarios/{name}.yaml"


def test_the_digest_is_of_what_is_said_not_of_how():
    plain = parse_suite(document({"threads": 5, "message_size": "1KiB"}), "a.yaml")
    other = parse_suite(document({"message_size": [1024], "threads": [5]}), "b.yaml")
    changed = parse_suite(document({"threads": 6, "message_size": "1KiB"}), "a.yaml")
    assert plain.sha256 == other.sha256 != changed.sha256
