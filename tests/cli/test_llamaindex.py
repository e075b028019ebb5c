"""Collections that LlamaIndex wrote: read, and left to its own adapter where seams are embedded."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

WRITTEN = """
import sys
from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.node_parser import SentenceSplitter
from tests.llamaindex.models import CountingEmbedding, chroma_store, long_documents
from seams_llamaindex import SeamIndex
store = chroma_store(sys.argv[1])
context = StorageContext.from_defaults(vector_store=store)
parser = SentenceSplitter(chunk_size=128, chunk_overlap=0)
index = VectorStoreIndex.from_documents(
    long_documents(), storage_context=context, transformations=[parser],
    embed_model=CountingEmbedding(),
)
if sys.argv[2] == "attach":
    SeamIndex.attach(index)
print(store.client.name)
"""


@pytest.mark.parametrize("attached", [False, True])
def test_nodes_are_refused_to_attach_and_read_otherwise(seams, tmp_path, attached) -> None:
    run = subprocess.run(
        [sys.executable, "-c", WRITTEN, str(tmp_path / "db"), "attach" if attached else "no"],
        env=seams.environment,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    refused = seams("attach", "db", "docs", "-e", "mine:embed")
    assert (refused.code, "seams_llamaindex" in refused.err) == (1, True)
    assert seams("status", "db", "docs").code == (0 if attached else 3)
