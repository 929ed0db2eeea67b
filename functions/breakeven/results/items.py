"""Names and sizes of the state table's items, which a plan knows, too.

Items (sort key ``item``): ``run`` · ``lane#<target>`` · ``case#<case_id>`` ·
``loader#<case_id>#<attempt>#<loader>`` · ``loader#<case_id>#<attempt>#all``, of all of them together ·
``search#<case_id>#<attempt>#<loader>``, what it tells the others of a capacity search. The partition
``#lock`` is no run's: it has an item for each state machine, named after it. Nor is ``#suite#<name>``, which
has one for each run of that suite that came to a report, named after the run and kept for good.
"""

from __future__ import annotations

RUN = "run"
#: what the items of cases begin with
CASES = "case#"
#: where the run's own item says that it failed (``failed_at``) when no state did
NO_CASE_OK = "Cases"
#: the partition of the locks; no run's id begins like this
LOCKS = "#lock"


def suite_runs(suite: str) -> str:
    """The partition of the suite's runs; no run's id begins like this."""
    return f"#suite#{suite}"


def lane_item(target: str) -> str:
    return f"lane#{target}"


def case_item(case_id: str) -> str:
    return f"{CASES}{case_id}"


def loaders_prefix(case_id: str, attempt: int) -> str:
    return f"loader#{case_id}#{attempt}#"


def loader_item(case_id: str, attempt: int, loader: int) -> str:
    return f"{loaders_prefix(case_id, attempt)}{loader}"


def all_loaders_item(case_id: str, attempt: int) -> str:
    """What the loaders of an attempt are to know of all of them; ``reason``: why it was ended."""
    return f"{loaders_prefix(case_id, attempt)}all"


def searches_prefix(case_id: str, attempt: int) -> str:
    """Of items that are too large to be read with each exchange of progress."""
    return f"search#{case_id}#{attempt}#"
