"""The set-up of the check on Trino: fetches once, uses nothing that is not what was pinned."""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.support.setup_machine import MAVEN_OF_ARCHIVES, PYTHON, ROOT, Machine

CORE, HIVE = "trino-server-core-476.tar.gz", "trino-hive-476.zip"
NOTHING = "nothing to do"

# Archives are unpacked for good; packages leave a file.
TRINO_PYTHON = f"""
case "$*" in
  "-m zipfile"*) exec {sys.executable} "$@" ;;
  *--target*) words=$*; folder="${{words#*--target }}"; mkdir -p "${{folder%% *}}" ;;
esac
{PYTHON}
"""


class TrinoMachine:
    """A machine on which Maven brings two small archives, laid out as Trino's are."""

    def __init__(self, folder: Path) -> None:
        self.machine = Machine(folder)
        self.home = self.machine.root / ".cache" / "trino"
        self._archives = folder / "archives"
        self._archives.mkdir()
        with tarfile.open(self._archives / CORE, "w:gz") as tar:
            for name in ("lib/server.jar", "plugin/geospatial/geo.jar", "bin/launcher"):
                tar.addfile(tarfile.TarInfo(f"trino-server-core-476/{name}"), io.BytesIO())
        with zipfile.ZipFile(self._archives / HIVE, "w") as archive:
            archive.writestr("trino-hive-476/hive.jar", "")
        sums = [f"{hashlib.sha256(f.read_bytes()).hexdigest()}  {f.name}\n" for f in self._archives.iterdir()]
        (self.machine.root / "setup" / "trino" / "archives.sha256").write_text("".join(sums))
        for name in ("tar", "gzip"):
            (folder / "bin" / name).symlink_to(shutil.which(name) or "missing")
        self.machine.stub("python3", TRINO_PYTHON)
        self.machine.stub("mvn", MAVEN_OF_ARCHIVES)

    def set_up(self, *arguments: str, **environment: str) -> tuple[int, str]:
        """The exit code, and what it said."""
        result = self.machine.run("trino.sh", *arguments, ARCHIVES=str(self._archives), **environment)
        return result.returncode, result.stderr

    @property
    def files(self) -> set[str]:
        return {str(p.relative_to(self.home)) for p in self.home.rglob("*.jar")}


@pytest.fixture
def trino(tmp_path: Path) -> TrinoMachine:
    return TrinoMachine(tmp_path)


def test_it_is_fetched_and_unpacked_once(trino: TrinoMachine) -> None:
    code, said = trino.set_up()
    assert code == 0, said
    assert trino.files == {"server/lib/server.jar", "server/plugin/hive/hive.jar"}
    assert sum(call.startswith("mvn ") for call in trino.machine.calls) == 1
    (client,) = [call for call in trino.machine.calls if call.endswith("requirements/trino.lock")]
    assert "--require-hashes" in client
    assert f"--target {trino.home}/packages.new" in client
    assert sorted(p.name for p in trino.home.iterdir()) == ["packages", "server"]

    code, said = trino.set_up()
    assert (code, trino.machine.calls) == (0, [])
    assert NOTHING in said


@pytest.mark.parametrize("name", [CORE, HIVE])
def test_an_archive_that_is_not_the_one_pinned_is_not_used(trino: TrinoMachine, name: str) -> None:
    code, said = trino.set_up(OTHER=name)
    assert code == 1
    assert "setup/trino/archives.sha256" in said
    assert not trino.files
    assert trino.set_up()[0] == 0
    assert trino.files


def test_only_what_has_changed_is_made_again(trino: TrinoMachine) -> None:
    trino.set_up()
    with (trino.machine.root / "requirements" / "trino.lock").open("a") as lock:
        lock.write("# changed\n")
    trino.set_up()
    (call,) = trino.machine.calls
    assert call.endswith("requirements/trino.lock")
    with (trino.machine.root / "setup" / "trino" / "pom.xml").open("a") as pom:
        pom.write("<!-- changed -->\n")
    trino.set_up()
    (call,) = trino.machine.calls
    assert call.startswith("mvn ")
    assert trino.files == {"server/lib/server.jar", "server/plugin/hive/hive.jar"}


def test_maven_is_needed_only_to_fetch(trino: TrinoMachine) -> None:
    trino.machine.without("mvn")
    code, said = trino.set_up()
    assert code == 2
    assert f"\n    sudo {trino.machine.root}/setup/debian_packages.sh maven\n" in said
    trino.machine.stub("mvn", MAVEN_OF_ARCHIVES)
    trino.set_up()
    trino.machine.without("mvn")
    assert NOTHING in trino.set_up()[1]


def test_it_takes_no_argument(trino: TrinoMachine) -> None:
    code, said = trino.set_up("run")
    assert code == 2
    assert "no argument" in said


def test_the_archives_are_those_of_the_release_that_the_pom_names() -> None:
    setup = ROOT / "setup" / "trino"
    pom = ElementTree.parse(setup / "pom.xml")
    names = {"m": "http://maven.apache.org/POM/4.0.0"}
    release = pom.findtext("m:properties/m:trino.version", namespaces=names)
    items = pom.findall(".//m:artifactItem", names)
    wanted = {
        f"{i.findtext('m:artifactId', '', names)}-{release}.{i.findtext('m:type', '', names)}" for i in items
    }
    assert wanted == {CORE, HIVE}
    lines = (setup / "archives.sha256").read_text().splitlines()
    assert all(re.fullmatch(r"[0-9a-f]{64}  [\w.-]+", line) for line in lines)
    assert {line.split()[1] for line in lines} == wanted
    assert {i.findtext("m:version", "", names) for i in items} == {"${trino.version}"}
