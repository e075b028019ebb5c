"""SeamIndex beside indexes that plain LlamaIndex code made."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import pytest
from llama_index.core import (
    Document,
    MockEmbedding,
    StorageContext,
    SummaryIndex,
    VectorStoreIndex,
    load_index_from_storage,
)
from llama_index.core.ingestion import DocstoreStrategy, IngestionCache, IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import (
    ImageNode,
    IndexNode,
    MetadataMode,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.storage.docstore import SimpleDocumentStore

from seams_core.errors import ChunkOrderError, MissingKeyError, StoreError
from seams_llamaindex import SeamIndex, SeamsNodeParser
from seams_llamaindex.index import NAMESPACE
from tests.llamaindex.models import CountingEmbedding, build, chroma_store, long_documents


def seam_rows(seams: SeamIndex):
    return [row for page in seams.core.seam_store.pages(1000) for row in page]


def links(seams: SeamIndex) -> set[tuple[str, str]]:
    return {(r.metadata["left_chunk_id"], r.metadata["right_chunk_id"]) for r in seam_rows(seams)}


def neighbours(index: VectorStoreIndex) -> set[tuple[str, str]]:
    nodes = index.docstore.docs.values()
    return {(n.node_id, n.next_node.node_id) for n in nodes if n.next_node}


@pytest.fixture(params=["docstore", "chroma"])
def index(request, tmp_path) -> VectorStoreIndex:
    return build(path=tmp_path if request.param == "chroma" else None)


def test_attach_embeds_the_seams_and_nothing_else(index) -> None:
    before = len(index._embed_model.texts)
    seams = SeamIndex.attach(index)
    status = seams.status()
    assert len(index._embed_model.texts) - before == status.seams == status.chunks - 3 > 0
    again = seams.sync()
    assert (again.added, again.kept, again.deleted) == (0, status.seams, 0)
    assert len(index._embed_model.texts) - before == status.seams


def test_the_seams_are_those_between_neighbours() -> None:
    index = build()
    assert links(SeamIndex.attach(index)) == neighbours(index)


REOPENED = """
import json, sys
import chromadb
from llama_index.core import VectorStoreIndex
from llama_index.vector_stores.chroma import ChromaVectorStore
from seams_llamaindex import SeamIndex
from tests.llamaindex.models import CountingEmbedding

