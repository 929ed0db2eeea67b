"""Which RabbitMQ a target's brokers run, on machines with other releases or no right to private roots."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven.errors import BreakevenError, InputError
from breakeven.targets.catalog import PAIR, TRIO
from breakeven.workload.read import load_shipped, parse_suite
from local import available_targets
from local.available_targets import available
from local.servers import broker_releases
from local.servers.broker_releases import (
    NEWER,
    OWN,
    PrivateRoot,
    lack,
    main,
    missing_roots,
    release_for,
    release_of,
)


class Host:
    """A machine with this RabbitMQ of its own, and these private roots."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.roots, self._patch = folder / "brokers", monkeypatch
        self._server, self._releases = folder / "rabbitmq-server", folder / "lib"
        keyring = folder / "keyring"
        keyring.touch()
        for name, value in (
            ("ROOTS", self.roots),
            ("SERVER", self._server),
            ("RELEASES", self._releases),
            ("KEYRING", keyring),
            ("_namespace", lambda: ["unshare", "--mount"]),
        ):
            monkeypatch.setattr(broker_releases, name, value)
        monkeypatch.delenv(NEWER, raising=False)

    def has(self, version: str) -> None:
        self._server.touch()
        (self._releases / f"rabbitmq_server-{version}").mkdir(parents=True)

    def has_root(self, name: str, version: str) -> Path:
        root = self.roots / name
        (root / "files" / self._releases.relative_to("/") / f"rabbitmq_server-{version}").mkdir(parents=True)
        return root

    def lets_nobody_mount(self) -> None:
        self._patch.setattr(broker_releases, "_namespace", lambda: None)


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    monkeypatch.setattr(available_targets, "memory_note", lambda: None)
    return Host(tmp_path, monkeypatch)


def test_debian_12_runs_the_pair_on_its_own_and_rabbitmq_4_from_a_root(host: Host) -> None:
    host.has("3.10.8")
    root = host.has_root("debian-13", "4.0.5")
    newer = release_for("13")
    assert release_for("12") is OWN
    assert isinstance(newer, PrivateRoot)
    assert newer.version == "4.0.5"
    assert newer.server(Path("/tmp/run"))[3:5] == [str(root), "/tmp/run"]
    assert missing_roots(["12", "13"]) == ["13"]


def test_debian_13_runs_the_pair_from_a_root(host: Host) -> None:
    host.has("4.0.5")
    host.has_root("debian-12", "3.10.8")
    older = release_of(PAIR)
    assert older.version == "3.10.8"
    assert release_for("13") is OWN
    assert missing_roots(["12", "13"]) == ["12"]


