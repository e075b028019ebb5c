"""SeamsTextSplitter."""

from __future__ import annotations

import uuid

import pytest
from langchain_core.documents import Document

from seams_core.tokens import as_measure
from seams_langchain import SeamsTextSplitter

TEXT = "One idea begins here. It goes on, and ends over there.\n\n" * 60


def test_chunks_are_lossless_stable_and_say_where_they_are() -> None:
    document = Document(page_content=TEXT, metadata={"source": "f.txt", "nested": {"a": [1]}})
    chunks = SeamsTextSplitter(chunk_size=64).split_documents([document])
    assert "".join(c.page_content for c in chunks) == TEXT
    for number, chunk in enumerate(chunks):
        meta = chunk.metadata
        assert TEXT[meta["start_index"] : meta["end_index"]] == chunk.page_content
        assert meta["chunk_index"] == number
        assert meta["document_id"] == meta["source"] == "f.txt"
        assert uuid.UUID(chunk.id)
    chunks[0].metadata["nested"]["a"].append(2)
    assert document.metadata == {"source": "f.txt", "nested": {"a": [1]}}
    again = SeamsTextSplitter(chunk_size=64).split_documents([document])
    assert [c.id for c in again] == [c.id for c in chunks]


async def test_every_form_gives_the_same_chunks() -> None:
    splitter = SeamsTextSplitter(chunk_size=64)
    document = Document(page_content=TEXT, metadata={"source": "f"})
    chunks = splitter.split_documents([document])
    assert splitter.split_text(TEXT) == [c.page_content for c in chunks]
    assert splitter.create_documents([TEXT], [{"source": "f"}]) == chunks
    assert splitter.transform_documents([document]) == chunks
    assert await splitter.atransform_documents([document]) == chunks
    (alone,) = splitter.create_documents(["short"])
    assert uuid.UUID(alone.metadata["document_id"])


def test_from_tiktoken_encoder() -> None:
    text = "word " * 500
    for splitter in (
        SeamsTextSplitter.from_tiktoken_encoder("o200k_base", chunk_size=50),
        SeamsTextSplitter.from_tiktoken_encoder(model_name="gpt-4o", chunk_size=50),
    ):
        counts = [as_measure("o200k_base").count(t) for t in splitter.split_text(text)]
        assert set(counts[:-1]) == {50}
    assert SeamsTextSplitter.from_tiktoken_encoder().split_text("<|endoftext|>")


def test_a_length_function_can_be_the_tokenizer() -> None:
    splitter = SeamsTextSplitter(chunk_size=10, length_function=len)
    assert {len(t) for t in splitter.split_text("a" * 95)} == {10, 5}


def test_pages_of_one_source_keep_their_order_and_run_on() -> None:
    pages = [
        Document(page_content=f"Page {n} says this. " * 30, metadata={"source": "f.pdf", "page": n})
        for n in range(3)
    ]
    chunks = SeamsTextSplitter(chunk_size=64).split_documents(pages)
    assert [c.metadata["chunk_index"] for c in chunks] == list(range(len(chunks)))
    assert {c.metadata["document_id"] for c in chunks} == {"f.pdf"}
    for chunk in chunks:
        text = pages[chunk.metadata["page"]].page_content
        start, end = chunk.metadata["start_index"], chunk.metadata["end_index"]
        assert text[start:end] == chunk.page_content


def test_equal_parts_of_one_source_get_ids_of_their_own() -> None:
    for metadata in ({"source": "f"}, {"source": "f", "page": 1}):
        parts = [Document(page_content="the same", metadata=metadata) for _ in range(3)]
        chunks = SeamsTextSplitter().split_documents(parts)
        assert len({c.id for c in chunks}) == 3


def test_ids_tell_documents_of_one_source_apart() -> None:
    documents = [
        Document(id=str(n), page_content="the same", metadata={"source": "f"}) for n in range(2)
    ]
    chunks = SeamsTextSplitter().split_documents(documents)
    assert [c.metadata["document_id"] for c in chunks] == ["0", "1"]


def test_rows_of_a_table_are_documents_of_their_own() -> None:
    rows = [Document(page_content="r", metadata={"source": "t.csv", "row": n}) for n in range(2)]
    ids = [c.metadata["document_id"] for c in SeamsTextSplitter().split_documents(rows)]
    assert ids == ["t.csv#0", "t.csv#1"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"chunk_overlap": 100}, r"chunk_overlap=100 is not allowed: give 0.*disjoint"),
        ({"chunk_size": 0}, r"chunk_size=0 is not allowed"),
        ({"tokenizer": 7}, r"tokenizer=7"),
    ],
)
def test_wrong_settings_are_refused(settings, message) -> None:
    with pytest.raises(ValueError, match=message):
        SeamsTextSplitter(**settings)
    with pytest.raises(TypeError, match="strip_whitespace"):
        SeamsTextSplitter(strip_whitespace=True)
    with pytest.raises(ValueError, match="metadatas has 1 entries for 2 texts"):
        SeamsTextSplitter().create_documents(["a", "b"], [{}])