client = chromadb.PersistentClient(path=sys.argv[1])
store = ChromaVectorStore(chroma_collection=client.get_collection("docs"))
embedding = CountingEmbedding()
index = VectorStoreIndex.from_vector_store(store, embed_model=embedding)
report = SeamIndex.attach(index).sync()
print(json.dumps([len(embedding.texts), report.added, report.kept, report.chunks]))
"""


def test_reopened_from_chroma_in_a_new_process_it_embeds_exactly_the_seams(tmp_path) -> None:
    """Made by LlamaIndex's own splitter, known by its vector store alone."""
    splitter = SentenceSplitter(chunk_size=128, chunk_overlap=0)
    index = build(path=tmp_path, parser=splitter)
    chunks = index.vector_store.client.count()
    for embedded in (chunks - 3, 0):
        run = subprocess.run(
            [sys.executable, "-c", REOPENED, str(tmp_path)],
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(run.stdout) == [embedded, 0, chunks - 3, chunks]


def test_a_persisted_storage_context_keeps_the_seams(tmp_path) -> None:
    index = build(parser=SentenceSplitter(chunk_size=128, chunk_overlap=0))
    seams = SeamIndex.attach(index)
    index.storage_context.persist(tmp_path)
    embedding = CountingEmbedding()
    context = StorageContext.from_defaults(persist_dir=str(tmp_path))
    again = SeamIndex(load_index_from_storage(context, embed_model=embedding))
    assert again.status() == seams.status()
    assert again.sync().added == 0
    assert embedding.texts == []
    question = "stale reads w9"
    found = [n.node_id for n in again.as_retriever(similarity_top_k=5).retrieve(question)]
    assert found == [n.node_id for n in seams.as_retriever(similarity_top_k=5).retrieve(question)]


def test_overlapping_chunks_give_windows_without_repeated_text_and_a_word_about_it() -> None:
    parser = SentenceSplitter(chunk_size=128, chunk_overlap=40)
    index = build(parser=parser)
    seams = SeamIndex.attach(index)
    report = seams.sync()
    assert report.overlapping == report.kept
    assert report.overlap > 20
    assert "seams add little" in str(report)
    texts = {document.node_id: document.text for document in long_documents()}
    for row in seam_rows(seams):
        assert row.text in texts[row.metadata["document_id"]]


def test_seams_are_embedded_with_the_metadata_of_their_left_node() -> None:
    """As the nodes are, or their vectors would not be of one kind."""
    documents = [
        Document(
            id_="d",
            text="stale reads in outages. " * 100,
            metadata={"title": "Orders", "secret": "x"},
            excluded_embed_metadata_keys=["secret"],
            text_template="<{metadata_str}> {content} </>",
        )
    ]
    index = build(documents)
    nodes = list(index._embed_model.texts)
    seams = SeamIndex.attach(index)
    embedded = index._embed_model.texts[len(nodes) :]
    assert all(text.startswith("<title: Orders> ") and text.endswith(" </>") for text in nodes)
    assert sorted(embedded) == sorted(f"<title: Orders> {r.text} </>" for r in seam_rows(seams))
    assert not any("Orders" in row.text for row in seam_rows(seams))


def test_under_another_title_the_seams_are_embedded_anew() -> None:
    index = build(long_documents(1, title="Orders"))
    seams = SeamIndex.attach(index)
    for node in long_documents(1, title="Billing"):
        index.update_ref_doc(node)
    before = len(index._embed_model.texts)
    report = seams.sync()
    assert report.added == seams.status().seams
    assert report.deleted == 0
    assert all("Billing" in text for text in index._embed_model.texts[before:])


def test_insert_delete_and_refresh_leave_no_stale_seam_after_sync(index) -> None:
    seams = SeamIndex.attach(index)
    index.insert(Document(id_="new", text="A new page on stale reads. " * 100))
    report = seams.sync()
    assert report.added > 2
    assert seams.status().stale == 0
    index.delete_ref_doc("doc-0", delete_from_docstore=True)
    report = seams.sync()
    assert (report.added, seams.status().stale) == (0, 0)
    assert not [r for r in seam_rows(seams) if r.metadata["document_id"] == "doc-0"]
    changed = Document(id_="doc-1", text="Quite another page on lag. " * 100, metadata={"group": 1})
    if index.docstore.docs:  # where a vector store keeps the nodes, LlamaIndex knows no documents
        kept = long_documents()[2]
        assert index.refresh_ref_docs([changed, kept]) == [True, False]
    else:
        index.delete_ref_doc("doc-1")
        index.insert(changed)
    report = seams.sync()
    assert report.added > 0
    assert seams.status().stale == 0
    assert not [r for r in seam_rows(seams) if "d1." in r.text]


def test_a_pipeline_in_upsert_mode_replaces_chunks_and_then_seams(tmp_path) -> None:
    store, embedding = chroma_store(tmp_path), CountingEmbedding()
    pipeline = IngestionPipeline(
        transformations=[SeamsNodeParser(chunk_size=64), embedding],
        vector_store=store,
        cache=IngestionCache(),
        docstore=SimpleDocumentStore(),
        docstore_strategy=DocstoreStrategy.UPSERTS,
    )
    pipeline.run(documents=long_documents())
    seams = SeamIndex.attach(VectorStoreIndex.from_vector_store(store, embed_model=embedding))
    before = len(embedding.texts)
    pipeline.run(documents=long_documents())
    assert seams.sync().added == 0
    assert len(embedding.texts) == before
    changed = long_documents()
    changed[1] = Document(id_="doc-1", text="Quite another page on lag. " * 60)
    pipeline.run(documents=changed)
    assert seams.status().stale > 0
    report = seams.sync()
    assert report.added > 0
    assert report.deleted > 0
    assert seams.status().stale == 0
    texts = {node.text for node in SeamsNodeParser(chunk_size=64)(changed)}
    rows = [row for page in seams.core.chunk_store.pages(1000) for row in page]
    assert {row.text for row in rows} == texts


async def test_the_asynchronous_sync_leaves_the_loop_free() -> None:
    seams = SeamIndex(build(long_documents(6, 400)))
    turns = 0

    async def tick() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.001)

    ticking = asyncio.create_task(tick())
    report = await seams.async_sync()
    ticking.cancel()
    assert report.added > 0
    assert turns > 5


