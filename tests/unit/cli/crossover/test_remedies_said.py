"""What crossover says to a value that an option does not take: what it takes, its range, and an example."""

from __future__ import annotations

import pytest

from breakeven.errors import InputError
from breakeven.pricing.bill.inputs import Inputs, ask
from breakeven.workload.read import parse_suite, parse_yaml
from cli.crossover.crossover_options import OPTIONS
from cli.crossover.option_remedies import EXAMPLES, range_of
from tests.support.money.crossover_command import run

SCHEMA = Inputs.model_json_schema()["properties"]
RANGED = [
    option
    for option, (fields, _, _) in OPTIONS.items()
    if "maximum" in str(SCHEMA[fields[0]]) and not option.endswith(("-discount", "--size"))
]
TERMS = "on-demand, 1y-standard, 1y-convertible, 3y-standard, 3y-convertible"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--migration-hours", "many"], "must be a number; give hours, 0 to 1,000,000, such as 300"),
        (
            ["--consumer", "containers", "--poll-wait", "0"],
            "must be at least 1; give whole seconds, 1 to 20, such as 20",
        ),
        (["--capacity", "0"], "must be at least 1; give messages a second, 1 to 10,000,000, such as 20000"),
        (["--nodes", "10"], "must be at most 9; give a whole number, 1 to 9, such as 5"),
        (["--batch-fill", "2"], "must be at most 1; give a share of 1, over 0 to 1, such as 0.8"),
        (["--existing-requests", "x"], "0 to 1,000,000,000,000,000, such as 5000000"),
        (["--commitment", "5y"], f"must be one of {TERMS}"),
        (["--queue", "fif"], "did you mean 'fifo'? must be one of standard, fifo, fair"),
        (["--volume", "gp5"], "did you mean 'gp3'? must be one of none, gp3, gp2, io2"),
        (["--size", "1GiB"], "must be a size from 1B to 1MiB, such as 16B, 1KiB or 65536 (bytes)"),
        (["--size=-1"], "must be a size from 1B to 1MiB"),
        (["--size", "2MiB"], "must be a size from 1B to 1MiB"),
        (["--size", "40Ki"], "write 40KiB"),
    ],
)
def test_a_remedy_is_a_sentence(capsys: pytest.CaptureFixture[str], given: list[str], said: str) -> None:
    code, out, err = run(capsys, *given)
    assert (code, out) == (2, "")
    option, value = given[-1].split("=") if "=" in given[-1] else given[-2:]
    assert err.startswith(f"error: breakeven crossover: {option}: '{value}': ")
    assert said in err
    assert err.count("such as") <= 1


@pytest.mark.parametrize("option", RANGED)
def test_an_example_is_one_that_the_field_takes(option: str) -> None:
    (field, *_), metavar, _ = OPTIONS[option]
    example = float(range_of(field, metavar).rpartition(" ")[2])
    assert getattr(ask(**{field: example}), field) == example


def test_each_example_is_of_a_field() -> None:
    assert set(EXAMPLES) <= set(Inputs.model_fields)


@pytest.mark.parametrize(("size", "said"), [("1.5KiB", "write whole bytes, 1536B"), ("40Kib", "write 40KiB")])
def test_a_suite_has_the_same_help_for_a_size(size: str, said: str) -> None:
    text = f"suite: a\ntargets: [sqs-standard]\nscenarios: {{one: {{message_size: {size}}}}}\n"
    with pytest.raises(InputError, match=said):
        parse_suite(parse_yaml(text.encode(), "a.yaml"), "a.yaml")
