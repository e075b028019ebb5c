"""Every store in every framework that is installed, run for real."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from tests.conformance.cases import Case, Place, missing, wanted
from tests.conformance.servers import Servers
from tests.stores import HashEmbedding

CASES: list[Case] = []
if find_spec("langchain_core"):
    from tests.conformance import in_langchain

    CASES += in_langchain.CASES
if find_spec("llama_index"):
    from tests.conformance import in_llamaindex

    CASES += in_llamaindex.CASES


@pytest.fixture(scope="session")
def servers(tmp_path_factory) -> Iterator[Servers]:
    servers = Servers(tmp_path_factory.mktemp("servers"))
    yield servers
    servers.stop()


@pytest.fixture(params=[c for c in CASES if wanted(c.name)], ids=lambda case: case.name)
def case(request) -> Case:
    lacks = missing(request.param)
    if lacks is not None:  # langchain-milvus and LlamaIndex's need different versions of pymilvus
        pytest.skip(f"{request.param.name} needs {lacks}, which is not installed here")
    return request.param


@pytest.fixture
def place(tmp_path, servers) -> Place:
    return Place(tmp_path, servers.url, f"c{uuid.uuid4().hex[:12]}")


@pytest.fixture
def embed() -> HashEmbedding:
    return HashEmbedding()
