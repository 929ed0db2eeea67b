"""Sizes as people write them."""

import pytest

from breakeven.workload.sizes import ambiguity, format_size, parse_size, size_from, size_hint


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("16B", 16),
        ("1KiB", 1024),
        ("64 KiB", 65536),
        ("1MiB", 1048576),
        ("40000B", 40000),
        ("1024", 1024),
        ("0", 0),
    ],
)
def test_a_size_is_bytes_or_has_a_unit_of_one_meaning(text, size):
    assert parse_size(text) == size
    assert ambiguity(text) == ""


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("40KB", "KB is 1,000 bytes to some and 1,024 to others: write 40KiB or 40000B"),
        ("40 kb", "KB is 1,000 bytes to some and 1,024 to others: write 40KiB or 40000B"),
        ("40k", "KB is 1,000 bytes to some and 1,024 to others: write 40KiB or 40000B"),
        ("2MB", "MB is 1,000,000 bytes to some and 1,048,576 to others: write 2MiB or 2000000B"),
    ],
)
def test_a_unit_of_two_meanings_is_refused(text, remedy):
    assert ambiguity(text) == remedy
    with pytest.raises(ValueError, match="not a size"):
        parse_size(text)


@pytest.mark.parametrize("text", ["", "B", "1.5KiB", "-1B", "1kb", "1GiB", "1KiB ", "9" * 13 + "B"])
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


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("1.5KiB", "a size is a whole number and its unit: write whole bytes, 1536B"),
        ("40Kib", "write 40KiB"),
        ("40Ki", "write 40KiB"),
        ("1 Mi", "write 1MiB"),
        ("2,048B", "write 2048B"),
        ("1GiB", ""),
        ("-1", ""),
        ("big", ""),
    ],
)
def test_what_plainly_means_a_size_is_told_how_it_is_written(text, hint):
    assert size_hint(text) == hint


def test_what_a_size_may_be_has_its_ends_as_sizes():
    assert size_from(1, 1024**2) == "a size from 1B to 1MiB, such as 16B, 1KiB or 65536 (bytes)"
