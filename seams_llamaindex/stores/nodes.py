"""Between a row of the core and a LlamaIndex node, as vector stores keep it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llama_index.core.schema import (
    BaseNode,
    ImageNode,
    IndexNode,
    MetadataMode,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.vector_stores.utils import metadata_dict_to_node, node_to_metadata_dict

from seams_core.locate import (
    INDEX_KEYS,
    NEXT_KEY,
    OFFSET_KEYS,
    PAGE_KEYS,
    PREVIOUS_KEY,
    WHOLE_OFFSET_KEY,
)
from seams_core.store import TYPE_KEY, Row

_PLACED = {WHOLE_OFFSET_KEY, PREVIOUS_KEY, NEXT_KEY, *INDEX_KEYS}
_MARK = "\ue000seam\ue000"


def node_row(node: BaseNode) -> Row:
    """A node as a row, which carries it as its payload.

    The metadata is the node's own, with its place: ``document_id``, the node's source, and
    ``start_char_idx``, ``previous_id`` and ``next_id`` where they are known.
    """
    metadata = dict(node.metadata)
    if node.ref_doc_id:
        metadata["document_id"] = node.ref_doc_id
    start = getattr(node, "start_char_idx", None)
    if start is not None:
        metadata["start_char_idx"] = start
    for key, neighbour in ((PREVIOUS_KEY, node.prev_node), (NEXT_KEY, node.next_node)):
        metadata.pop(key, None)  # a user's own, which means something else
        if neighbour is not None:
            metadata[key] = neighbour.node_id
    is_plain = isinstance(node, TextNode) and not isinstance(node, IndexNode | ImageNode)
    if not is_plain and not metadata.keys() & _PLACED:
        # It stands for an object or a picture, and is no part of a text.
        metadata["document_id"], metadata["start_char_idx"] = node.node_id, 0
    elif node.ref_doc_id and not metadata.keys() & {*_PLACED, *OFFSET_KEYS, *PAGE_KEYS, TYPE_KEY}:
        # The only one of its document, or the last by links that go one way. If there are more,
        # they stand at one place, which is refused.
        metadata["start_char_idx"] = 0
    return Row(node.node_id, node.get_content(MetadataMode.NONE), metadata, node)


def surround(row: Row) -> tuple[str, str]:
    """What the embedding model was given before and after a node's text: its metadata."""
    node = row.payload
    metadata = node.get_metadata_str(MetadataMode.EMBED).strip()
    template = getattr(node, "text_template", None)
    if not metadata or template is None:
        return "", ""
    before, _, after = template.format(content=_MARK, metadata_str=metadata).partition(_MARK)
    return before.lstrip(), after.rstrip()


def read_row(id: str, text: str | None, metadata: Mapping[str, Any]) -> Row:
    """A row from what a vector store keeps; rows that other programs wrote are plain texts.

    :param text: Where the store keeps it apart from the node; ``None`` if within.
    """
    if "_node_content" in metadata:
        return node_row(metadata_dict_to_node(dict(metadata), text))
    return node_row(TextNode(id_=id, text=text or "", metadata=dict(metadata)))


def row_metadata(row: Row, *, remove_text: bool = True, flat: bool = False) -> dict[str, Any]:
    """What a vector store keeps of a row beside its vector, so that LlamaIndex can read it.

    The source of a seam is its document, so that deleting that takes the seam along.

    :param remove_text: Whether the store keeps the text apart.
    :param flat: Refuse values that are no scalars.
    """
    source = row.metadata.get("document_id")
    relationships: dict[NodeRelationship, Any] = {}
    if source is not None:
        relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=str(source))
    node = TextNode(
        id_=row.id, text=row.text, metadata=dict(row.metadata), relationships=relationships
    )
    return node_to_metadata_dict(node, remove_text=remove_text, flat_metadata=flat)
