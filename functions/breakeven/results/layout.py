"""Keys of a run's objects in the results bucket. One place, so that nothing guesses a key."""

from __future__ import annotations

#: how a registration's key ends, behind the instance's id
REGISTERED = ".json"
#: where the credentials of every run's lanes are
SECRETS = "secrets/"
#: where builders of images report
IMAGES = "images/"
#: where reports are that readers without any other right may be given, and which of them is the newest run's
REPORTS, LATEST = "reports/", "latest"


def row_key(table: str, run_id: str, name: str) -> str:
    """Key of a row object: gzipped JSON lines, Hive-partitioned by run."""
    return f"{rows_prefix(table, run_id)}{name}.json.gz"


def rows_prefix(table: str, run_id: str) -> str:
    """Everything that a table holds of a run."""
    return f"{table_prefix(table)}run_id={run_id}/"


def table_prefix(table: str) -> str:
    return f"rows/{table}/"


def run_prefix(run_id: str) -> str:
    return f"runs/run_id={run_id}/"


def plan_key(run_id: str) -> str:
    return f"{run_prefix(run_id)}plan.json"


def price_book_key(run_id: str) -> str:
    """The prices that the run used, as a book."""
    return f"{run_prefix(run_id)}price_book.json"


def loader_advice_key(suite: str) -> str:
    """What the suite's runs found of their loaders, for its next plan: of no run, and kept between them."""
    return f"advice/loaders/{suite}.json"


def capacities_key() -> str:
    """What runs on AWS found that clusters carry, the latest of each: of no run, and kept between them."""
    return "capacities/clusters.json"


def case_key(run_id: str, case_id: str) -> str:
    return f"{run_prefix(run_id)}cases/{case_id}.json"


def histogram_key(run_id: str, case_id: str) -> str:
    """The case's latencies as an HdrHistogram log."""
    return f"{histograms_prefix(run_id)}{case_id}.hlog"


def histograms_prefix(run_id: str) -> str:
    return f"{run_prefix(run_id)}histograms/"


def raw_prefix(run_id: str, case_id: str, attempt: int | str) -> str:
    return f"{run_prefix(run_id)}raw/{case_id}/a{attempt}/"


def loader_key(run_id: str, case_id: str, attempt: int, loader: int, kind: str) -> str:
    """``kind`` is ``checkpoint`` or ``result``; ``instrument`` for what the instrument did."""
    return f"{raw_prefix(run_id, case_id, attempt)}loader-{loader}.{kind}.json.gz"


def task_input_key(run_id: str, case_id: str, attempt: int | str, loader: int | str) -> str:
    """What a loader that is a task is told: the event that a function would get.

    The workflow makes the same key of its own state, with ``{}`` in the place of each.
    """
    return f"{raw_prefix(run_id, case_id, attempt)}loader-{loader}.task.json"


def watch_key(run_id: str, case_id: str, attempt: int, part: int = 0) -> str:
    """Of a case that outlasts one call of its watch each call's samples have a key, from part 0."""
    which = f"-{part}" if part else ""
    return f"{raw_prefix(run_id, case_id, attempt)}watch{which}.json.gz"


def faults_prefix(run_id: str, target: str, case_id: str = "", attempt: int | str = "") -> str:
    """Orders and answers of the faults of a lane's nodes; of one attempt of a case, where they are named."""
    own = f"{case_id}/a{attempt}/" if case_id else ""
    return f"{run_prefix(run_id)}faults/{target}/{own}"


def samples_prefix(run_id: str, target: str) -> str:
    """What the agents on a lane's nodes leave, ``<node>/<first second>-<last second>.json.gz``."""
    return f"{run_prefix(run_id)}samples/{target}/"


def report_key(run_id: str, name: str) -> str:
    """Report files: index.html, report.json, report.md, cases.csv."""
    return f"{run_prefix(run_id)}report/{name}"


def published_key(folder: str, name: str) -> str:
    """A report file as readers get it; ``folder`` is its run's id, or ``LATEST``."""
    return f"{REPORTS}{folder}/{name}"


def secrets_prefix(run_id: str, target: str | None = None) -> str:
    """Everything of a lane that is deleted with it; of all lanes without ``target``."""
    return f"{SECRETS}run_id={run_id}/{target}/" if target else f"{SECRETS}run_id={run_id}/"


def run_of_secret(key: str) -> str:
    """The run whose lane's the object of that key is."""
    return key.removeprefix(f"{SECRETS}run_id=").partition("/")[0]


def nodes_prefix(run_id: str, target: str) -> str:
    """Each node registers itself under this prefix, as ``<instance>.json``, once it is up.

    ``<instance>.failed`` says why it is not.
    """
    return f"{secrets_prefix(run_id, target)}nodes/"


def access_key(run_id: str, target: str) -> str:
    """The lane's credentials; readable by its brokers and loaders only, deleted with the lane."""
    return f"{secrets_prefix(run_id, target)}access.json"


def cookie_key(run_id: str, target: str) -> str:
    """What lets the lane's nodes talk to each other: no client needs it."""
    return f"{secrets_prefix(run_id, target)}cookie"


def bake_prefix(image: str) -> str:
    """What builders report of the image of that name."""
    return f"{IMAGES}{image}/"


def bake_key(image: str, instance: str, end: str) -> str:
    """Of one builder; ``end`` is ``done`` (packages and their versions) or ``failed`` (why, and its log)."""
    return f"{bake_prefix(image)}{instance}.{end}"
