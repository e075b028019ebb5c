"""The wheel, as a user gets it: what it carries, and that it works where nothing else is."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from email.parser import BytesParser

import pytest

from seams_core import __version__
from tests.packaging.wheels import EXTRAS, ROOT, SMOKE, build, environment, smoke

PACKAGES = ("seams_core", "seams_langchain", "seams_llamaindex")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def wheel(built):
    return built[0]


@pytest.mark.slow
def test_it_carries_every_module_of_the_three_packages_and_nothing_else(wheel) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    carried = {name for name in names if ".dist-info/" not in name}
    kept = {p for p in PACKAGES for p in (ROOT / p).rglob("*") if "__pycache__" not in p.parts}
    assert carried == {str(p.relative_to(ROOT)) for p in kept if p.is_file()}
    assert {f"{package}/py.typed" for package in PACKAGES} <= carried
    assert any(name.endswith("licenses/LICENSE") for name in names)


def needs(metadata, extra: str) -> set[str]:
    """What an extra brings, as the metadata say it."""
    parts = (r.split(";") for r in metadata.get_all("Requires-Dist") if ";" in r)
    return {what.strip() for what, when in parts if f"extra == '{extra}'" in when}


@pytest.mark.slow
def test_its_metadata_names_every_extra(wheel) -> None:
    archive = zipfile.ZipFile(wheel)
    (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
    metadata = BytesParser().parsebytes(archive.read(name))
    assert metadata["Version"] == __version__
    assert metadata["License-Expression"] == "MIT"
    extras = set(metadata.get_all("Provides-Extra"))
    assert set(EXTRAS) - {"bare"} <= extras
    # Without an extra neither a framework nor a store comes.
    plain = [r for r in metadata.get_all("Requires-Dist") if "extra ==" not in r]
    assert not [r for r in plain if r.startswith(("langchain", "llama", "chroma"))]
    wanted = {extra: needs(metadata, extra) for extra in EXTRAS if extra != "bare"}
    together = wanted.pop("all")
    assert together == set().union(*wanted.values())
    assert all(wanted.values())


@pytest.mark.slow
def test_the_source_archive_can_be_tested(built) -> None:
    with tarfile.open(built[1]) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {"tests/conftest.py", "README.md", "LICENSE", "CHANGELOG.md", "Makefile"} <= names


@pytest.mark.slow
def test_alone_it_works_and_each_adapter_names_its_extra(wheel, tmp_path) -> None:
    inside = environment(tmp_path / "bare", sys.executable, wheel, "bare")
    said = smoke(inside, "bare", tmp_path)
    assert "seams_langchain needs LangChain" in said
    assert "seams_llamaindex needs LlamaIndex" in said


def test_every_extra_has_its_smoke_test() -> None:
    found = {path.stem.removeprefix("with_") for path in SMOKE.glob("*.py")}
    assert found == set(EXTRAS)
