"""Sizes as people write them."""

import pytest

from breakeven.workload.sizes import format_size, parse_size


@pytest.mark.parametrize(
    ("text", "size"),
    [("16B", 16), ("1KiB", 1024), ("1KB", 1024), ("64 KB", 65536), ("1MiB", 1048576), ("2MB", 2097152)],
)
def test_kilo_is_1024_in_every_spelling(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "16", "B", "1.5KiB", "-1B", "1kb", "1GiB", "1KiB ", "9" * 13 + "B"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(ValueError, match="not a size"):
        parse_size(text)


@pytest.mark.parametrize("size", [16, 1000, 1024, 1536, 65536, 1048576, 1048577])
def test_a_printed_size_reads_back_exactly(size):
    assert parse_size(format_size(size)) == size


def test_the_largest_exact_unit_is_printed():
    assert [format_size(n) for n in (16, 1000, 1024, 65536, 3 * 1024**2)] == [
        "16B",
        "1000B",
        "1KiB",
        "64KiB",
        "3MiB",
    ]
