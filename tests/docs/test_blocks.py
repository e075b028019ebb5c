"""No block of the README, the guide or a docstring goes unexecuted, and a broken one fails."""

from __future__ import annotations

import re
import sys

import pytest

from tests.docs.blocks import ROOT, Block, all_blocks, in_module, in_page, run

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

BLOCKS = all_blocks()
PYTHON = [block for block in BLOCKS if block.language == "python"]
SHELL = [block for block in BLOCKS if block.language in ("sh", "bash")]
NOT_RUN = {"text"}  # what something prints


def test_every_language_is_one_that_is_run_checked_or_printed() -> None:
    assert {block.language for block in BLOCKS} <= {"python", "sh", "bash", *NOT_RUN}
    printed = [block for block in BLOCKS if block.language in NOT_RUN]
    assert not [b.name for b in printed if re.search(r"^(from|import) ", b.code, re.MULTILINE)]


def test_each_page_and_each_package_has_blocks() -> None:
    names = " ".join(block.name for block in PYTHON)
    for place in ("README.md:", "settings.md:", "seams_langchain.", "seams_llamaindex."):
        assert place in names


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.name)
def test_it_runs(block: Block, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(block)


@pytest.mark.parametrize("block", SHELL, ids=lambda block: block.name)
def test_its_commands_are_there(block: Block) -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for line in filter(None, (re.sub(r"\s+#.*", "", s).strip() for s in block.code.splitlines())):
        command, _, rest = line.partition(" ")
        if command == "make":
            assert rest.split()[0] in targets, line
        elif command == "pip":
            extras = re.findall(rf"{project['name']}\[([\w,]+)\]", rest)
            wanted = {name for group in extras for name in group.split(",")}
            assert wanted <= set(project["optional-dependencies"]), line
        elif command == "python" and rest.startswith("-m "):
            module = rest.split()[1].replace(".", "/")
            assert (ROOT / f"{module}.py").exists() or (ROOT / module / "__main__.py").exists()
        elif command == "python":
            assert (ROOT / rest.split()[0]).is_file(), line
        else:
            assert command in project.get("scripts", {}), line


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.name)
def test_a_misspelt_name_in_it_fails(block: Block) -> None:
    """What breaks when a public name changes: every block uses one."""
    (name, *_) = re.findall(r"\b(?:[Ss]eams?\w*|select_chunks|retriever)\b(?!_)", block.code)
    broken = re.sub(rf"\b{name}\b", f"{name}_renamed_away", block.code, count=1)
    if f"{name}_renamed_away =" in broken:  # an assignment alone breaks nothing
        broken = broken.replace(f"{name}_renamed_away =", f"del {name}_renamed_away;", 1)
    with pytest.raises((NameError, ImportError, AttributeError, TypeError)):
        run(block._replace(code=broken))


def test_a_broken_block_of_a_new_page_or_docstring_is_found_and_fails(tmp_path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# New\n\n```python\nfrom seams_core import no_such_name\n```\n")
    (block,) = in_page(page)
    with pytest.raises(ImportError, match="no_such_name"):
        run(block)
    module = ROOT / "seams_langchain" / "index.py"
    (block,) = in_module(module)
    with pytest.raises(TypeError, match="no_such_setting"):
        run(
            block._replace(
                code=block.code.replace("(chunk_store)", "(chunk_store, no_such_setting=1)")
            )
        )
