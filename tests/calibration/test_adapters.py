"""A calibration through both frameworks, with a scripted model that writes the questions."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core import VectorStoreIndex
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

import seams_langchain
import seams_llamaindex
from seams_core import (
    AnchoredFireTest,
    Calibration,
    CalibrationMismatchWarning,
    MarginFireTest,
    SeamsError,
)
from tests.calibration.corpus import HALF_WIDTH, ask, chunks
from tests.langchain.models import CountingEmbeddings
from tests.llamaindex.models import CountingEmbedding

INDEX = {"half_width": HALF_WIDTH, "tokenizer": str.split}
pytestmark = pytest.mark.filterwarnings("ignore:half_width")


class Script:
    """Writes questions; each tenth call fails, and one answer is empty."""

    def __init__(self) -> None:
        self.calls = 0
        self.prompts: list[str] = []

    def __call__(self, prompt: Any) -> str:
        self.calls += 1
        text = prompt if isinstance(prompt, str) else prompt.to_string()
        self.prompts.append(text)
        if self.calls % 10 == 0:
            raise ConnectionError("rate limit")
        return "" if self.calls == 15 else ask(text.partition("Text: ")[2])


class ScriptedLLM(CustomLLM):
    """A LlamaIndex model that reads from a script."""

    script: Any

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="scripted")

    def complete(self, prompt: str, formatted: bool = False, **more: Any) -> CompletionResponse:
        return CompletionResponse(text=self.script(prompt))

    def stream_complete(self, prompt: str, formatted: bool = False, **more: Any) -> Any:
        raise NotImplementedError


@pytest.fixture(scope="module")
def vectorstore() -> InMemoryVectorStore:
    store = InMemoryVectorStore(CountingEmbeddings())
    store.add_documents(
        [
            Document(
                id=c.id,
                page_content=c.text,
                metadata={"document_id": c.document_id, "start_index": c.start},
            )
            for c in chunks(4, 60)
        ]
    )
    return store


@pytest.fixture(scope="module")
def nodes() -> VectorStoreIndex:
    made = []
    for c in chunks(4, 60):
        node = TextNode(id_=c.id, text=c.text, start_char_idx=c.start, end_char_idx=c.end)
        node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=c.document_id)
        made.append(node)
    return VectorStoreIndex(made, embed_model=CountingEmbedding())


@pytest.fixture(params=["langchain", "llamaindex"])
def framework(request, vectorstore, nodes) -> tuple[Any, Any]:
    """A retriever of each, and what makes its model from a script."""
    if request.param == "langchain":
        retriever = seams_langchain.SeamsRetriever.attach(vectorstore, index_settings=INDEX)
        return retriever, lambda script: RunnableLambda(script, name="scripted")
    retriever = seams_llamaindex.SeamsRetriever.attach(nodes, index_settings=INDEX)
    return retriever, lambda script: ScriptedLLM(script=script)


def with_margin(retriever: Any, margin: Any, **settings: Any) -> Any:
    if isinstance(retriever, seams_langchain.SeamsRetriever):
        return seams_langchain.SeamsRetriever(index=retriever.index, margin=margin, **settings)
    return seams_llamaindex.SeamsRetriever(retriever.index, margin=margin, **settings)


def checked(made: Calibration, script: Script) -> None:
    assert made.lost == {"failed": 0, "empty": 1}
    assert len(made.unsplit) + len(made.split) == 59
    assert script.calls == 60 + script.calls // 10  # each failing call was made again
    assert (made.valid, made.writer, made.approximate) == (True, "scripted", False)
    assert made.fires_unsplit <= 0.1
    assert all("Write one question" in prompt for prompt in script.prompts)


def test_a_model_as_question_writer(framework) -> None:
    retriever, model = framework
    script = Script()
    checked(retriever.calibrate(model(script), samples=30), script)


async def test_asynchronously(framework) -> None:
    retriever, model = framework
    script = Script()
    checked(await retriever.acalibrate(model(script), samples=30, concurrency=4), script)


def test_a_chat_model_and_a_callable_will_do(framework) -> None:
    retriever, _ = framework
    made = retriever.calibrate(ask, samples=10)
    assert made.writer == "ask"
    if isinstance(retriever, seams_langchain.SeamsRetriever):
        made = retriever.calibrate(FakeListChatModel(responses=["stale reads?"]), samples=10)
        assert made.writer == "FakeListChatModel"
        message = RunnableLambda(lambda prompt: AIMessage([{"type": "text", "text": "why?"}]))
        assert retriever.calibrate(message, samples=10).valid


def test_the_retrievers_own_test_depth_and_filter_are_used(framework) -> None:
    retriever, _ = framework
    made = retriever.calibrate(ask, samples=10)
    assert made.test["name"] == made.before["test"]["name"] == "anchored"
    paper = with_margin(retriever, 3)
    made = paper.calibrate(ask, samples=10)
    assert (made.test["name"], made.before["test"]["margin"]) == ("margin", 3)
    assert made.made_on["embedding"] in ("CountingEmbeddings", "CountingEmbedding")


def test_it_is_accepted_as_margin(framework) -> None:
    retriever, _ = framework
    made = retriever.calibrate(ask, samples=20)
    again = with_margin(retriever, made)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trace = again.explain("bafan keban")
    assert trace.fire_test == made.fire_test
    assert isinstance(trace.fire_test, AnchoredFireTest)
    assert trace.fire_test.least == pytest.approx(made.threshold)


async def test_it_says_once_that_the_depth_is_another(framework) -> None:
    retriever, _ = framework
    made = retriever.calibrate(ask, samples=20)
    again = with_margin(retriever, made)
    again.depth = 20
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        again.explain("bafan keban")
        again.explain("lodin")
        await again.aexplain("mifos")
    (only,) = (one for one in said if one.category is CalibrationMismatchWarning)
    assert "depth was 150 and is 20" in str(only.message)


def test_it_says_once_that_the_index_is_another(vectorstore) -> None:
    index = seams_langchain.SeamIndex(
        vectorstore, InMemoryVectorStore(CountingEmbeddings()), **INDEX
    )
    index.sync()
    retriever = seams_langchain.SeamsRetriever(index=index)
    made = retriever.calibrate(ask, samples=20)
    calibrated = retriever.model_copy(update={"margin": made})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        calibrated.invoke("bafan")
        warnings.filterwarnings("ignore", "half_width")
        index.sync()  # nothing has changed
        calibrated.invoke("bafan")
    rows = [
        Document(
            id=c.id,
            page_content=c.text,
            metadata={"document_id": c.document_id, "start_index": c.start},
        )
        for c in chunks(3, 60)
    ]
    index.sync(rows)
    with pytest.warns(CalibrationMismatchWarning, match="fingerprint was"):
        calibrated.invoke("bafan")


def test_a_margin_beside_a_fire_test_is_refused(framework) -> None:
    retriever, _ = framework
    made = retriever.calibrate(ask, samples=10)
    with pytest.raises(ValueError, match="give one of them"):
        with_margin(retriever, made, fire_test=MarginFireTest())


def test_a_calibration_of_a_test_of_ones_own_says_how_to_use_it(framework) -> None:
    retriever, _ = framework
    own = Calibration({"name": "mine"}, 1.0, 0.9, (1.0,), (2.0,), {})
    with pytest.raises((SeamsError, ValueError), match="pass it as fire_test="):
        with_margin(retriever, own)