def test_progress_is_shown(capsys) -> None:
    SeamIndex.attach(build(), show_progress=True)
    assert "seams" in capsys.readouterr().err


def test_nodes_can_be_handed_in_for_a_store_that_can_not_list_them() -> None:
    index = build()
    nodes = list(index.docstore.docs.values())
    seams = SeamIndex(index)
    assert seams.sync(reversed(nodes)).added == len(neighbours(index))


# The order of nodes


def linked(texts: list[str], document: str = "d", offsets: bool = False) -> list[TextNode]:
    nodes = [TextNode(id_=f"{document}-{n}", text=text) for n, text in enumerate(texts)]
    for n, node in enumerate(nodes):
        node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=document)
        if n:
            node.relationships[NodeRelationship.PREVIOUS] = RelatedNodeInfo(
                node_id=nodes[n - 1].node_id
            )
        if n + 1 < len(nodes):
            node.relationships[NodeRelationship.NEXT] = RelatedNodeInfo(
                node_id=nodes[n + 1].node_id
            )
        if offsets:
            node.start_char_idx = sum(len(text) for text in texts[:n])
    return nodes


def attach_to(nodes) -> SeamIndex:
    return SeamIndex.attach(VectorStoreIndex(list(nodes), embed_model=CountingEmbedding()))


TEN = [f"Part {n} of the page on outages." for n in range(10)]


def test_order_by_relationships_alone() -> None:
    nodes = linked(TEN)
    seams = attach_to([nodes[n] for n in (3, 1, 4, 0, 5, 9, 2, 6, 8, 7)])
    assert links(seams) == {(f"d-{n}", f"d-{n + 1}") for n in range(9)}


def test_relationships_go_before_offsets_that_are_wrong() -> None:
    """Where text repeats, offsets found by looking for it are all those of the first place."""
    nodes = linked(["Same text. "] * 5)
    for node in nodes:
        node.start_char_idx = 0
    seams = attach_to(reversed(nodes))
    assert links(seams) == {(f"d-{n}", f"d-{n + 1}") for n in range(4)}
    assert all(row.text.count("Same") == 2 for row in seam_rows(seams))


def test_order_by_offsets_where_there_are_no_relationships() -> None:
    nodes = linked(TEN, offsets=True)
    for node in nodes:
        node.relationships = {NodeRelationship.SOURCE: node.relationships[NodeRelationship.SOURCE]}
    assert links(attach_to(reversed(nodes))) == {(f"d-{n}", f"d-{n + 1}") for n in range(9)}


def test_order_by_metadata_where_there_is_nothing_else() -> None:
    nodes = [
        TextNode(id_=f"d-{n}", text=text, metadata={"source": "d", "chunk_index": n})
        for n, text in enumerate(TEN)
    ]
    assert links(attach_to(reversed(nodes))) == {(f"d-{n}", f"d-{n + 1}") for n in range(9)}
    for node in nodes:
        node.metadata = {"book": "d", "folio": node.metadata["chunk_index"]}
    index = VectorStoreIndex(nodes, embed_model=CountingEmbedding())
    seams = SeamIndex.attach(index, document_key="book", position_key="folio")
    assert len(links(seams)) == 9


