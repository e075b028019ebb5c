"""The cookbook's small models as LangChain knows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.cross_encoders import BaseCrossEncoder
from langchain_core.embeddings import Embeddings
from langchain_core.language_models.chat_models import SimpleChatModel
from langchain_core.messages import BaseMessage
from parts import model, overlap, quote


class StaticEmbeddings(Embeddings):
    """The wheel-shipped static model; counts the texts that it embeds."""

    def __init__(self) -> None:
        self.texts = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.texts += len(texts)
        vectors: list[list[float]] = model()(texts).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


class QuotingChatModel(SimpleChatModel):
    """Answers with the two sentences of its prompt that share most words with the question."""

    @property
    def _llm_type(self) -> str:
        return "quoting"

    def _call(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> str:
        return quote("\n".join(str(message.content) for message in messages))


class OverlapEncoder(BaseCrossEncoder):
    """Scores a pair by the share of the question's words that the text has."""

    def score(self, text_pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [overlap(question, text) for question, text in text_pairs]