def test_a_setting_takes_rabbitmq_4_from_testing_on_any_machine(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.has("4.0.5")
    host.has_root("debian-testing", "4.3.6")
    monkeypatch.setenv(NEWER, "testing")
    newer = release_for("13")
    assert newer
    assert newer.version == "4.3.6"
    assert missing_roots(["12", "13"]) == ["12", "testing"]


def test_where_private_roots_cannot_be_had_rabbitmq_4_is_the_machines_own(host: Host) -> None:
    host.has("3.10.8")
    host.has_root("debian-13", "4.0.5")
    host.lets_nobody_mount()
    assert release_for("13") is OWN
    assert missing_roots(["12", "13"]) == []
    assert (lack("13") or "").startswith("needs RabbitMQ 4, as in Debian 13; this machine has 3.10.8")
    assert lack("12") is None


def test_nothing_is_lacking_where_a_root_is_or_can_be_had(host: Host, tmp_path: Path) -> None:
    host.has("4.0.5")
    assert (lack("12"), lack("13")) == (None, None)
    (tmp_path / "keyring").unlink()
    assert release_for("12") is None, "none can be made"
    host.has_root("debian-12", "3.10.8")
    assert isinstance(release_for("12"), PrivateRoot), "one is there"


def test_what_is_not_installed_yet_is_not_called_lacking(host: Host) -> None:
    host.lets_nobody_mount()
    assert lack("12") is None
    with pytest.raises(BreakevenError, match="RabbitMQ is not installed"):
        release_of(PAIR).server(Path("/tmp"))


def test_the_pair_is_left_out_where_its_rabbitmq_cannot_be_had(host: Host) -> None:
    host.has("4.0.5")
    host.lets_nobody_mount()
    asked = load_shipped("quick")
    suite, (note,) = available(asked)
    assert suite.targets == ["sqs-standard", TRIO]
    assert {name: each.targets for name, each in suite.scenarios.items() if each.targets} == {
        "latency": ["sqs-standard", TRIO],
        **{name: ["sqs-standard"] for name in ("load-unload", "queues", "asymmetric", "size")},
    }
    assert not any(PAIR in named for named in suite.variants.values())
    assert suite.where == asked.where
    assert note.startswith(
        f"{PAIR} was left out: it needs RabbitMQ 3, as in Debian 12; this machine has 4.0.5"
    )
    own = {"p": {"threads": 1}, "only": {"threads": 1, "targets": [PAIR]}}
    mixed, _ = available(parse_suite({**asked.document(), "scenarios": own}, "mine.yaml"))
    assert list(mixed.scenarios) == ["p"], "of a scenario's targets none is left"
    single = parse_suite({**asked.document(), "targets": [PAIR], "scenarios": {"p": own["p"]}}, "mine.yaml")
    with pytest.raises(InputError, match=r"mine.yaml: targets: .*; give brokers .* by --rabbitmq-url"):
        available(single)


def test_a_suite_is_as_it_was_where_nothing_is_lacking(host: Host) -> None:
    host.has("4.0.5")
    asked = load_shipped("quick")
    assert available(asked) == (asked, [])


def test_a_target_on_an_older_rabbitmq_than_its_own_says_so(host: Host) -> None:
    host.has("3.10.8")
    host.lets_nobody_mount()
    asked = load_shipped("quick")
    suite, (note,) = available(asked)
    assert suite is asked
    assert note.startswith(
        f"{TRIO} runs on this machine's RabbitMQ: it needs RabbitMQ 4, as in Debian 13; this"
    )


def test_a_rabbitmq_that_is_too_old_is_left_alone_for_private_roots(host: Host) -> None:
    host.has("3.9.29")
    host.has_root("debian-12", "3.10.8")
    assert isinstance(release_for("12"), PrivateRoot)
    assert isinstance(release_for("13"), PrivateRoot)
    assert missing_roots(["12", "13"]) == ["12", "13"]


def test_a_rabbitmq_that_is_too_old_refuses_brokers_with_what_they_need(host: Host) -> None:
    host.has("3.9.29")
    host.lets_nobody_mount()
    assert (release_for("12"), release_for("13")) == (None, None)
    needed = "needs RabbitMQ 3.10 or newer, as in Debian 12; this machine has 3.9.29, and a private root"
    with pytest.raises(BreakevenError, match=f"{PAIR} {needed}"):
        release_of(PAIR)
    suite, notes = available(load_shipped("quick"))
    assert suite.targets == ["sqs-standard"]
    assert notes[0].startswith(f"{TRIO} was left out: it needs RabbitMQ 3.10 or newer, as in Debian 13")
    assert notes[1].startswith(f"{PAIR} was left out: it {needed}")


def test_where_private_roots_cannot_be_had_nothing_stands_for_mirrored_queues(host: Host) -> None:
    host.has("4.0.5")
    host.lets_nobody_mount()
    assert release_for("12") is None
    with pytest.raises(BreakevenError, match=f"{PAIR} needs RabbitMQ 3, as in Debian 12"):
        release_of(PAIR)


def test_a_root_that_was_deleted_is_missed_with_a_remedy(host: Host) -> None:
    with pytest.raises(
        BreakevenError, match=r"no RabbitMQ in .*debian-13: set it up with setup/setup.sh run"
    ):
        PrivateRoot(host.roots / "debian-13").command(Path("/tmp"), "epmd")


def test_the_set_up_is_told_the_roots_to_make(host: Host, capsys: pytest.CaptureFixture[str]) -> None:
    host.has("3.10.8")
    assert main(["12", "13"]) == 0
    assert main(["12"]) == 0
    assert capsys.readouterr().out.splitlines() == ["13", ""]


def test_the_set_up_says_what_cannot_be_had(host: Host, capsys: pytest.CaptureFixture[str]) -> None:
    host.has("4.0.5")
    host.lets_nobody_mount()
    assert main([]) == 0
    printed = capsys.readouterr()
    assert printed.out == "\n"
    assert printed.err.startswith(
        "set-up: a target needs RabbitMQ 3, as in Debian 12; this machine has 4.0.5, and a"
    )


def test_debians_that_are_not_known_are_refused(
    host: Host, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    host.has("3.10.8")
    assert main(["11"]) == 2
    monkeypatch.setenv(NEWER, "12")
    assert main(["13"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "--brokers: '11': name releases of Debian: 12 or 13",
        f"environment: {NEWER}: '12': name a release of Debian: 13 or testing",
    ]