THEIR_OWN = [
    lambda n: {"page": "iv"},
    lambda n: {"page": -1},
    lambda n: {"page_number": ""},
    lambda n: {"page": 9 - n},
    lambda n: {"row": n},
    lambda n: {"seq_num": n},
    lambda n: {"chunk": "abc"},
    lambda n: {"index": f"idx-{n}"},
    lambda n: {"index": 9 - n},
    lambda n: {"start_index": 0},
    lambda n: {"source": [n]},
    lambda n: {"document_id": n},
    lambda n: {"previous_id": ["x"], "next_id": {"a": 1}},
    lambda n: {"previous_id": "d-0", "next_id": "d-7"},
]


@pytest.mark.parametrize("linked_up", [True, False], ids=["links", "offsets"])
@pytest.mark.parametrize("metadata", THEIR_OWN, ids=lambda made: str(made(3)))
def test_metadata_never_overrides_what_llamaindex_tells_of_the_order(linked_up, metadata) -> None:
    nodes = linked(TEN, offsets=not linked_up)
    for n, node in enumerate(nodes):
        node.metadata = metadata(n)
        if not linked_up:
            source = node.relationships[NodeRelationship.SOURCE]
            node.relationships = {NodeRelationship.SOURCE: source}
    assert links(attach_to(reversed(nodes))) == {(f"d-{n}", f"d-{n + 1}") for n in range(9)}


def test_metadata_gives_the_order_where_a_source_is_all_that_llamaindex_tells() -> None:
    for key in ("page", "start_index", "chunk_index"):
        nodes = [linked([text])[0] for text in TEN]
        for n, node in enumerate(nodes):
            node.id_, node.metadata = f"d-{n}", {key: n}
        assert links(attach_to(reversed(nodes))) == {(f"d-{n}", f"d-{n + 1}") for n in range(9)}


@pytest.mark.parametrize("lost", [NodeRelationship.PREVIOUS, NodeRelationship.NEXT])
def test_half_of_the_links_tell_the_order(lost) -> None:
    nodes = linked(TEN)
    for node in nodes:
        node.relationships.pop(lost, None)
    assert links(attach_to(reversed(nodes))) == {(f"d-{n}", f"d-{n + 1}") for n in range(9)}


def test_documents_of_one_node_need_no_order() -> None:
    """A splitter that changes text finds no offset, and there is nothing to link it to."""
    nodes = [linked(["stale reads"], f"one-{n}")[0] for n in range(3)]
    seams = attach_to([*nodes, *linked(TEN)])
    assert seams.status() == (13, 9, 0)
    assert len(seams.as_retriever(similarity_top_k=13).retrieve("stale reads")) == 13


@pytest.mark.parametrize("others", [[], TEN])
def test_nodes_of_a_document_that_tell_no_order_get_no_seam_by_chance(others) -> None:
    """Two that both could be first are refused, unless they are the same."""
    alone = [linked([text])[0] for text in ("one of two", "two of two")]
    for n, node in enumerate(alone):
        node.id_ = f"alone-{n}"
    if others:
        found = links(attach_to([*alone, *linked(others)]))
        assert found == {(f"d-{n}", f"d-{n + 1}") for n in range(9)}
    else:
        with pytest.raises(ChunkOrderError, match="position_key="):
            attach_to(alone)


def test_a_deleted_node_joins_those_beside_it() -> None:
    nodes = linked(TEN)
    del nodes[4]
    assert ("d-3", "d-5") in links(attach_to(nodes))


def test_two_deleted_in_a_row_leave_a_gap_without_a_seam_unless_offsets_tell() -> None:
    for offsets in (False, True):
        nodes = linked(TEN, offsets=offsets)
        del nodes[4:6]
        found = links(attach_to(reversed(nodes)))
        assert (("d-3", "d-6") in found) is offsets
        assert {("d-2", "d-3"), ("d-6", "d-7")} <= found


def test_what_tells_no_order_is_refused_with_what_to_do() -> None:
    nodes = [TextNode(text=text, metadata={"topic": "outages"}) for text in TEN]
    with pytest.raises(MissingKeyError, match=r"has the keys: topic.*document_key="):
        attach_to(nodes)


