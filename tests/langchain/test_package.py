"""What the package hands on, and what it says without LangChain."""

from __future__ import annotations

import subprocess
import sys

import pytest

import seams_langchain

PUBLIC = {
    "SeamIndex",
    "SeamsMultiVectorRetriever",
    "SeamsRetriever",
    "SeamsTextSplitter",
    "register_store",
    "resolve_store",
}


def test_every_public_name_is_there_and_no_other() -> None:
    assert set(seams_langchain.__all__) == PUBLIC
    assert all(hasattr(seams_langchain, name) for name in PUBLIC)


def run(code: str) -> subprocess.CompletedProcess[str]:
    path = f"import sys; sys.path[:0] = {[p for p in sys.path if p]!r}\n"
    return subprocess.run([sys.executable, "-c", path + code], capture_output=True, text=True)


@pytest.mark.parametrize("missing", ["langchain_core", "langchain_text_splitters"])
def test_a_missing_langchain_names_the_extra(missing) -> None:
    done = run(f"sys.modules[{missing!r}] = None\nimport seams_langchain")
    assert done.returncode != 0
    assert "ImportError: seams_langchain needs LangChain" in done.stderr.splitlines()[-1]
    assert 'pip install "chunk-seams[langchain]"' in done.stderr.splitlines()[-1]


def test_only_its_hard_dependencies_are_imported() -> None:
    optional = ("langchain_classic", "langchain_community", "langchain_chroma", "chromadb")
    optional += ("langchain_qdrant", "qdrant_client", "langchain_milvus", "pymilvus", "langchain")
    code = f"import seams_langchain\nprint([m for m in {optional!r} if m in sys.modules])"
    done = run(code)
    assert done.stdout == "[]\n", done.stderr


def test_the_core_imports_no_framework_and_no_store() -> None:
    code = "import seams_core\nprint(sorted({m.split('.')[0] for m in sys.modules}))"
    names = set(eval(run(code).stdout))
    assert "seams_core" in names
    assert not {n for n in names if n.startswith(("langchain", "llama_index", "chromadb"))}
