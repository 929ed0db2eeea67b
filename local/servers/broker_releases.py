"""RabbitMQ of several releases on one machine: the package that is installed, and those of other Debians.

The latter are in private roots, which ``setup/broker_roots.sh`` makes. A command in one runs in a mount
namespace of its own, as the same process and in the same network.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from breakeven.errors import BreakevenError, InputError
from breakeven.targets.catalog import clusters, record_of
from breakeven.targets.rabbitmq.rabbitmq_releases import is_too_old, oldest
from breakeven.terms import Debian

#: in every Debian
SERVER = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
CONTROL = SERVER.with_name("rabbitmqctl")
RELEASES = Path("/usr/lib/rabbitmq/lib")
REMEDY = "install it (apt-get install rabbitmq-server), or name running brokers with --rabbitmq-url"
#: the first number of RabbitMQ's release
SERIES: dict[Debian, int] = {"12": 3, "13": 4}
#: names the Debian that RabbitMQ 4 is taken from
NEWER = "BREAKEVEN_RABBITMQ_4"
ROOTS = Path(__file__).parents[2] / ".cache" / "brokers"
ENTER = Path(__file__).with_name("enter_root.sh")
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
#: as root, and as anybody whom the kernel lets have a namespace
NAMESPACES = (["unshare", "--mount"], ["unshare", "--user", "--map-root-user", "--mount"])


class Release(ABC):
    """RabbitMQ as one Debian has it. Commands use one folder, at the same path wherever they run."""

    @property
    @abstractmethod
    def version(self) -> str | None:
        """RabbitMQ's; None where it is not there."""

    @abstractmethod
    def command(self, folder: Path, *argv: str) -> list[str]:
        """What to start for a command that uses that folder.

        :raises BreakevenError: RabbitMQ is not there
        """

    def server(self, folder: Path) -> list[str]:
        """What to start for a node, as ``command``."""
        return self.command(folder, str(SERVER))


class Installed(Release):
    """RabbitMQ as this machine's own package has it."""

    @property
    def version(self) -> str | None:
        return _version(RELEASES) if SERVER.exists() else None

    def command(self, folder: Path, *argv: str) -> list[str]:
        if not SERVER.exists() or shutil.which("epmd") is None:
            raise BreakevenError(f"RabbitMQ is not installed ({SERVER}): {REMEDY}")
        return list(argv)


class PrivateRoot(Release):
    """RabbitMQ of another Debian, in a root of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def version(self) -> str | None:
        return _version(self._folder / "files" / RELEASES.relative_to("/"))

    def command(self, folder: Path, *argv: str) -> list[str]:
        namespace = _namespace()
        if self.version is None or namespace is None:
            raise BreakevenError(f"there is no RabbitMQ in {self._folder}: set it up with setup/setup.sh run")
        return [*namespace, str(ENTER), str(self._folder), str(folder), *argv]


OWN = Installed()


def release_for(debian: Debian) -> Release | None:
    """The RabbitMQ that brokers of that Debian are started from; None where there is none to be had.

    Without a root of its own RabbitMQ 4's part is taken by what this machine has: quorum queues are in both.
    """
    if _is_own(debian):
        return OWN
    private = PrivateRoot(ROOTS / f"debian-{_source(debian)}")
    if can_have_roots() or (private.version and _namespace()):
        return private
    if OWN.version is None:  # what is not installed yet may be of any release
        return OWN
    return OWN if SERIES[debian] > SERIES["12"] and not is_too_old(OWN.version) else None


def debians_of(targets: Iterable[str]) -> set[Debian]:
    """The Debians whose RabbitMQ the targets' brokers run."""
    return {nodes.debian for target in targets if (nodes := record_of(target).nodes)}


def release_of(target: str) -> Release:
    """The RabbitMQ of a target's brokers on this machine.

    :raises BreakevenError: there is none
    """
    nodes = record_of(target).nodes
    if nodes is None:
        return OWN
    found = release_for(nodes.debian)
    if found is None:
        raise BreakevenError(f"{target} {lack(nodes.debian)}")
    return found


def lack(debian: Debian) -> str | None:
    """Why that Debian's RabbitMQ is not to be had here, after the name of what needs it; None where it is."""
    if OWN.version is None or release_for(debian) not in (None, OWN) or _is_own(debian):
        return None
    wanted = f"{oldest()} or newer" if is_too_old(OWN.version) else f"{SERIES[debian]}"
    return (
        f"needs RabbitMQ {wanted}, as in Debian {_source(debian)}; this machine has {OWN.version}, "
        "and a private root can't be had: it takes root or user namespaces (unshare -U), and Debian's keys"
    )


def missing_roots(wanted: Iterable[Debian]) -> list[str]:
    """The Debians whose private root is wanted and can be made here, as ``setup/broker_roots.sh`` names them.

    :raises InputError: a setting names a Debian that is not known
    """
    if not can_have_roots():
        return []
    return [_source(debian) for debian in sorted(set(wanted)) if not _is_own(debian)]


def can_have_roots() -> bool:
    """Are there the means to make private roots here, and to enter them?"""
    return KEYRING.exists() and shutil.which("apt-get") is not None and _namespace() is not None


def _is_own(debian: Debian) -> bool:
    version = OWN.version
    if version is None or is_too_old(version):
        return False
    return _source(debian) == debian and _series(version) == SERIES[debian]


def _source(debian: Debian) -> str:
    """The Debian to take it from: another one where a setting says so."""
    if SERIES[debian] == SERIES["12"]:
        return debian
    chosen = os.environ.get(NEWER) or debian
    if chosen not in ("13", "testing"):
        raise InputError("environment", NEWER, chosen, "name a release of Debian: 13 or testing")
    return chosen


def _series(version: str) -> int:
    return int(version.partition(".")[0])


def _version(folder: Path) -> str | None:
    return next((path.name.partition("-")[2] for path in folder.glob("rabbitmq_server-*")), None)


@cache
def _namespace() -> list[str] | None:
    """How to get a mount namespace of one's own; None where this user or this machine may not."""
    for command in NAMESPACES:
        trial = [*command, "mount", "-t", "tmpfs", "trial", str(Path(__file__).parent)]
        if (
            shutil.which(command[0])
            and not subprocess.run(trial, capture_output=True, check=False).returncode
        ):
            return command
    return None


def main(wanted: list[str]) -> int:
    """Print the private roots that the set-up is to make for these Debians; for all targets unless given."""
    if unknown := [debian for debian in wanted if debian not in SERIES]:
        print(f"--brokers: {unknown[0]!r}: name releases of Debian: {' or '.join(SERIES)}", file=sys.stderr)
        return 2
    known = wanted or debians_of(clusters())
    debians = [debian for debian in SERIES if debian in known]
    try:
        for why in filter(None, map(lack, debians)):
            print(f"set-up: a target {why}", file=sys.stderr)
        print(*missing_roots(debians))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