def test_index_and_image_nodes_among_them_are_searched_and_have_no_seams() -> None:
    table = IndexNode(id_="table", text="A table of outages by region", index_id="table")
    picture = ImageNode(
        id_="picture", image="aGk=", text="A picture of an outage", metadata={"page": 3}
    )
    seams = attach_to([*linked(TEN), table, picture])
    assert len(links(seams)) == 9
    found = seams.as_retriever(similarity_top_k=12).retrieve("table picture of an outage region")
    assert {"table", "picture"} <= {n.node_id for n in found}
    assert isinstance(next(n.node for n in found if n.node_id == "table"), IndexNode)


@pytest.mark.parametrize(
    "text", ["缓存会返回旧数据。", "قد تتأخر النسخ. ", "แคชส่งคืนข้อมูลเก่า "], ids=["zh", "ar", "th"]
)
def test_every_script(text) -> None:
    index = build([Document(id_="d", text=text * 200), Document(id_="one", text=text)])
    seams = SeamIndex.attach(index, language=None)
    assert links(seams) == neighbours(index)
    assert all(row.text in text * 200 for row in seam_rows(seams))
    assert seams.as_retriever(similarity_top_k=3).retrieve(text)


# Stores


def test_the_same_store_can_hold_both_in_chroma(tmp_path) -> None:
    index = build(path=tmp_path)
    chunks = index.vector_store.client.count()
    seams = SeamIndex.attach(index, index.vector_store)
    assert seams.status() == (chunks, chunks - 3, 0)
    assert index.vector_store.client.count() == 2 * chunks - 3
    own = {row.id for row in seam_rows(seams)}
    for found in seams.as_retriever(similarity_top_k=50).retrieve("stale reads"):
        assert found.node_id not in own
    assert NAMESPACE not in index.storage_context.vector_stores


def test_seams_left_among_the_nodes_are_not_taken_for_nodes(index) -> None:
    """Attached once to the same store, then without it."""
    SeamIndex.attach(index, index.vector_store)
    with pytest.raises(MissingKeyError, match="seams_type"):
        SeamIndex.attach(index)


def test_a_second_store_of_ones_own(tmp_path) -> None:
    index = build()
    mine = chroma_store(tmp_path, "mine")
    SeamIndex.attach(index, mine)
    assert mine.client.count() == len(neighbours(index))
    assert index.storage_context.vector_stores[NAMESPACE] is mine


def test_plain_retrievers_and_engines_of_the_index_see_no_seam(index) -> None:
    texts = {row.text for row in seam_rows(SeamIndex.attach(index))}
    for found in index.as_retriever(similarity_top_k=100).retrieve("stale reads"):
        assert found.node.get_content(MetadataMode.NONE) not in texts


def test_what_is_no_vector_store_index_is_refused() -> None:
    with pytest.raises(StoreError, match="VectorStoreIndex"):
        SeamIndex(SummaryIndex([]))
    with pytest.raises(StoreError, match="register_store"):
        SeamIndex(build(), object())


@pytest.mark.parametrize(
    "setting",
    [
        {"half_width": 0},
        {"snap": "up"},
        {"language": "klingon"},
        {"batch_size": 0},
        {"embed_model": 3},
        {"document_key": 3},
        {"position_key": ["page"]},
    ],
)
def test_wrong_settings_are_refused_before_anything_is_read(setting) -> None:
    with pytest.raises(ValueError, match=next(iter(setting))):
        SeamIndex(build(), **setting)


def test_an_embedding_model_is_resolved_as_llamaindex_resolves_it(monkeypatch) -> None:
    monkeypatch.setenv("IS_TESTING", "1")
    index = build()
    assert SeamIndex(index).embed_model is index._embed_model
    assert isinstance(SeamIndex(index, embed_model="default").embed_model, MockEmbedding)
    mine = CountingEmbedding()
    assert SeamIndex.attach(index, embed_model=mine).status().seams == len(mine.texts)


def test_an_empty_index_has_no_seams() -> None:
    seams = attach_to([])
    assert seams.status() == (0, 0, 0)
    assert seams.as_retriever().retrieve("anything") == []
