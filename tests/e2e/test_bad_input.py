"""Bad input: one clear error that names where, what and the remedy; exit code 2; nothing is left running."""

from __future__ import annotations

import pytest

from tests.support.workflow.command import TINY, Command

BAD_SUITES = {
    "unknown field": (TINY.replace("threads: [1", "treads: [1"), "scenarios.parallel.treads", "threads"),
    "wrong type": (TINY.replace("threads: [1, 4]", 'threads: ["5"]'), "scenarios.parallel.threads", "'5'"),
    "unknown target": (TINY.replace("sqs-standard", "sqs-standart"), "targets", "sqs-standard"),
    "impossible matrix": (TINY.replace("threads: [1, 4]", "threads: []"), "scenarios.parallel.threads", "[]"),
    "size over the limit": (TINY.replace("message_size: 1KiB", "message_size: 2MiB"), "message_size", "sqs"),
    "zero workers": (TINY.replace("threads: [1, 4]", "threads: 0"), "scenarios.parallel.threads", "0"),
    "not YAML": ("suite: [1, 2", "suite.yaml", "line"),
}


def refused(suite: str | None, folder, *options: str) -> str:
    """Run, expect refusal, and return the error as printed."""
    command = Command(suite, folder, *options)
    code, out, err = command.end()
    assert code == 2, f"{out}\n{err}"
    assert "Traceback" not in err
    assert err.startswith("error: ")
    assert command.left_running() == set()
    assert not command.runs.exists()
    return err


@pytest.mark.parametrize("fault", BAD_SUITES)
def test_a_bad_suite_is_refused_with_field_and_remedy(tmp_path, fault):
    suite, field, word = BAD_SUITES[fault]
    err = refused(suite, tmp_path)
    assert "suite.yaml" in err
    assert field in err
    assert word.lower() in err.lower()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--scale", "7"], ["scale", "7"]),
        (["--region", "mars-1"], ["mars-1", "us-east-1"]),
        (["--rabbitmq-url", "amqp://u:secret@127.0.0.1:5672"], ["--rabbitmq-url", "once for each"]),
        (
            [
                "--rabbitmq-url",
                "amqp://u:secret@127.0.0.1:9",
                "--rabbitmq-url",
                "amqp://u:secret@127.0.0.1:10",
            ],
            ["--rabbitmq-url", "127.0.0.1:9"],
        ),
        (["--sqs-endpoint", "http://127.0.0.1:9"], ["--sqs-endpoint", "127.0.0.1:9"]),
    ],
)
def test_a_bad_option_is_refused_by_name_and_no_password_is_printed(tmp_path, options, words):
    err = refused(TINY, tmp_path, *options)
    for word in words:
        assert word in err
    assert "secret" not in err


def test_a_wrong_password_is_refused_before_anything_starts(tmp_path, rabbitmq_pair):
    options = []
    for node in rabbitmq_pair.nodes:
        url = f"amqp://{rabbitmq_pair.username}:wrong@{node.host}:{node.amqp_port}"
        options += ["--rabbitmq-url", f"{url}?management_port={node.management_port}"]
    err = refused(TINY, tmp_path, *options)
    assert "password" in err
    assert "wrong@" not in err


def test_a_suite_that_is_not_there_is_refused(tmp_path):
    assert "suite.yaml" in refused(None, tmp_path)
