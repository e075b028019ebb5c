"""SeamsNodeParser alone, in a pipeline, and over every kind of node."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core import Document, Settings, VectorStoreIndex
from llama_index.core.ingestion import (
    DocstoreStrategy,
    IngestionCache,
    IngestionPipeline,
)
from llama_index.core.node_parser import MarkdownNodeParser
from llama_index.core.schema import (
    ImageDocument,
    ImageNode,
    IndexNode,
    MetadataMode,
    NodeRelationship,
    TextNode,
)
from llama_index.core.storage.docstore import SimpleDocumentStore

from seams_core.errors import SeamsError
from seams_core.tokens import as_measure
from seams_llamaindex import SeamsNodeParser
from tests.llamaindex.models import CountingEmbedding, long_documents

TEXTS = {
    "repeated": "The cat sat. " * 400,
    "chinese": "缓存会返回旧数据。订单服务接受这一点。" * 60,
    "arabic": "قد تتأخر النسخ المتماثلة ثوانٍ. تقبل خدمة الطلبات ذلك. " * 60,
    "thai": "แคชส่งคืนข้อมูลเก่า บริการสั่งซื้อยอมรับสิ่งนี้ " * 60,
    "emoji": "👩‍👩‍👧‍👦 family 🇫🇷 flag. " * 80,
    "special": "<|endoftext|> is text. " * 80,
}


def parse(*documents, **kwargs):
    return SeamsNodeParser(chunk_size=32, **kwargs).get_nodes_from_documents(list(documents))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_r1_r2_nodes_are_a_partition_with_offsets_that_are_exact(text) -> None:
    nodes = parse(Document(id_="d", text=text))
    count = as_measure(None).count
    assert "".join(node.text for node in nodes) == text
    assert len(nodes) > 3
    for node in nodes:
        assert text[node.start_char_idx : node.end_char_idx] == node.text
        assert count(node.text) <= 32
    for left, right in zip(nodes, nodes[1:], strict=False):
        assert left.end_char_idx == right.start_char_idx


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(max_size=300), min_size=1, max_size=4))
def test_no_text_is_lost_whatever_it_is(texts) -> None:
    documents = [Document(id_=str(n), text=text) for n, text in enumerate(texts)]
    nodes = parse(*documents)
    for document in documents:
        own = [node for node in nodes if node.ref_doc_id == document.node_id]
        assert "".join(node.text for node in own) == document.text
        spans = [document.text[n.start_char_idx : n.end_char_idx] for n in own]
        assert spans == [n.text for n in own]


def test_ids_are_the_same_again_and_differ_between_documents() -> None:
    documents = long_documents()
    first, again = parse(*documents), parse(*documents)
    assert [node.node_id for node in first] == [node.node_id for node in again]
    assert len({node.node_id for node in first}) == len(first)
    same_text = parse(Document(id_="a", text="One. Two."), Document(id_="b", text="One. Two."))
    assert len({node.node_id for node in same_text}) == 2


def test_an_id_function_of_ones_own_is_used() -> None:
    def numbered(i, document):
        return f"{document.node_id}/{i}"

    nodes = parse(*long_documents(1), id_func=numbered)
    assert [node.node_id for node in nodes] == [f"doc-0/{n}" for n in range(len(nodes))]


def test_relationships_metadata_templates_and_excluded_keys_are_the_documents() -> None:
    document = Document(
        id_="d",
        text="stale reads " * 100,
        metadata={"title": "Orders", "secret": 1},
        excluded_embed_metadata_keys=["secret"],
        excluded_llm_metadata_keys=["title"],
        metadata_template="{key} is {value}",
        metadata_separator=" / ",
        text_template="[{metadata_str}] {content}",
    )
    nodes = parse(document)
    assert nodes[0].get_content(MetadataMode.EMBED).startswith("[title is Orders] stale")
    assert nodes[0].get_content(MetadataMode.LLM).startswith("[secret is 1] stale")
    for left, right in zip(nodes, nodes[1:], strict=False):
        assert left.next_node.node_id == right.node_id
        assert right.prev_node.node_id == left.node_id
        assert left.ref_doc_id == "d"
        assert left.source_node.hash == document.hash
    assert nodes[0].prev_node is None
    assert nodes[-1].next_node is None
    nodes[0].metadata["title"] = "changed"
    assert document.metadata["title"] == nodes[1].metadata["title"] == "Orders"
    bare = parse(document, include_metadata=False, include_prev_next_rel=False)
    assert all(not node.metadata and node.next_node is None for node in bare)


def test_long_metadata_does_not_shrink_a_node() -> None:
    text = "stale reads " * 200
    plain = parse(Document(id_="d", text=text))
    long = parse(Document(id_="d", text=text, metadata={"abstract": "word " * 500}))
    assert [node.text for node in long] == [node.text for node in plain]


def test_nodes_that_are_cut_further_keep_their_place_in_the_document() -> None:
    text = "# One\n\n" + "stale reads " * 100 + "\n\n# Two\n\n" + "replicas lag " * 100
    document = Document(id_="d", text=text)
    whole = SeamsNodeParser(chunk_size=150).get_nodes_from_documents([document])
    finer = SeamsNodeParser(chunk_size=32).get_nodes_from_documents(whole)
    assert "".join(node.text for node in finer) == text
    for node in finer:
        assert text[node.start_char_idx : node.end_char_idx] == node.text
        assert node.ref_doc_id == "d"
    assert all(node.next_node is not None for node in finer[:-1])
    sections = MarkdownNodeParser().get_nodes_from_documents([document])
    assert len(SeamsNodeParser(chunk_size=32).get_nodes_from_documents(sections)) > 10


def test_one_chunk_no_text_index_nodes_and_images() -> None:
    table = IndexNode(text="A table of outages", index_id="table", obj=TextNode(text="rows"))
    picture = ImageNode(image="aGk=", text="")
    scan = ImageDocument(image="aGk=", text="stale reads " * 40, id_="scan")
    bare = ImageDocument(image="aGk=", id_="bare")
    short = Document(id_="short", text="One.")
    nodes = parse(Document(id_="empty", text=""), short, table, picture, scan, bare)
    assert [n.text for n in nodes if n.ref_doc_id == "short"] == ["One."]
    assert not [n for n in nodes if n.ref_doc_id == "empty"]
    kept = next(n for n in nodes if isinstance(n, IndexNode))
    assert kept.obj is table.obj
    assert kept.node_id == table.node_id
    assert any(n.node_id == picture.node_id for n in nodes)
    scanned = [n for n in nodes if n.ref_doc_id == "scan"]
    assert "".join(n.text for n in scanned) == scan.text
    assert all(isinstance(n, ImageNode) and n.image == "aGk=" for n in scanned)
    assert [type(n) for n in nodes if n.ref_doc_id == "bare"] == [ImageNode]


def test_what_is_handed_in_is_left_as_it_was() -> None:
    table = IndexNode(text="t", index_id="t")
    table.relationships[NodeRelationship.SOURCE] = Document(id_="d").as_related_node_info()
    other = IndexNode(text="u", index_id="u", relationships=dict(table.relationships))
    parse(table, other)
    assert set(table.relationships) == {NodeRelationship.SOURCE}


def test_saved_and_loaded_it_is_the_same() -> None:
    parser = SeamsNodeParser(chunk_size=99, include_metadata=False, tokenizer="o200k_base")
    for again in (
        SeamsNodeParser.from_dict(parser.to_dict()),
        SeamsNodeParser.from_json(parser.to_json()),
    ):
        assert again.to_dict() == parser.to_dict()
        assert again.chunk_size == 99
    assert parser.class_name() == parser.to_dict()["class_name"] == "SeamsNodeParser"
    assert SeamsNodeParser.from_defaults(chunk_size=99).chunk_size == 99

    def own(i, document):
        return str(i)

    with pytest.raises(ValueError, match="give the function again"):
        SeamsNodeParser.from_dict(SeamsNodeParser(id_func=own).to_dict())


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ({"chunk_size": 0}, "chunk_size=0"),
        ({"chunk_size": True}, "chunk_size=True"),
        ({"chunk_overlap": 20}, "chunk_overlap=20"),
        ({"tokenizer": 3}, "tokenizer"),
        ({"tokenizer": "no-such"}, "no-such"),
    ],
)
def test_wrong_settings_are_refused_by_name(setting, says) -> None:
    with pytest.raises((ValueError, SeamsError), match=says):
        SeamsNodeParser(**setting)


async def test_the_asynchronous_form_gives_the_same(capsys) -> None:
    documents = long_documents()
    parser = SeamsNodeParser(chunk_size=64)
    there = await parser.aget_nodes_from_documents(documents, show_progress=True)
    assert "Parsing nodes" in capsys.readouterr().err
    here = parser.get_nodes_from_documents(documents)
    assert [n.to_dict() for n in there] == [n.to_dict() for n in here]
    called = await parser.acall(documents)
    assert (
        [n.node_id for n in called]
        == [n.node_id for n in here]
        == [n.node_id for n in parser(documents)]
    )


def test_in_settings_transformations(monkeypatch) -> None:
    monkeypatch.setattr(Settings, "_transformations", [SeamsNodeParser(chunk_size=64)])
    index = VectorStoreIndex.from_documents(long_documents(1), embed_model=CountingEmbedding())
    text = long_documents(1)[0].text
    nodes = index.docstore.docs.values()
    assert "".join(n.text for n in sorted(nodes, key=lambda n: n.start_char_idx)) == text


def test_a_pipeline_with_cache_and_docstore_embeds_nothing_twice() -> None:
    embedding = CountingEmbedding()
    pipeline = IngestionPipeline(
        transformations=[SeamsNodeParser(chunk_size=64), embedding],
        cache=IngestionCache(),
        docstore=SimpleDocumentStore(),
        docstore_strategy=DocstoreStrategy.DUPLICATES_ONLY,
    )
    first = pipeline.run(documents=long_documents())
    assert len(embedding.texts) == len(first)
    assert pipeline.run(documents=long_documents()) == []
    assert len(embedding.texts) == len(first)
    cached = IngestionPipeline(transformations=pipeline.transformations, cache=pipeline.cache)
    assert [n.node_id for n in cached.run(documents=long_documents())] == [n.node_id for n in first]
    assert len(embedding.texts) == len(first)
