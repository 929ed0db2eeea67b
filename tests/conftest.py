"""Fixtures that several kinds of tests share."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from moto.core.base_backend import BaseBackend
from moto.s3.models import S3Backend

from local import descriptions, ports
from local.cdk.synth import Synthesis
from local.children import Children
from tests.support.commands import run_by_none
from tests.support.once_more import name_them
from tests.support.shared import FOLDER, made_once
from tests.support.workers import SharedServersScheduling

pytest_plugins = ["tests.support.servers"]

# the same examples each time: a change that passes here passes everywhere. Look for others now and then with
# `--hypothesis-profile default`. None is too slow: a worker that waits for its turn takes any time for one
settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")

# as the scripts and local runs have it, before anything imports the CDK: Node.js 20 and 18 are what we run on
os.environ.setdefault("JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION", "18,20")

descriptions.read_once()

# moto loads the module of S3's addresses anew for each call to it, for a variable that no test has
S3Backend._url_module = BaseBackend._url_module

ROOT = Path(__file__).parent.parent

# moto reads hundreds of machine images into each simulated EC2, of which ours needs one
os.environ.setdefault("MOTO_AMIS_PATH", str(ROOT / "tests" / "fixtures" / "machine_images.json"))


def pytest_configure() -> None:
    """Have a folder for what workers of this session share; the session's first process makes it.

    Nothing of what the collection imports is garbage, and to look for it takes a fifth of its time.
    """
    gc.disable()
    if FOLDER not in os.environ:
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="breakeven-tests-")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Before marks select any: a test that no command runs would go unseen."""
    if unrun := run_by_none(items):
        raise pytest.UsageError(f"no command of package.json runs these, by folder and marks: {unrun}")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    stats = terminalreporter.stats
    name_them(report.nodeid for what in ("failed", "error") for report in stats.get(what, []))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    return SharedServersScheduling(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_unconfigure() -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        shutil.rmtree(os.environ.pop(FOLDER), ignore_errors=True)


def pytest_collection_finish() -> None:
    """Look for garbage less often, and not among all that is there before the first test: that takes a tenth
    of the processor's time.
    """
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)
    gc.enable()
    # not before: pytest looks five times for what tests left, of which this is none
    atexit.register(gc.unfreeze)


@pytest.fixture(scope="session", autouse=True)
def own_ports() -> Iterator[None]:
    """Each worker has its own: those that a killed node gives back, no other's server takes meanwhile."""
    every, name = ports.PORT_RANGE, os.environ.get("PYTEST_XDIST_WORKER", "")
    with pytest.MonkeyPatch.context() as patch:
        if name:
            workers = int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
            patch.setattr(ports, "PORT_RANGE", every[int(name.removeprefix("gw")) % workers :: workers])
        yield


@pytest.fixture(scope="session", autouse=True)
def own_shared_memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Shared memory of this session's loaders: sessions side by side have cases of the same name."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("shared-memory")
        patch.setattr("breakeven.loadgen.record.shared_send_times.SHARED_MEMORY", folder)
        yield


@pytest.fixture(scope="session")
def python313() -> Path:
    """A Python 3.13, as Lambda's is, with what is deployed with the functions and nothing else.

    Our own code is on its path where ``PYTHONPATH`` names ``functions/``. What is missing is fetched first.
    """
    made = subprocess.run(
        [ROOT / "setup" / "python313.sh", "functions"], stdout=subprocess.PIPE, text=True, check=True
    )
    return Path(made.stdout.strip())


@pytest.fixture(params=["this Python", "3.13"])
def python(request: pytest.FixtureRequest) -> Path:
    """The one that the functions are deployed on, too."""
    if request.param == "this Python":
        return Path(sys.executable)
    found: Path = request.getfixturevalue("python313")
    return found


@pytest.fixture(scope="session")
def assembly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cloud assembly as a local run synthesizes it; nobody changes it. In a new clone it is the one that
    ``setup/checks.sh`` has made.
    """

    def synthesize(outdir: Path) -> None:
        before = os.umask(0o077)  # as on a machine that keeps files to their owner: see infra/code.py
        try:
            with Children() as children:
                Synthesis(children, outdir).result()
        finally:
            os.umask(before)

    return made_once(tmp_path_factory, "assembly", synthesize)
