"""Models that LlamaIndex takes where none is named."""

from __future__ import annotations

import llama_index.core
import pytest

from tests.llamaindex.models import CountingEmbedding, Listening


@pytest.fixture(autouse=True)
def models(monkeypatch) -> None:
    monkeypatch.setattr(llama_index.core.Settings, "_embed_model", CountingEmbedding())
    monkeypatch.setattr(llama_index.core.Settings, "_llm", Listening())
