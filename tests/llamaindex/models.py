"""Cheap, deterministic parts for LlamaIndex tests: an embedding that counts, models that listen."""

from __future__ import annotations

import json
from typing import Any

import chromadb
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    LLMMetadata,
)
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.vector_stores.chroma import ChromaVectorStore
from pydantic import Field, PrivateAttr

from seams_llamaindex import SeamsNodeParser
from tests.stores import HashEmbedding

TOPICS = ["orders outage stale reads", "billing records strongly consistent", "replicas lag writes"]


class CountingEmbedding(BaseEmbedding):
    """Hashed words; keeps what it embeds."""

    _inner: HashEmbedding = PrivateAttr(default_factory=HashEmbedding)
    _texts: list[str] = PrivateAttr(default_factory=list)
    _queries: list[str] = PrivateAttr(default_factory=list)

    @property
    def texts(self) -> list[str]:
        return self._texts

    @property
    def queries(self) -> list[str]:
        return self._queries

    def _get_text_embedding(self, text: str) -> list[float]:
        self._texts.append(text)
        return self._inner.one(text).tolist()

    def _get_query_embedding(self, query: str) -> list[float]:
        self._queries.append(query)
        return self._inner.one(query).tolist()

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


class Listening(CustomLLM):
    """Keeps its prompts; answers in turn with what it was given, then with a short sentence."""

    answers: list[str] = Field(default_factory=list)
    _prompts: list[str] = PrivateAttr(default_factory=list)

    @property
    def prompts(self) -> list[str]:
        return self._prompts

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(context_window=4000, num_output=64, model_name="listening")

    def _answer(self, prompt: str) -> str:
        self._prompts.append(prompt)
        number = len(self._prompts) - 1
        return self.answers[number] if number < len(self.answers) else "It accepts stale reads."

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text=self._answer(prompt))

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        text = self._answer(prompt)
        return iter([CompletionResponse(text=text, delta=text)])


class Calling(FunctionCallingLLM):
    """Calls the first tool once with the user's words, then answers."""

    _prompts: list[str] = PrivateAttr(default_factory=list)

    @property
    def prompts(self) -> list[str]:
        return self._prompts

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_function_calling_model=True, is_chat_model=True)

    def _prepare_chat_with_tools(
        self, tools: Any, user_msg: Any = None, chat_history: Any = None, **kwargs: Any
    ) -> dict[str, Any]:
        return {"messages": list(chat_history or []), "tools": tools}

    @llm_chat_callback()
    def chat(self, messages: Any, tools: Any = None, **kwargs: Any) -> ChatResponse:
        self._prompts.append("\n".join(str(message.content) for message in messages))
        if messages[-1].role == "tool":
            return ChatResponse(message=ChatMessage(role="assistant", content="Stale reads."))
        asked = {"name": tools[0].metadata.name, "input": messages[-1].content}
        called = ChatMessage(role="assistant", content="", additional_kwargs={"call": asked})
        return ChatResponse(message=called)

    @llm_chat_callback()
    async def achat(self, messages: Any, **kwargs: Any) -> ChatResponse:
        return self.chat(messages, **kwargs)

    def get_tool_calls_from_response(
        self, response: ChatResponse, error_on_no_tool_call: bool = True, **kwargs: Any
    ) -> list[ToolSelection]:
        call = response.message.additional_kwargs.get("call")
        if call is None:
            return []
        arguments = {"input": call["input"]}
        return [ToolSelection(tool_id="1", tool_name=call["name"], tool_kwargs=arguments)]

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        raise NotImplementedError

    stream_complete = stream_chat = complete

    async def acomplete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError

    astream_complete = astream_chat = acomplete


def sub_questions(*asked: tuple[str, str]) -> str:
    """What a model answers that splits a question: tool and question of each."""
    return json.dumps([{"sub_question": text, "tool_name": tool} for tool, text in asked])


def long_documents(count: int = 3, words: int = 160, **metadata: Any) -> list[Document]:
    return [
        Document(
            id_=f"doc-{d}",
            text=" ".join(f"{TOPICS[(d + n) % 3]} w{n} d{d}." for n in range(words)),
            metadata={"group": d % 3, "tag": "abc"[d % 3], **metadata},
        )
        for d in range(count)
    ]


def chroma_store(path: Any, name: str = "docs") -> ChromaVectorStore:
    client = chromadb.PersistentClient(path=str(path))
    return ChromaVectorStore(chroma_collection=client.get_or_create_collection(name))


def build(
    documents: list[Document] | None = None, path: Any = None, parser: Any = None, **settings: Any
) -> VectorStoreIndex:
    """An index made by plain LlamaIndex code, over Chroma if a path is given."""
    context = (
        None if path is None else StorageContext.from_defaults(vector_store=chroma_store(path))
    )
    return VectorStoreIndex.from_documents(
        long_documents() if documents is None else documents,
        storage_context=context,
        transformations=[parser or SeamsNodeParser(chunk_size=128)],
        embed_model=CountingEmbedding(),
        **settings,
    )
