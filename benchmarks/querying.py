"""A whole query through an embedded Chroma against the plain hybrid query over the same chunks."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from harness import compare, record, table, texts

from seams_core import (
    Entry,
    KeywordIndex,
    MarginFireTest,
    Retrieval,
    SeamedIndex,
    reciprocal_rank_fusion,
    split_text,
)
from seams_core.stores.chroma import ChromaStore

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cookbook"))

QUESTIONS = 40


def main() -> None:
    import chromadb
    from demo import CountingModel, add_missing_chunks

    name, documents = texts()
    model = CountingModel()
    with tempfile.TemporaryDirectory() as folder:
        client = chromadb.PersistentClient(path=folder)
        chunk_store = ChromaStore(client.create_collection("chunks"))
        seam_store = ChromaStore(client.create_collection("seams"))
        chunks = [c for id, text in documents.items() for c in split_text(text, document_id=id)]
        add_missing_chunks(chunk_store, chunks, model)
        index = SeamedIndex(chunk_store, seam_store, model)
        report = index.sync()
        sources = index.sources()
        plain = Retrieval(chunk_store, [s for s in sources if s.kind == "chunk"], model.query)
        seams = Retrieval(chunk_store, sources, model.query)
        step = max(1, len(chunks) // QUESTIONS)
        questions = [" ".join(c.text.split()[40:52]) for c in chunks[::step]][:QUESTIONS]

        def ask(retrieval: Retrieval) -> None:
            for question in questions:
                retrieval.run(question, budget=10, fire_test=MarginFireTest(3))

        keywords = KeywordIndex.build((c.id, c.text) for c in chunks)

        def usual() -> None:
            for question in questions:
                dense = chunk_store.search(model.query(question), 150)
                rows = {hit.id: hit for hit in dense}
                fused = reciprocal_rank_fusion(
                    [
                        [Entry("chunk", hit.id) for hit in dense],
                        [Entry("chunk", id) for id, _ in keywords.search(question, 150)],
                    ]
                )
                best = [entry.id for entry in fused[:10]]
                chunk_store.get([id for id in best if id not in rows])

        results = compare(
            {
                "plain hybrid as it is usually written: a Chroma query of 150 with its texts, "
                "BM25, fusion": usual,
                "plain hybrid through this package: ids first, texts of the winners": (
                    lambda: ask(plain)
                ),
                "with seams: four lists, fire test, pairs read": lambda: ask(seams),
            },
            rounds=15,
        )
    body = (
        f"Over {name} in an embedded Chroma on disk: {len(chunks):,} chunks, {report.added:,} "
        f"seams, lists of 150, budget 10, {len(questions)} questions a round.\n\n"
    )
    record("A whole query", body + table(results, 1000 / len(questions), "ms"))


if __name__ == "__main__":
    main()
