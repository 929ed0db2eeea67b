"""What loaders found of themselves: each cause once, with who found it."""

from __future__ import annotations

from breakeven.loadgen.self_check.loader_findings import Finding, causes_of, in_words


def steal(share: str) -> str:
    return f"the hypervisor withheld {share}% of the host's processor time, and 2% is the limit"


def test_loaders_with_the_same_cause_are_named_together() -> None:
    found = [
        Finding(0, "measure", steal("6.0")),
        Finding(0, "measure", "it used 0.82 of a core"),
        Finding(1, "measure", steal("6.0")),
        Finding(2, "measure", steal("5.5")),
    ]
    said = in_words(found)
    assert said == (
        f"loaders 0, 1 and 2, measure: {steal('5.5 to 6.0')}; loader 0, measure: it used 0.82 of a core"
    )
    assert causes_of(said) == [
        ("loaders 0, 1 and 2, measure", steal("5.5 to 6.0")),
        ("loader 0, measure", "it used 0.82 of a core"),
    ]
    assert in_words([]) == ""


def test_stages_of_a_search_are_named_together() -> None:
    found = [Finding(0, "probe-4", steal("3.0")), Finding(0, "probe-5", steal("3.0"))]
    assert in_words(found) == f"loader 0, probe-4 and probe-5: {steal('3.0')}"


def test_a_sentence_of_no_loader_is_one_cause_whatever_its_marks() -> None:
    said = "2 calls failed: produce reset 2 (by peer; loader 0, it says)"
    assert causes_of(said) == [("", said)]


def test_what_stands_behind_the_causes_is_none() -> None:
    said = f"loader 0, measure: {steal('3.0')}; the search had 2 loaders, and more of them may find more"
    assert [cause for _, cause in causes_of(said)] == [steal("3.0")]


def test_earlier_sentences_that_left_some_loaders_out_are_read_without_saying_so_as_a_cause() -> None:
    said = f"loader 0, measure: {steal('3.0')}; loader 1, measure: {steal('4.0')}; and 3 more"
    assert [cause for _, cause in causes_of(said)] == [steal("3.0"), steal("4.0")]
