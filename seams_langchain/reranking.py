"""A LangChain document compressor as a reranker that only reorders (rule R11)."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from langchain_core.documents import Document

from seams_core import Row

_KEY = "seams_candidate"


def to_documents(rows: Sequence[Row]) -> list[Document]:
    """Copies of the candidates that can be told again when they come back."""
    return [
        Document(
            id=row.id,
            page_content=row.text,
            metadata={**copy.deepcopy(dict(row.metadata)), _KEY: row.id},
        )
        for row in rows
    ]


def to_ids(documents: Sequence[Document]) -> list[str]:
    """The ids of what came back: many compressors make new documents without an id."""
    return [str(document.metadata.get(_KEY) or document.id) for document in documents]
