"""docs/perftest.md lists every parameter and option of PerfTest, with what becomes of it."""

import re
from pathlib import Path

from breakeven.workload.perftest.command_options import OPTIONS
from breakeven.workload.perftest.spec_keys import KEYS, QUEUE_ARGUMENTS, Key

PAGE = (Path(__file__).parents[3] / "docs" / "perftest.md").read_text()
PARAMETERS = re.findall(r"^\| `([a-z-]+)` \| (.*?) \| (.+) \|$", PAGE, re.MULTILINE)
OPTIONS_ONLY = re.findall(r"^\| (`--?[^|]+) \| ((?:noted|refused): .+) \|$", PAGE, re.MULTILINE)


def names(option):
    return f"`-{option.short}`, `--{option.long}`" if option.short != option.long else f"`--{option.long}`"


def test_each_parameter_has_its_row_with_its_option_and_what_becomes_of_it():
    options = {option.key: names(option) for option in OPTIONS if not isinstance(option.key, Key)}
    assert [(key, option) for key, option, _ in PARAMETERS] == [(key, options.get(key, "")) for key in KEYS]
    for key, _, becomes in PARAMETERS:
        known = KEYS[key]
        if known.outcome != "carried":
            assert becomes == f"{known.outcome}: {known.reason}"


def test_each_option_of_the_command_line_only_has_its_row():
    only = [option for option in OPTIONS if isinstance(option.key, Key)]
    assert [(names(each), f"{each.key.outcome}: {each.key.reason}") for each in only] == OPTIONS_ONLY


def test_each_queue_argument_that_is_noted_is_named():
    assert all(f"`{name}`" in PAGE for name in QUEUE_ARGUMENTS)
