"""Private roots with another Debian's RabbitMQ: made once, whole or not at all, by an apt of their own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.setup_machine import Machine

SERVER = "usr/lib/rabbitmq/lib/rabbitmq_server-4.0.5/plugins/rabbit"
#: knows one mirror; brings one package, which is an archive as dpkg-deb would hand it on
APT_GET = """
case $* in
  *download-only*)
    record
    [ -z "${OFFLINE:-}" ] || { echo "E: Unable to locate package rabbitmq-server"; exit 100; }
    cp "$APT_CONFIG" "$ARCHIVES/../conf"
    cp "${APT_CONFIG%/*}/sources" "$ARCHIVES/../sources"
    cp "$ARCHIVES"/* "${APT_CONFIG%/*}/archives" ;;
  update*) record ;;
  indextargets*) [ -n "${NO_MIRROR:-}" ] || echo "http://mirror.example/debian/ bookworm" ;;
esac
"""


class BrokerMachine:
    """A machine whose apt brings one package."""

    def __init__(self, folder: Path) -> None:
        self.machine, self._archives = Machine(folder), folder / "archives"
        self.home = self.machine.root / ".cache" / "brokers"
        files = folder / "package"
        (files / SERVER).parent.mkdir(parents=True)
        (files / SERVER).write_text("rabbit")
        (files / "usr/share/man").mkdir(parents=True)
        self._archives.mkdir()
        shutil.make_archive(str(self._archives / "package"), "tar", files)
        (self._archives / "package.tar").rename(self._archives / "rabbitmq-server.deb")
        for name in ("tar",):
            (folder / "bin" / name).symlink_to(shutil.which(name) or "missing")
        (folder / "bin" / "ln").symlink_to(shutil.which("ln") or "missing")
        self.machine.stub("apt-get", APT_GET)
        self.machine.stub("apt-config", """echo 'Acquire::http::Proxy "http://proxy:3128";'""")
        self.machine.stub("dpkg", "echo amd64")
        self.machine.stub("dpkg-deb", 'cat "$2"')
        self.conf = folder / "conf"

    def make(self, *releases: str, **environment: str) -> tuple[int, str]:
        """The exit code, and what was said."""
        made = self.machine.run("broker_roots.sh", *releases, ARCHIVES=str(self._archives), **environment)
        return made.returncode, made.stderr

    def names(self) -> list[str]:
        return sorted(path.name for path in self.home.iterdir())


@pytest.fixture
def brokers(tmp_path: Path) -> BrokerMachine:
    return BrokerMachine(tmp_path)


def test_a_root_is_made_once(brokers: BrokerMachine) -> None:
    code, said = brokers.make("13")
    assert code == 0, said
    assert said == (
        "set-up: fetching RabbitMQ of Debian 13, 50 MB with its Erlang, into .cache/brokers "
        "from http://mirror.example/debian/\n"
    )
    files = brokers.home / "debian-13" / "files"
    assert (files / SERVER).read_text() == "rabbit"
    assert (files / "bin").readlink() == Path("usr/bin")
    assert not (files / "usr/share/man").exists()
    assert brokers.names() == ["debian-13"]
    assert brokers.make("13") == (0, "")
    assert brokers.machine.calls == []


def test_apt_is_one_of_its_own_that_reaches_its_mirrors_as_the_machines_does(brokers: BrokerMachine) -> None:
    brokers.make("testing")
    lines = brokers.conf.read_text().splitlines()
    folder = brokers.home / "debian-testing.apt"
    assert 'Acquire::http::Proxy "http://proxy:3128";' in lines
    assert f'Dir::State "{folder}";' in lines
    assert f'Dir::Etc::sourcelist "{folder}/sources";' in lines
    assert f'Dir::Etc::sourceparts "{folder}/none";' in lines
    sites = [
        line.split("] ")[1].split()[0] for line in (brokers.conf.parent / "sources").read_text().splitlines()
    ]
    assert sites == [*["http://mirror.example/debian/"] * 2, "http://mirror.example/debian-security"]


def test_where_apt_knows_no_mirror_the_remedy_is_said_and_nothing_is_left(brokers: BrokerMachine) -> None:
    code, said = brokers.make("13", NO_MIRROR="yes")
    assert (code, brokers.names()) == (2, [])
    assert "apt names no mirror of Debian here: add one to /etc/apt/sources.list" in said


def test_what_cannot_be_fetched_leaves_nothing_and_says_what_to_do(brokers: BrokerMachine) -> None:
    code, said = brokers.make("13", OFFLINE="yes")
    assert code == 1
    assert "E: Unable to locate package rabbitmq-server" in said
    assert "RabbitMQ of Debian 13 could not be fetched: is the network there?" in said
    assert "--rabbitmq-url" in said
    assert not (brokers.home / "debian-13").exists()
    assert brokers.make("13")[0] == 0
    assert brokers.names() == ["debian-13"]


def test_a_half_made_root_is_never_used(brokers: BrokerMachine) -> None:
    half = brokers.home / "debian-13.new" / "files"
    half.mkdir(parents=True)
    (half / "left").touch()
    brokers.make("13")
    assert not (brokers.home / "debian-13" / "files" / "left").exists()


def test_packages_without_a_server_are_no_root(brokers: BrokerMachine, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    archive = shutil.make_archive(str(tmp_path / "empty"), "tar", tmp_path / "empty")
    Path(archive).rename(tmp_path / "archives" / "rabbitmq-server.deb")
    code, said = brokers.make("13")
    assert code == 1
    assert "there is no RabbitMQ among the packages of Debian 13" in said
    assert not (brokers.home / "debian-13").exists()


def test_another_way_of_making_it_makes_it_anew(brokers: BrokerMachine) -> None:
    brokers.make("13")
    with (brokers.machine.root / "setup" / "debian.sh").open("a") as script:
        script.write("# changed\n")
    brokers.make("13")
    assert any("download-only" in call for call in brokers.machine.calls)


@pytest.mark.parametrize(
    ("releases", "said"), [(("11",), "unknown release of Debian: 11"), ((), "say which")]
)
def test_a_release_that_is_not_known_is_refused(
    brokers: BrokerMachine, releases: tuple[str, ...], said: str
) -> None:
    code, words = brokers.make(*releases)
    assert code == 2
    assert said in words
    assert brokers.machine.calls == []


@pytest.mark.parametrize(
    ("wanted", "made"), [("13\n", ["debian-13"]), ("12 13\n", ["debian-12", "debian-13"])]
)
def test_a_run_has_the_roots_that_its_own_code_asks_for(
    brokers: BrokerMachine, wanted: str, made: list[str], tmp_path: Path
) -> None:
    server = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
    assert server.exists(), "the set-up of the tests installs it"
    python = (tmp_path / "bin" / "python3").read_text()
    asked = f'case "$*" in "-m local.servers.broker_releases 12 13") printf "{wanted}"; exit ;; esac\n'
    head, _, rest = python.partition("\n")
    (tmp_path / "bin" / "python3").write_text(f"{head}\n{asked}{rest}")
    environment = {"ARCHIVES": str(tmp_path / "archives"), "BREAKEVEN_SKIP": "elasticmq"}
    done = brokers.machine.run("setup.sh", "run", "--brokers=12,13", **environment)
    assert done.returncode == 0, done.stderr
    assert brokers.names() == made
