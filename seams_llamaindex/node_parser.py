"""A LlamaIndex node parser whose nodes are disjoint, lossless and stable (paper 3.1, step 1)."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from llama_index.core.bridge.pydantic import Field, PrivateAttr, field_serializer
from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.node_parser import NodeParser
from llama_index.core.node_parser.node_utils import default_id_func
from llama_index.core.schema import (
    BaseNode,
    Document,
    ImageDocument,
    ImageNode,
    IndexNode,
    MetadataMode,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.utils import get_tqdm_iterable

from seams_core import Chunk, split_text
from seams_core.ids import chunk_id
from seams_core.tokens import TokenizerLike, TokenMeasure, as_measure, checked_positive

_IMAGE = ("image", "image_path", "image_url", "image_mimetype")


class SeamsNodeParser(NodeParser):
    """Cut documents into disjoint nodes of at most ``chunk_size`` tokens.

    Joined in order, the nodes of a document give its text back exactly, and
    ``document.text[node.start_char_idx:node.end_char_idx]`` is the node's text, also where text
    repeats. Ids are made from the document's id, the place and the text, so that the same document
    gives the same ids again, and caches and docstores know them. Metadata, excluded keys and
    templates are the document's own; they do not count towards ``chunk_size``, however long they
    are, so leave room for them in the embedding model's window.

    An ``IndexNode``, and whatever has no text, is handed on as one node.

    .. code-block:: python

        parser = SeamsNodeParser(chunk_size=1024)
        nodes = parser.get_nodes_from_documents(documents)
        index = VectorStoreIndex.from_documents(documents, transformations=[parser])

    :param chunk_size: The most tokens a node may have.
    :param chunk_overlap: Only 0: seams do what an overlap is for.
    :param tokenizer: See :func:`seams_core.tokens.as_measure`; tiktoken's ``cl100k_base`` if none.
        Named encodings alone survive :meth:`to_dict` and :meth:`from_dict`.
    :param id_func: Makes a node's id from its number in the document and the document, if the ids
        described above are not wanted.
    :raises ValueError: If a setting is wrong.
    """

    chunk_size: int = Field(default=1024, description="The most tokens a node may have.", gt=0)
    chunk_overlap: int = Field(default=0, description="Always 0.")
    tokenizer: Any = Field(default=None, description="What counts tokens; cl100k_base if none.")

    _measure: TokenMeasure = PrivateAttr()

    def __init__(
        self,
        chunk_size: int = 1024,
        chunk_overlap: int = 0,
        tokenizer: TokenizerLike | None = None,
        include_metadata: bool = True,
        include_prev_next_rel: bool = True,
        callback_manager: CallbackManager | None = None,
        id_func: Any = None,
    ) -> None:
        if chunk_overlap != 0:
            raise ValueError(
                f"chunk_overlap={chunk_overlap!r} is not allowed: give 0. Nodes are disjoint, so "
                "that no passage is stored or returned twice; what lies across a cut is found by "
                "its seam instead"
            )
        checked_positive("chunk_size", chunk_size)
        measure = as_measure(tokenizer)
        if isinstance(id_func, dict):  # as it was saved
            if id_func.get("id_func_name") != default_id_func.__name__:
                raise ValueError(
                    f"id_func={id_func!r} can not be made from its name: give the function again"
                )
            id_func = None
        settings: dict[str, Any] = {
            "chunk_size": chunk_size,
            "chunk_overlap": 0,
            "tokenizer": tokenizer,
            "include_metadata": include_metadata,
            "include_prev_next_rel": include_prev_next_rel,
            "callback_manager": callback_manager or CallbackManager([]),
            "id_func": id_func or default_id_func,
        }
        super().__init__(**settings)
        self._measure = measure

    @classmethod
    def from_defaults(cls, **settings: Any) -> SeamsNodeParser:
        """The same as the constructor."""
        return cls(**settings)

    @classmethod
    def class_name(cls) -> str:
        """The name under which it is saved."""
        return "SeamsNodeParser"

    @field_serializer("tokenizer")
    def _tokenizer_name(self, tokenizer: Any) -> str | None:
        # A cache knows a transformation by what it says of itself, so that must be stable.
        return tokenizer if tokenizer is None or isinstance(tokenizer, str) else self._measure.name

    def _parse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        parsed: list[BaseNode] = []
        for node in get_tqdm_iterable(nodes, show_progress, "Parsing nodes"):
            parsed += self._parts(node)
        return parsed

    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        return await asyncio.to_thread(self._parse_nodes, nodes, show_progress, **kwargs)

    def _parts(self, document: BaseNode) -> list[BaseNode]:
        text = document.get_content(MetadataMode.NONE)
        if isinstance(document, IndexNode):
            return [document.model_copy()]  # it stands for an object and can not be cut
        if not text:
            # A text document without text has nothing to find; an image is one node.
            if isinstance(document, ImageDocument):
                source = document.as_related_node_info()
                empty = Chunk(chunk_id(document.node_id, 0, ""), document.node_id, "", 0, 0)
                return [self._node(document, source, empty, 0)]
            plain = type(document) in (Document, TextNode) and not _has_resource(document)
            return [] if plain else [document.model_copy()]
        source = document.source_node or document.as_related_node_info()
        chunks = split_text(
            text,
            document_id=document.node_id,
            chunk_size=self.chunk_size,
            tokenizer=self._measure,
        )
        return [self._node(document, source, chunk, number) for number, chunk in enumerate(chunks)]

    def _node(
        self, document: BaseNode, source: RelatedNodeInfo, chunk: Chunk, number: int
    ) -> BaseNode:
        base = getattr(document, "start_char_idx", None) or 0  # a node that is cut further
        settings: dict[str, Any] = {
            "id_": chunk.id,
            "text": chunk.text,
            "start_char_idx": base + chunk.start,
            "end_char_idx": base + chunk.end,
            "metadata": copy.deepcopy(document.metadata) if self.include_metadata else {},
            "excluded_embed_metadata_keys": list(document.excluded_embed_metadata_keys),
            "excluded_llm_metadata_keys": list(document.excluded_llm_metadata_keys),
            "relationships": {NodeRelationship.SOURCE: source},
        }
        if self.id_func is not default_id_func:
            settings["id_"] = self.id_func(number, document)
        kind: type[TextNode] = TextNode
        if isinstance(document, ImageDocument | ImageNode):
            kind = ImageNode
            settings |= {name: getattr(document, name) for name in _IMAGE}
        node = kind(**settings)
        for template in ("metadata_template", "metadata_separator", "text_template"):
            if hasattr(document, template):
                setattr(node, template, getattr(document, template))
        return node

    def _postprocess_parsed_nodes(
        self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]
    ) -> list[BaseNode]:
        """Link neighbours; offsets and metadata stay as they are, where the base class would look
        for each text in the document."""
        if not self.include_prev_next_rel:
            return nodes
        for left, right in pairwise(nodes):
            if left.ref_doc_id is not None and left.ref_doc_id == right.ref_doc_id:
                _link(left, NodeRelationship.NEXT, right)
                _link(right, NodeRelationship.PREVIOUS, left)
        return nodes


def _link(node: BaseNode, how: NodeRelationship, other: BaseNode) -> None:
    # A new dictionary: that of a node handed on belongs to the caller.
    node.relationships = {**node.relationships, how: other.as_related_node_info()}


def _has_resource(document: BaseNode) -> bool:
    kinds = ("image_resource", "audio_resource", "video_resource")
    return any(getattr(document, kind, None) is not None for kind in kinds)
