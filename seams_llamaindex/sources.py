"""Any LlamaIndex retriever as a first-stage list, any node postprocessor as a reranker."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from seams_core import Hit, Row
from seams_core.types import Kind


@dataclass(frozen=True)
class RetrieverSource:
    """Nodes of a retriever by their order; their ids are those that they have in the index.

    :param retriever: Any retriever.
    :param kind: What its nodes are.
    :param bundle: The query as it came, with whatever a caller put beside its text.
    """

    retriever: BaseRetriever
    kind: Kind
    bundle: QueryBundle
    needs_vector: ClassVar[bool] = False
    filters: ClassVar[bool] = False
    carries_rows: ClassVar[bool] = False

    def find(self, query: str, vector: Any, depth: int, filter: Any) -> list[Hit]:
        """At most ``depth`` hits, best first."""
        return _hits(self.retriever.retrieve(self.bundle), depth)

    async def afind(self, query: str, vector: Any, depth: int, filter: Any) -> list[Hit]:
        """The same, by the retriever's own asynchronous form where it has one."""
        if _blocks(self.retriever):
            return await asyncio.to_thread(self.find, query, vector, depth, filter)
        return _hits(await self.retriever.aretrieve(self.bundle), depth)


def _blocks(retriever: BaseRetriever) -> bool:
    """Whether its asynchronous form is the inherited one, which computes on the event loop; or
    that of its vector store is."""
    if type(retriever)._aretrieve is BaseRetriever._aretrieve:
        return True
    query = getattr(type(getattr(retriever, "_vector_store", None)), "aquery", None)
    return query is BasePydanticVectorStore.aquery


def _hits(nodes: Sequence[NodeWithScore], depth: int) -> list[Hit]:
    return [
        Hit(
            found.node.node_id,
            found.score or 0.0,
            found.node.get_content(MetadataMode.NONE),
            found.node.metadata,
        )
        for found in nodes[:depth]
    ]


def to_nodes(rows: Sequence[Row]) -> list[NodeWithScore]:
    """Copies of the candidates for a postprocessor, with scores that fall with their rank."""
    return [
        NodeWithScore(node=as_node(row), score=1 - rank / len(rows))
        for rank, row in enumerate(rows)
    ]


def as_node(row: Row) -> Any:
    """A copy of the node of a row whose metadata can be changed; an ``IndexNode`` keeps its
    object."""
    node = row.payload.model_copy()
    node.metadata = copy.deepcopy(node.metadata)
    node.relationships = dict(node.relationships)
    return node
