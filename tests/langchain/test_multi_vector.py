"""SeamsMultiVectorRetriever beside existing multi-vector set-ups."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from langchain_classic.retrievers import MultiVectorRetriever, ParentDocumentRetriever
from langchain_classic.storage import LocalFileStore, create_kv_docstore
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_tests.integration_tests import RetrieversIntegrationTests
from langchain_text_splitters import RecursiveCharacterTextSplitter

from seams_core.errors import MissingKeyError, StoreError
from seams_langchain import SeamsMultiVectorRetriever, SeamsTextSplitter
from tests.langchain.models import KINDS, empty_store, long_documents


def multi_vector(store, docstore=None) -> MultiVectorRetriever:
    """Parents of 128 tokens; each sentence is a unit that names its parent."""
    docstore = docstore or InMemoryStore()
    parents = SeamsTextSplitter(chunk_size=128).split_documents(long_documents())
    units = [
        Document(page_content=text, metadata={"doc_id": p.id, "tag": p.metadata["tag"]})
        for p in parents
        for text in p.page_content.split(". ")
        if text
    ]
    ids = [f"00000000-0000-0000-0000-{n:012d}" for n in range(len(units))]
    store.add_documents(units, ids=ids)
    docstore.mset([(p.id, p.model_copy(update={"id": None})) for p in parents])
    return MultiVectorRetriever(vectorstore=store, docstore=docstore, id_key="doc_id")


@pytest.fixture(params=KINDS)
def old(request, tmp_path) -> MultiVectorRetriever:
    return multi_vector(empty_store(request.param, tmp_path))


def test_seams_are_added_beside_and_the_old_retriever_is_unchanged(old) -> None:
    before = [old.invoke(f"stale reads w{n}") for n in range(0, 100, 9)]
    embedded = old.vectorstore.embeddings.documents
    parents = len(list(old.docstore.yield_keys()))
    retriever = SeamsMultiVectorRetriever.attach(old, k=5, margin=0)
    assert old.vectorstore.embeddings.documents - embedded == parents - 3
    assert [old.invoke(f"stale reads w{n}") for n in range(0, 100, 9)] == before
    assert retriever.index.sync().added == 0
    assert retriever.index.status() == (parents, parents - 3, 0)


async def test_it_returns_k_parents_with_their_own_text(old) -> None:
    retriever = SeamsMultiVectorRetriever.attach(old, k=5, margin=0)
    keys = set(old.docstore.yield_keys())
    brought = 0
    for number in range(0, 150, 7):
        found = retriever.invoke(f"stale reads w{number} d{number % 3}")
        assert len({d.id for d in found}) == 5
        assert {d.id for d in found} <= keys
        for document in found:
            (parent,) = old.docstore.mget([document.id])
            assert document.page_content == parent.page_content
            brought += "seams_seam_id" in document.metadata
        assert await retriever.ainvoke(f"stale reads w{number} d{number % 3}") == found
    assert brought
    assert {d.id for d in retriever.invoke("stale", k=10_000)} == keys


def test_parents_rank_by_their_best_unit(old) -> None:
    retriever = SeamsMultiVectorRetriever.attach(
        old, k=5, margin=float("inf"), index_settings={"keywords": False}
    )
    question = "stale reads w30 d0"
    best: dict[str, float] = {}
    vector = old.vectorstore.embeddings.inner.one(question)
    for page in retriever.index.core.chunk_store._units.pages(500):
        for unit in page:
            score = float(vector @ old.vectorstore.embeddings.inner.one(unit.text))
            parent = unit.metadata["doc_id"]
            best[parent] = max(best.get(parent, 0.0), round(score, 5))
    scores = [best[d.id] for d in retriever.invoke(question)]
    assert scores == sorted(best.values(), reverse=True)[:5]


def test_r12_the_filter_of_the_units_holds_for_parents_that_a_seam_brings(tmp_path) -> None:
    old = multi_vector(empty_store("chroma", tmp_path))
    old.search_kwargs = {"filter": {"tag": {"$ne": "a"}}}
    retriever = SeamsMultiVectorRetriever.attach(old, k=50, margin=0)
    for number in range(0, 150, 10):
        found = retriever.invoke(f"stale reads w{number} d0")
        assert found
        assert {d.metadata["tag"] for d in found} <= {"b", "c"}
    only = retriever.invoke("stale", filter={"tag": "a"})
    assert {d.metadata["tag"] for d in only} == {"a"}


def test_a_parent_document_retriever_whose_splitter_writes_positions(tmp_path) -> None:
    old = ParentDocumentRetriever(
        vectorstore=empty_store("chroma", tmp_path),
        docstore=create_kv_docstore(LocalFileStore(tmp_path / "parents")),
        child_splitter=RecursiveCharacterTextSplitter(chunk_size=120, chunk_overlap=0),
        parent_splitter=RecursiveCharacterTextSplitter(
            chunk_size=600, chunk_overlap=0, add_start_index=True
        ),
    )
    old.add_documents(long_documents())
    parents = len(list(old.docstore.yield_keys()))
    retriever = SeamsMultiVectorRetriever.attach(old, k=4)
    assert retriever.index.status() == (parents, parents - 3, 0)
    assert len(retriever.invoke("stale reads")) == 4
    gone = next(iter(old.docstore.yield_keys()))
    old.docstore.mdelete([gone])  # a missing parent must not make the answer shorter
    assert len(retriever.invoke("stale reads")) == 4
    assert gone not in {d.id for d in retriever.invoke("stale reads", k=500)}
    retriever.index.sync()
    assert retriever.index.status().stale == 0


def test_parents_without_a_position_say_what_to_pass(tmp_path) -> None:
    old = ParentDocumentRetriever(
        vectorstore=empty_store("memory"),
        docstore=InMemoryStore(),
        child_splitter=RecursiveCharacterTextSplitter(chunk_size=120, chunk_overlap=0),
        parent_splitter=RecursiveCharacterTextSplitter(chunk_size=600, chunk_overlap=0),
    )
    old.add_documents(long_documents())
    with pytest.raises(MissingKeyError, match="position_key="):
        SeamsMultiVectorRetriever.attach(old)


def test_what_is_no_such_set_up_is_refused() -> None:
    with pytest.raises(ValueError, match=r"has no docstore, id_key"):
        SeamsMultiVectorRetriever.attach(SimpleNamespace(vectorstore=None))
    old = multi_vector(empty_store("memory"))
    retriever = SeamsMultiVectorRetriever.attach(old)
    with pytest.raises(StoreError, match="only read"):
        retriever.index.core.chunk_store.put([], [])
    with pytest.raises(StoreError, match="only read"):
        retriever.index.core.chunk_store.drop([])
    old.docstore.mset([("odd", "a string")])
    with pytest.raises(StoreError, match="holds a str under 'odd'"):
        retriever.index.sync()


class TestStandard(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def _index(self) -> None:
        self.index = SeamsMultiVectorRetriever.attach(multi_vector(empty_store("memory"))).index

    @property
    def retriever_constructor(self) -> type[SeamsMultiVectorRetriever]:
        return SeamsMultiVectorRetriever

    @property
    def retriever_constructor_params(self) -> dict:
        return {"index": self.index}

    @property
    def retriever_query_example(self) -> str:
        return "stale reads"
