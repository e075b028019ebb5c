"""Every Python block of the README, the guide and the docstrings, and what it may take as given."""

from __future__ import annotations

import ast
import importlib
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("seams_core", "seams_langchain", "seams_llamaindex")
TEXT = "The order service accepts stale reads. Billing records are never read stale. " * 300
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_DIRECTIVE = re.compile(r"^( *)\.\. code-block:: (\w+)\n\n((?:\1 +.*\n?|\n)+)", re.MULTILINE)


class Block(NamedTuple):
    """``name`` tells where it stands, ``package`` whose docstring it is in."""

    name: str
    language: str
    code: str
    package: str | None = None


def in_page(path: Path) -> Iterator[Block]:
    """The fenced blocks of a Markdown page, in order."""
    found = _FENCE.findall(path.read_text(encoding="utf-8"))
    for number, (language, code) in enumerate(found):
        yield Block(f"{path.name}:{number}", language, code)


def in_module(path: Path) -> Iterator[Block]:
    """The code blocks of a module's docstrings, in order."""
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, kinds):
            where = f"{module}.{getattr(node, 'name', '')}".strip(".")
            found = _DIRECTIVE.findall((ast.get_docstring(node) or "") + "\n")
            for number, (_, language, code) in enumerate(found):
                yield Block(f"{where}:{number}", language, textwrap.dedent(code), module)


def all_blocks() -> list[Block]:
    """All that a reader may copy."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    blocks = [block for page in pages for block in in_page(page)]
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            blocks += in_module(path)
    return blocks


def given() -> dict[str, Any]:
    """What the text around a block lets a reader have: documents, models, stores, indexes."""
    from langchain_classic.retrievers import MultiVectorRetriever
    from langchain_core.documents import Document
    from langchain_core.stores import InMemoryByteStore
    from langchain_core.vectorstores import InMemoryVectorStore
    from llama_index.core import Document as LlamaDocument
    from llama_index.core import VectorStoreIndex
    from llama_index.core.query_engine import RetrieverQueryEngine

    from seams_langchain import SeamsTextSplitter
    from seams_llamaindex import SeamsNodeParser
    from tests.langchain.models import CountingEmbeddings
    from tests.llamaindex.models import CountingEmbedding

    embeddings = CountingEmbeddings()
    documents = [Document(page_content=TEXT, metadata={"source": "design.md"})]
    chunks = SeamsTextSplitter(chunk_size=256).split_documents(documents)
    vectorstore = InMemoryVectorStore(embeddings)
    vectorstore.add_documents(chunks)
    units = InMemoryVectorStore(embeddings)
    parents = MultiVectorRetriever(
        vectorstore=units, byte_store=InMemoryByteStore(), id_key="parent"
    )
    parents.docstore.mset([(chunk.id, chunk) for chunk in chunks])
    units.add_documents(
        [Document(page_content=c.page_content[:200], metadata={"parent": c.id}) for c in chunks]
    )
    llama_documents = [LlamaDocument(text=TEXT, doc_id="design.md")]
    index = VectorStoreIndex.from_documents(
        llama_documents,
        transformations=[SeamsNodeParser(chunk_size=256)],
        embed_model=CountingEmbedding(),
    )
    return {
        "text": TEXT,
        "embeddings": embeddings,
        "documents": documents,
        "vectorstore": vectorstore,
        "chunk_store": vectorstore,
        "existing_multi_vector_retriever": parents,
        "llama_documents": llama_documents,
        "index": index,
        "VectorStoreIndex": VectorStoreIndex,
        "RetrieverQueryEngine": RetrieverQueryEngine,
    }


def run(block: Block) -> None:
    """Run a block as a reader would, with the names of its page or of its package."""
    names = given()
    llama = "llama_index" in block.code or (block.package or "").startswith("seams_llamaindex")
    if llama:
        names["documents"] = names["llama_documents"]
    if block.package:
        package = importlib.import_module(block.package.split(".")[0])
        names.update({name: getattr(package, name) for name in package.__all__})
    exec(compile(block.code, block.name, "exec"), names)
