"""Options that make no sense, of every command: exit code 2, one line, and nothing started."""

from __future__ import annotations

import pytest

from cli import main as command
from tests.support.refused_input import refused

LONG = "a" * 5000
OPTIONS: dict[str, tuple[list[str], str]] = {
    "seed below 0": (["run", "quick", "--seed", "-1"], "--seed: -1: must be at least 0"),
    "no scale": (["run", "quick", "--scale", "nan"], "--scale: nan: must be at most 1"),
    "scale of 0": (["plan", "quick", "--scale", "0"], "--scale: 0.0: must be from 0.000001 to 1"),
    "endless dollars": (["plan", "quick", "--max-usd", "1e400"], "--max-usd: inf: give US dollars, at least"),
    "next to no scale": (
        ["plan", "quick", "--scale", "1e-300"],
        "--scale: 1e-300: must be from 0.000001 to 1",
    ),
    "next to no scale of a run": (
        ["run", "quick", "--scale", "1e-9"],
        "--scale: 1e-09: must be at least 0.000001",
    ),
    "next to no dollars": (
        ["plan", "quick", "--max-usd", "1e-300"],
        "--max-usd: 1e-300: give US dollars, at least 0.01, such as 20",
    ),
    "part of a kibibyte": (
        ["crossover", "--size", "1.5KiB"],
        "--size: '1.5KiB': a size is a whole number and its unit: write whole bytes, 1536B",
    ),
    "no bytes": (["crossover", "--size", "0"], "--size: '0': must be a size from 1B to 1MiB, such as"),
    "small letters": (["crossover", "--size", "2kib"], "--size: '2kib': write 2KiB"),
    "commas in a size": (["crossover", "--size", "2,048B"], "--size: '2,048B': write 2048B"),
    "suite that is not there": (["plan", "qick"], "breakeven plan: suite: 'qick': no such suite; did you"),
    "dollars here": (["run", "quick", "--max-usd", "5"], "--max-usd: 5.0: belongs to runs on AWS"),
    "batch of 11": (["crossover", "--batch", "11"], "--batch: '11': must be at most 10"),
    "rate below 0": (["crossover", "--rate=-1"], "--rate: '-1': must be at least 0"),
    "rate in words": (["crossover", "--rate", "many"], "--rate: 'many': must be a number"),
    "no hours": (["crossover", "--hours", "nan"], "--hours: 'nan': must be a finite number"),
    "size of two meanings": (
        ["crossover", "--size", "40KB"],
        "--size: '40KB': KB is 1,000 bytes to some and 1,024 to others: write 40KiB or 40000B",
    ),
    "megabytes of two meanings": (
        ["crossover", "--size", "1mb"],
        "--size: '1mb': MB is 1,000,000 bytes to some",
    ),
    "next to no rate": (
        ["crossover", "--rate", "1e-300"],
        "--rate: '1e-300': is under a message a month; give 0 or at least 3.8e-07",
    ),
    "next to no batch": (["crossover", "--batch", "1e-300"], "--batch: '1e-300': must be at least 1"),
    "next to no hours": (
        ["crossover", "--hours", "1e-300"],
        "--hours: '1e-300': is next to nothing; give at",
    ),
    "next to no price of an hour": (
        ["crossover", "--hour-rate=1e-9"],
        "--hour-rate: '1e-9': is next to nothing",
    ),
    "next to no fill": (
        ["crossover", "--batch-fill", "1e-300"],
        "--batch-fill: '1e-300': is next to nothing",
    ),
    "next to no discount": (
        ["crossover", "--sqs-discount", "1e-30%"],
        "--sqs-discount: '1e-30%': is next to",
    ),
    "next to no use": (
        ["crossover", "--utilisation", "0.001"],
        "--utilisation: '0.001': must be at least 0.01",
    ),
    "per cent of a share": (
        ["crossover", "--utilisation", "70%"],
        "--utilisation: '70%': is a share of 1: write 0.7",
    ),
    "next to no time": (
        ["crossover", "--consumer", "lambda", "--lambda-ms", "0.0001"],
        "--lambda-ms: '0.0001': must be at least 0.001",
    ),
    "half a message a month": (
        ["crossover", "--per-month", "0.5"],
        "--per-month: '0.5': give 0 or at least 1 message a month",
    ),
    "a bill below a cent": (
        ["crossover", "--sqs-bill", "1e-300"],
        "--sqs-bill: '1e-300': give at least 0.01 US dollars a month, such as 4000",
    ),
    "half a container": (
        ["crossover", "--consumer", "containers", "--containers", "2.5"],
        "--containers: '2.5': must be a whole number",
    ),
    "half a gigabyte": (["crossover", "--volume-gb", "20.5"], "--volume-gb: '20.5': EBS has whole ones only"),
    "half an operation": (
        ["crossover", "--volume-iops", "3000.5"],
        "--volume-iops: '3000.5': EBS has whole ones only; give a whole number",
    ),
    "peak below the mean": (
        ["crossover", "--peak-factor", "0.5"],
        "--peak-factor: '0.5': must be at least 1",
    ),
    "name that is too long": (["plan", LONG], "File name too long; give another path"),
    "run that is too long": (["report", LONG], "File name too long; give another path"),
    "endless book": (
        ["crossover", "--book", "/dev/zero"],
        "--book: '/dev/zero': cannot be read: is not a regular",
    ),
    "endless suite": (["plan", "/dev/zero"], "'/dev/zero': is not a regular file; give a suite file"),
    "runs in a process": (
        ["run", "quick", "--runs", "/proc/1"],
        "--runs: '/proc/1': no folder that results can",
    ),
    "runs in a device": (
        ["run", "quick", "--runs", "/dev/full"],
        "--runs: '/dev/full': no folder that results",
    ),
    "address with a password": (
        ["run", "quick", "--sqs-endpoint", "http://a:secret@localhost:1"],
        "--sqs-endpoint: url: 'localhost:1': expected http://host:port",
    ),
    "address with a question": (
        ["run", "quick", "--sqs-endpoint", "http://localhost:1/x?y"],
        "--sqs-endpoint: url: 'http://localhost:1/x?y': expected http://host:port",
    ),
    "brokers of a suite without any": (
        ["run", "sqs-batches", "--rabbitmq-url", "amqp://a:secret@localhost:1"],
        "--rabbitmq-url: targets: 'sqs-standard': no case of sqs-batches is on such a server; leave it out",
    ),
    "a queue service of a suite without one": (
        ["run", "rolling-restart", "--sqs-endpoint", "http://localhost:1"],
        "no case of rolling-restart is on such a server; leave it out",
    ),
    "brokers by HTTP": (
        ["run", "quick", "--rabbitmq-url", "http://a:secret@localhost:1"],
        "--rabbitmq-url: scheme: 'http': must be amqp: expected amqp://user:password@host:port/vhost",
    ),
    "brokers by TLS": (
        ["run", "quick", "--rabbitmq-url", "amqps://a:secret@localhost:1"],
        "--rabbitmq-url: scheme: 'amqps': these brokers are spoken to without TLS; must be amqp: expected",
    ),
    "addresses of a run on AWS": (
        ["run", "--on", "aws", "--rabbitmq-url", "amqp://a:secret@localhost:1"],
        "--rabbitmq-url: belongs to runs on this machine: leave it out, or --on aws",
    ),
    "target of a suite": (
        ["plan", "quick", "--target", "rabbitmq-single"],
        "breakeven plan: --target: 'rabbitmq-single': belongs to spec files of PerfTest",
    ),
    "run followed with a scale": (
        ["run", "--on", "aws", "--follow", "r1", "--scale", "0.5"],
        "--follow: 'r1': only follows what was started: leave --scale out",
    ),
    "plan with a run's option": (
        ["perftest", "--plan", "--live", "--", "-z", "5"],
        "breakeven perftest: --live: is of a run, and --plan starts none: leave out one of the two",
    ),
    "explained in JSON": (
        ["crossover", "--json", "--explain"],
        "--explain: 'all': is for reading, and no part of the document that --json prints; leave one of",
    ),
    "book and region": (
        ["crossover", "--book", "mine.json", "--region", "eu-west-1"],
        "--book: 'mine.json': give it or --region, not both",
    ),
    "resumed from elsewhere": (["run", "--resume", "a/b"], "--resume: 'a/b': a run's id has letters"),
}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        (
            "BREAKEVEN_CORE",
            "of",
            "environment: BREAKEVEN_CORE: 'of': must be off, or left out for the compiled",
        ),
        ("BREAKEVEN_CORE", "0", "environment: BREAKEVEN_CORE: '0': must be off"),
    ],
)
def test_a_variable_of_the_environment(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)
    assert said in refused(capsys, "run", "quick")


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option(capsys: pytest.CaptureFixture[str], name: str) -> None:
    argv, said = OPTIONS[name]
    line = refused(capsys, *argv)
    assert said in line
    assert "secret" not in line


def test_a_batch_may_be_a_mean_and_is_billed_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    """2.5 messages of 1 KiB a call: three requests for 2.5 messages."""
    assert command.main(["crossover", "--batch", "2.5"]) == 0
    assert "SQS standard: 1.2 requests a message as used" in capsys.readouterr().out
