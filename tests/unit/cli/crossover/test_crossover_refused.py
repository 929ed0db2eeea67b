"""What ``breakeven crossover`` refuses: one clear line, and exit code 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.main import main
from tests.support.money.crossover_command import OF_PAIR, run


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rate", "-1"], "--rate: '-1': must be at least 0"),
        (["--rate", "abc"], "--rate: 'abc': must be a number"),
        (["--rate", "1_000"], "--rate: '1_000': write the number without underscores"),
        (["--nodes", "1_0"], "--nodes: '1_0': write the number without underscores"),
        (["--sqs-discount", "1_0%"], "--sqs-discount: '1_0%': write the number without underscores"),
        (["--sqs-bill", "4_000"], "--sqs-bill: '4_000': give US dollars a month above 0"),
        (["--rate", "10000001"], "--rate: '10000001': must be at most 10000000"),
        (["--size", "0"], "--size: '0': must be a size from 1B to 1MiB, such as"),
        (["--size", "2MiB"], "--size: '2MiB': must be a size from 1B to 1MiB, such as"),
        (["--batch", "11"], "--batch: '11': must be at most 10"),
        (
            ["--batch", "10", "--size", "200KiB"],
            "--batch: '10': 10 messages of 204800 bytes are over the 1 MiB",
        ),
        (["--instance", "m99.large"], "--instance: 'm99.large': the price book us-east-1@"),
        (["--instance", "m99.large"], " has no such instance type; it has "),
        (
            ["--instance", "M7G.large"],
            " has no such instance type; did you mean 'm7g.large'? it has m7g.large, ",
        ),
        (
            ["--region", "US-EAST-1"],
            "--region: 'US-EAST-1': no such book; did you mean 'us-east-1'? there are",
        ),
        (
            ["--instance", "m8i.large", "--region", "eu-west-1"],
            "--instance: 'm8i.large': not in the price feed",
        ),
        (
            ["--instance", "c3.2xlarge", "--commitment", "1y-standard"],
            "--commitment: '1y-standard': ",
        ),
        (["--cpu-credits", "standard"], "--cpu-credits: 'standard': m7g.large has no CPU credits: give an"),
        (["--client-zones", "3"], "--client-zones: '3': belongs to --sqs-path endpoint or nat: give one of"),
        (["--volume", "none", "--volume-gb", "20"], "--volume-gb: '20': there is no volume to have it; "),
        (
            ["--volume", "gp2", "--volume-iops", "3000"],
            "--volume-iops: '3000': none are provisioned with gp2",
        ),
        (
            ["--runs", "x"],
            "--runs: 'x': is used with --capacity-from only: give that as well, or leave it out",
        ),
        (
            ["--per-month", "many"],
            "--per-month: 'many': give messages a month, 0 to 26,280,000,000,000, such",
        ),
        (["--per-month", "-1"], "--per-month: '-1': give messages a month, 0 to"),
        (["--per-month", "1e14"], "--per-month: '1e14': give messages a month, 0 to"),
        (["--per-month", "5", "--rate", "3"], "--per-month: '5': give it or --rate, not both"),
        (["--sqs-bill", "5", "--per-month", "3"], "--sqs-bill: '5': give it or --per-month, not both"),
        (
            ["--region", "mars-1"],
            "breakeven crossover: --region: 'mars-1': no such book; there are ap-southeast-1",
        ),
        (["--sqs-bill", "-3"], "--sqs-bill: '-3': give US dollars a month above 0"),
        (
            ["--sqs-bill", "1e15"],
            "--sqs-bill: '1e15': even 10,000,000 messages a second cost less",
        ),
        (["--sqs-bill", "5", "--rate", "3"], "--sqs-bill: '5': give it or --rate, not both"),
        (["--sqs-discount", "100"], "--sqs-discount: '100': give per cent off, from 0 to below 100"),
        ([*OF_PAIR, "--broker-zones", "3"], "--broker-zones: '3': 3 zones for 2 nodes"),
        (["--nodes", "2"], "--nodes: '2': a trio has 3 to 9 nodes; give as many"),
        ([*OF_PAIR, "--nodes", "1"], "--nodes: '1': a pair has 2 to 9 nodes; give as many"),
        (["--nodes", "10"], "--nodes: '10': must be at most 9"),
        (["--deployment", "single", "--nodes", "3"], "--nodes: '3': a single has one node"),
        (
            ["--deployment", "single", "--group-size", "1"],
            "--group-size: '1': the queues of a single have one copy; leave it out",
        ),
        ([*OF_PAIR, "--group-size", "3"], "--group-size: '3': a node has one copy of a queue at most; give"),
        (
            ["--deployment", "trio", "--nodes", "5", "--group-size", "7"],
            "--group-size: '7': a node has one copy of a queue at most; give at most 5",
        ),
        (["--book", "/nowhere/book.json"], "--book: '/nowhere/book.json': cannot be read"),
        (["--book", "/dev/null"], "--book: '/dev/null': cannot be read: is not a regular file"),
        (["--book", "README.md"], "README.md: line 1, column 1: '# Queue Breakeven': is not JSON: "),
        (["--capacity-from", "nothere"], "--capacity-from: 'nothere': no report.json there"),
    ],
)
def test_bad_input_is_one_clear_error(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert said in err
    assert len(err.splitlines()) == 1


def test_a_damaged_book_is_named_with_its_field(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shipped = Path("functions/breakeven/pricing/prices/books/us-east-1.json").read_text(encoding="utf-8")
    book = json.loads(shipped)
    book["prices"][3]["usd"] = -1
    (tmp_path / "mine.json").write_text(json.dumps(book))
    code, _, err = run(capsys, "--book", str(tmp_path / "mine.json"))
    assert code == 2
    assert "mine.json: prices.3" in err


@pytest.mark.parametrize(
    ("options", "field", "remedy"),
    [
        (["--amazon-mq", "mq.x9.huge"], "--amazon-mq: 'mq.x9.huge'", "mq.m7g in medium, large, xlarge"),
        (["--amazon-mq", "mq.t3.micro"], "--amazon-mq: 'mq.t3.micro'", "mq.m5 in large, xlarge, 2xlarge"),
        (["--amazon-mq", "mq.m7g.xlarge"], "no price of a cluster of it", "mq.m7g.large, mq.m5.large"),
        (["--amazon-mq-gb", "17"], "--amazon-mq-gb: '17'", "15 to 75 GB, in steps of 5"),
        (["--amazon-mq-gb", "80"], "--amazon-mq-gb: '80'", "15 to 75 GB"),
        (
            ["--amazon-mq-gb", "20", "--deployment", "single"],
            "--amazon-mq-gb: '20'",
            "single broker is 200 GB",
        ),
        (["--amazon-mq-gb", "20", "--amazon-mq", "mq.m5.large"], "--amazon-mq-gb: '20'", "is 200 GB"),
        (["--amazon-mq-gb", "20", "--amazon-mq", "none"], "--amazon-mq-gb: '20'", "give --amazon-mq a type"),
        (["--amazon-mq-inter-node", "2"], "--amazon-mq-inter-node: '2'", "at most 1"),
        (["--volume-gb", "0"], "--volume-gb: '0'", "gp3 has 8 to 65,536 GB"),
        (["--volume", "st1"], "--volume: 'st1'", "no instance boots from such a volume"),
        (["--volume", "st1", "--volume-gb", "500"], "--volume: 'st1'", "give gp3, gp2 or io2"),
        (["--volume-gb", "7"], "--volume-gb: '7'", "gp3 has 8 to 65,536 GB"),
        (["--volume", "gp2", "--volume-gb", "20000"], "--volume-gb: '20000'", "gp2 has 8 to 16,384 GB"),
        (["--volume-iops", "80000"], "--volume-iops: '80000'", "gp3 of 20 GB has 3,000 to 10,000"),
        (["--volume-iops", "100"], "--volume-iops: '100'", "gp3 of 20 GB has 3,000 to 10,000"),
        (["--volume-iops", "90000", "--volume-gb", "500"], "--volume-iops: '90000'", "3,000 to 80,000"),
        (["--volume", "io2", "--volume-gb", "9", "--volume-iops", "256000"], "'256000'", "100 to 9,000"),
        (["--volume", "gp2", "--volume-iops", "5000"], "--volume-iops: '5000'", "leave it out"),
        (["--volume", "none", "--volume-iops", "5000"], "--volume-iops: '5000'", "leave it out"),
        (["--volume", "none", "--volume-gb", "50"], "--volume-gb: '50'", "leave it out"),
        (["--region", "eu-central-1", "--queue", "fair"], "--queue: 'fair'", "choose one that is"),
    ],
)
def test_what_cannot_be_bought_is_refused_with_what_can(
    capsys: pytest.CaptureFixture[str], options: list[str], field: str, remedy: str
) -> None:
    code, out, err = run(capsys, *options)
    assert (code, out) == (2, "")
    assert field in err
    assert remedy in err


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("--message-bytes", "--size"),  # as reports call it
        ("--message-size", "--size"),  # as suites do
        ("--msg-per-s", "--rate"),
        ("--capacity-msg-per-s", "--capacity"),
        ("--sise", "--size"),  # a slip, as before
    ],
)
def test_an_option_that_has_another_name_is_told_it(
    capsys: pytest.CaptureFixture[str], given: str, meant: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["crossover", given, "1024"])
    assert ended.value.code == 2
    said = f"{given}: no such option; did you mean '{meant}'? see breakeven crossover --help"
    assert capsys.readouterr().err == f"error: breakeven crossover: {said}\n"


def test_bytes_as_a_number_are_the_size_that_they_are_in_a_suite(capsys: pytest.CaptureFixture[str]) -> None:
    said = set()
    for size in ("1024", "1KiB", "1024B"):
        assert main(["crossover", "--size", size, "--amazon-mq", "none", "--json"]) == 0
        said.add(capsys.readouterr().out)
    assert len(said) == 1
