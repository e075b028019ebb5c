"""Any LangChain retriever as a first-stage list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from seams_core import Hit
from seams_core.errors import StoreError
from seams_core.types import Kind


@dataclass(frozen=True)
class RetrieverSource:
    """Documents of a retriever by their order; each must carry the id that it has in its store.

    :param retriever: Any retriever.
    :param kind: What its documents are.
    :param as_stored: From an id as it is carried to the id as the store writes it.
    """

    retriever: BaseRetriever
    kind: Kind
    as_stored: Callable[[str], str] = str
    needs_vector: ClassVar[bool] = False
    filters: ClassVar[bool] = False
    carries_rows: ClassVar[bool] = False

    def find(self, query: str, vector: Any, depth: int, filter: Any) -> list[Hit]:
        """At most ``depth`` hits, best first."""
        return self._hits(self.retriever.invoke(query), depth)

    async def afind(self, query: str, vector: Any, depth: int, filter: Any) -> list[Hit]:
        """The same, by the retriever's own asynchronous form."""
        return self._hits(await self.retriever.ainvoke(query), depth)

    def _hits(self, documents: list[Document], depth: int) -> list[Hit]:
        hits = []
        # Where a vector store gives no Document.id: Qdrant's key, or the one that Milvus names.
        store = getattr(self.retriever, "vectorstore", None)
        keys = ("_id", getattr(store, "_primary_field", None))
        for document in documents[:depth]:
            named = (document.metadata.get(key) for key in keys if key is not None)
            id = next((id for id in (document.id, *named) if id is not None), None)
            if id is None:
                raise StoreError(
                    f"{type(self.retriever).__name__} gave a document without an id: its documents "
                    f"must carry the ids that the {self.kind}s have in their store"
                )
            hits.append(Hit(self.as_stored(str(id)), 0.0, document.page_content, document.metadata))
        return hits
