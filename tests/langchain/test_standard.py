"""LangChain's own standard tests of a retriever."""

from __future__ import annotations

import pytest
from langchain_tests.integration_tests import RetrieversIntegrationTests

from seams_langchain import SeamIndex, SeamsRetriever, SeamsTextSplitter
from tests.langchain.models import empty_store, long_documents


class TestSeamsRetriever(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def _index(self, tmp_path) -> None:
        store = empty_store("chroma", tmp_path)
        chunks = SeamsTextSplitter(chunk_size=128).split_documents(long_documents())
        store.add_documents(chunks, ids=[chunk.id for chunk in chunks])
        self.index = SeamIndex(store)
        self.index.sync()

    @property
    def retriever_constructor(self) -> type[SeamsRetriever]:
        return SeamsRetriever

    @property
    def retriever_constructor_params(self) -> dict:
        return {"index": self.index}

    @property
    def retriever_query_example(self) -> str:
        return "stale reads"
