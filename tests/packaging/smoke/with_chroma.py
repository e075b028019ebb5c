"""Runs with the extra ``chroma``: seams in a collection beside one of plain chromadb."""

import zlib

import chromadb
import numpy as np

from seams_core import Retrieval, Row, SeamedIndex, split_text
from seams_core.stores.chroma import ChromaStore


def embed(texts):
    """Hashed words: the same text gives the same vector."""
    vectors = np.zeros((len(texts), 32))
    for vector, text in zip(vectors, texts, strict=True):
        for word in text.lower().split():
            vector[zlib.crc32(word.encode()) % 32] += 1
    return vectors


client = chromadb.EphemeralClient()
chunk_store, seam_store = (ChromaStore(client.create_collection(n)) for n in ("chunks", "seams"))
text = "The order service accepts stale reads. Billing records are never read stale. " * 60
chunks = split_text(text, document_id="design.md", chunk_size=64, tokenizer=str.split)
rows = [Row(c.id, c.text, {"document_id": c.document_id, "start_index": c.start}) for c in chunks]
chunk_store.put(rows, embed([row.text for row in rows]))
index = SeamedIndex(chunk_store, seam_store, embed, tokenizer=str.split)
assert index.sync().added == len(chunks) - 1
assert index.sync().added == 0
retrieval = Retrieval(chunk_store, index.sources(), lambda query: embed([query])[0])
selection, found = retrieval.run("Which reads are stale?", budget=3)
assert len(found) == 3
assert {row.id for row in found} <= {row.id for row in rows}
print("chroma ok")
