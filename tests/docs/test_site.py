"""The site is built from the docstrings with warnings as errors, so what is broken fails."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import PACKAGES, ROOT

pytestmark = pytest.mark.slow


def build(root: Path, target: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True)


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    for name in (*PACKAGES, "docs", "cookbook", "benchmarks", "tests"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("mkdocs.yml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"):
        shutil.copy(ROOT / name, root / name)
    return root


def test_every_public_name_is_on_it(copy, tmp_path) -> None:
    done = build(copy, tmp_path)
    assert done.returncode == 0, done.stderr
    for package, page in zip(PACKAGES, ("core", "langchain", "llamaindex"), strict=True):
        shown = (tmp_path / page / "index.html").read_text(encoding="utf-8")
        names = set(__import__(package).__all__) - {"__version__"}
        # A function that bears its module's name stands under the module.
        anchors = {name: {f"{package}.{name}", f"{package}.{name}.{name}"} for name in names}
        assert {n for n, a in anchors.items() if not any(f'id="{i}"' in shown for i in a)} == set()
    page = (tmp_path / "langchain" / "index.html").read_text(encoding="utf-8")
    assert ":class:`" not in page
    assert "code-block" not in page


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("seams_langchain/index.py", "seams_core.build_seams`", "seams_core.no_such_name`"),
        ("seams_core/cutting.py", ":param chunk_size:", ":param no_such_parameter:"),
        ("README.md", "(docs/settings.md)", "(docs/no-such-page.md)"),
        ("docs/core.md", "::: seams_core.errors", "::: seams_core.no_such_module"),
    ],
)
def test_what_is_broken_fails(copy, tmp_path, file, old, new) -> None:
    path = copy / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    try:
        path.write_text(text.replace(old, new), encoding="utf-8")
        assert build(copy, tmp_path).returncode != 0
    finally:
        path.write_text(text, encoding="utf-8")
