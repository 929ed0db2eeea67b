"""What functions load from shared objects is for their processor and their C library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection

from breakeven.clients.core.loading import compiled_path
from breakeven.report.render.bundle import BUNDLE
from infra import code
from infra.code import ARCHITECTURE, PipBundling

FUNCTIONS = Path(__file__).parents[3] / "functions"
#: Lambda's Python 3.13 runs on Amazon Linux 2023
GLIBC = (2, 34)
MACHINES = {"arm64": "EM_AARCH64", "x86_64": "EM_X86_64"}


@pytest.fixture(scope="module")
def layer(tmp_path_factory) -> Path:
    """The packages of the lock file, as a deployment resolves them."""
    folder = tmp_path_factory.mktemp("layer")
    assert PipBundling().try_bundle(str(folder))
    return folder


def shared_objects(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]


def glibc_wanted(elf: ELFFile) -> Iterator[tuple[int, ...]]:
    for section in elf.iter_sections():
        if isinstance(section, GNUVerNeedSection):
            for _, symbols in section.iter_versions():
                for symbol in symbols:
                    if symbol.name.startswith("GLIBC_"):
                        yield tuple(map(int, symbol.name.removeprefix("GLIBC_").split(".")))


def assert_fits(path: Path, machine: str) -> None:
    with path.open("rb") as file:
        elf = ELFFile(file)
        assert elf["e_machine"] == MACHINES[machine], path.name
        assert max(glibc_wanted(elf), default=(0,)) <= GLIBC, path.name


@pytest.mark.installed
def test_packages_are_for_the_functions_processor_and_c_library(layer):
    found = shared_objects(layer)
    assert {path.relative_to(layer / "python").parts[0] for path in found} >= {"numpy", "pydantic_core"}
    for path in found:
        assert_fits(path, ARCHITECTURE.name)


@pytest.mark.parametrize(("machine", "name"), [("aarch64", "arm64"), ("x86_64", "x86_64")])
def test_the_core_is_for_its_processor_and_c_library(machine, name):
    assert_fits(compiled_path(machine), name)


@pytest.mark.installed
@pytest.mark.installed
def test_code_and_layer_fit_into_a_function_unzipped(layer):
    """Lambda guide, "Lambda quotas": deployment package, 250 MB with its layers."""
    ours = sum(path.stat().st_size for path in FUNCTIONS.rglob("*") if path.is_file())
    packages = sum(path.stat().st_size for path in layer.rglob("*") if path.is_file())
    assert packages > 50 * 1024**2, "they are there"
    assert ours + packages <= 250 * 1024**2


@pytest.mark.parametrize("content", [None, b""])
def test_nothing_is_deployed_without_the_pages_script(monkeypatch, tmp_path, content):
    bundle = tmp_path / "page.js"
    if content is not None:
        bundle.write_bytes(content)
    monkeypatch.setattr(code, "BUNDLE", bundle)
    with pytest.raises(RuntimeError, match=r"page is not bundled, .*page\.js: run setup/setup\.sh deploy"):
        code.assemble(tmp_path / "asset")
    assert not (tmp_path / "asset").exists()


def test_what_is_deployed_has_the_pages_script(tmp_path):
    code.assemble(tmp_path)
    deployed = tmp_path / "breakeven" / "report" / "render" / "compiled" / "page.js"
    assert deployed.read_bytes() == BUNDLE.read_bytes()
    assert len(deployed.read_bytes()) > 10_000


def test_an_object_for_another_processor_is_found():
    with pytest.raises(AssertionError):
        assert_fits(compiled_path("aarch64"), "x86_64")
