"""Fusing, testing and filling four lists of 150 against the frameworks' own fusion."""

from __future__ import annotations

import random

from harness import compare, record, table

from seams_core import (
    AnchoredFireTest,
    Entry,
    MarginFireTest,
    reciprocal_rank_fusion,
    select_chunks,
)

QUERIES = 50


def made_lists(rng: random.Random) -> tuple[list[list[Entry]], dict[str, tuple[str, str]]]:
    """Two lists of chunks and two of seams that agree about as much as dense and keyword do."""
    lists: list[list[Entry]] = []
    for kind in ("chunk", "seam"):
        pool = [Entry(kind, f"{kind}-{number:04d}") for number in rng.sample(range(2000), 230)]
        lists += [rng.sample(pool, 150), rng.sample(pool, 150)]
    links = {
        entry.id: (f"chunk-{int(entry.id[-4:]):04d}", f"chunk-{int(entry.id[-4:]) + 1:04d}")
        for ranking in lists[2:]
        for entry in ranking
    }
    return lists, links


def main() -> None:
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from llama_index.core.base.base_retriever import BaseRetriever as LlamaRetriever
    from llama_index.core.llms import MockLLM
    from llama_index.core.retrievers import QueryFusionRetriever
    from llama_index.core.schema import NodeWithScore, TextNode

    rng = random.Random(0)
    queries = [made_lists(rng) for _ in range(QUERIES)]
    text = "the text of a chunk of some length " * 120

    class Silent(BaseRetriever):
        def _get_relevant_documents(self, query: str, *, run_manager: object) -> list[Document]:
            return []

    ensemble = EnsembleRetriever(retrievers=[Silent()] * 4, weights=[1.0] * 4)
    documents = [
        [[Document(page_content=e.id + text, id=e.id) for e in ranking] for ranking in ls]
        for ls, _ in queries
    ]

    class Quiet(LlamaRetriever):
        def _retrieve(self, query_bundle: object) -> list[NodeWithScore]:
            return []

    members = [Quiet() for _ in range(4)]
    fusion = QueryFusionRetriever(members, llm=MockLLM(), num_queries=1, similarity_top_k=10)
    nodes = [
        {
            ("query", number): [
                NodeWithScore(node=TextNode(text=entry.id + text, id_=entry.id), score=1 / place)
                for place, entry in enumerate(ranking, 1)
            ]
            for number, ranking in enumerate(ls)
        }
        for ls, _ in queries
    ]

    def seams(fire_test: object) -> None:
        for lists, links in queries:
            fused = reciprocal_rank_fusion(lists)
            select_chunks(fused, links, budget=10, fire_test=fire_test)  # type: ignore[arg-type]

    results = compare(
        {
            "Seams, margin test: fuse, test, fill, trace": lambda: seams(MarginFireTest(3)),
            "Seams, anchored test: fuse, test, fill, trace": lambda: seams(AnchoredFireTest()),
            "LangChain EnsembleRetriever: fuse": lambda: [
                ensemble.weighted_reciprocal_rank(lists) for lists in documents
            ],
            "LlamaIndex QueryFusionRetriever: fuse": lambda: [
                fusion._reciprocal_rerank_fusion(lists) for lists in nodes
            ],
        },
        rounds=15,
    )
    body = f"Four lists of 150 each, {QUERIES} queries a round, milliseconds a query.\n\n"
    record("Fusing, testing and filling", body + table(results, 1000 / QUERIES, "ms"))


if __name__ == "__main__":
    main()
