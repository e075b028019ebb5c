"""Between a row of the core and a LlamaIndex node, as vector stores keep it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llama_index.core.schema import (
    BaseNode,
    MetadataMode,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.vector_stores.utils import metadata_dict_to_node, node_to_metadata_dict

from seams_core.store import Row


def node_row(node: BaseNode) -> Row:
    """A node as a row, which carries it as its payload.

    The metadata is the node's own, with its place: ``document_id``, the node's source, and
    ``start_char_idx`` where it is known.
    """
    metadata = dict(node.metadata)
    if node.ref_doc_id:
        metadata["document_id"] = node.ref_doc_id
    start = getattr(node, "start_char_idx", None)
    if start is not None:
        metadata["start_char_idx"] = start
    return Row(node.node_id, node.get_content(MetadataMode.NONE), metadata, node)


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
