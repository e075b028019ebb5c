"""The cookbook's small models as LlamaIndex knows them."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from parts import model, overlap, quote


class StaticEmbedding(BaseEmbedding):
    """The wheel-shipped static model; counts the texts that it embeds."""

    texts: int = 0

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        self.texts += len(texts)
        vectors: list[list[float]] = model()(texts).tolist()
        return vectors

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


class QuotingLLM(CustomLLM):
    """Answers with the two sentences of its prompt that share most words with the question."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(context_window=100_000, model_name="quoting")

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        question = prompt.replace("Query:", "Question:").replace("user:", "Question:")
        return CompletionResponse(text=quote(question))

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        yield self.complete(prompt)


class OverlapRerank(BaseNodePostprocessor):
    """Orders nodes by the share of the question's words that they have."""

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        question = query_bundle.query_str if query_bundle else ""
        return sorted(nodes, key=lambda node: -overlap(question, node.get_content()))
