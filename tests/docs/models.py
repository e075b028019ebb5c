"""A LlamaIndex embedding that needs no model."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding

from tests.stores import HashEmbedding

_HASHED = HashEmbedding()


class HashedEmbedding(BaseEmbedding):
    """Hashed words: the same text gives the same vector everywhere."""

    def _get_text_embedding(self, text: str) -> list[float]:
        vector: list[float] = _HASHED.one(text).tolist()
        return vector

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str, **more: Any) -> list[float]:
        return self._get_text_embedding(query)
