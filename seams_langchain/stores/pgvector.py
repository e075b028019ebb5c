"""LangChain's older PGVector: all collections share one table, whose ids are unique over all."""

from __future__ import annotations

from typing import Any

from seams_core.registry import Part
from seams_core.store import Store

_OPERATORS = {"euclidean": "<->", "l2": "<->", "cosine": "<=>", "inner": "<#>"}


def store(vectorstore: Any, part: Part) -> Store:
    """Its collection, by its own tables; a filter is a dictionary in its syntax."""
    from seams_core.stores.postgres import PostgresStore
    from seams_core.stores.sql import EngineRunner, LoopRunner, Runner
    from seams_core.stores.table import Table, common_table

    runner: Runner
    if vectorstore.async_mode:  # its synchronous methods do not work then; ours do
        from sqlalchemy.ext.asyncio import create_async_engine

        runner = LoopRunner(create_async_engine(vectorstore._async_engine.url))
    else:
        runner = EngineRunner(vectorstore._engine)

    def table() -> Table:
        import sqlalchemy as sa

        embeddings, collections = _tables(vectorstore)
        name = collections.c.name == vectorstore.collection_name
        found = runner.run([sa.select(collections.c.uuid).where(name)])
        if not found:  # asynchronous wrappers make it at their first call
            runner.run([sa.insert(collections).values(name=vectorstore.collection_name)])
            found = runner.run([sa.select(collections.c.uuid).where(name)])
        return common_table(embeddings, found[0][0])

    return PostgresStore(
        vectorstore.collection_name,
        table,
        runner,
        part=part,
        as_clause=vectorstore._create_filter_clause,
        operator=_OPERATORS[str(vectorstore._distance_strategy.value)],
    )


def beside(vectorstore: Any) -> Any:
    """A collection named after the first one, which PGVector keeps in the same table."""
    return type(vectorstore)(
        embeddings=vectorstore.embeddings,
        connection=vectorstore._async_engine if vectorstore.async_mode else vectorstore._engine,
        embedding_length=vectorstore._embedding_length,
        collection_name=f"{vectorstore.collection_name}-seams",
        distance_strategy=vectorstore._distance_strategy,
        create_extension=False,
    )


def _tables(vectorstore: Any) -> tuple[Any, Any]:
    from langchain_postgres.vectorstores import _get_embedding_collection_store

    embeddings, collections = _get_embedding_collection_store(vectorstore._embedding_length)
    vectorstore.EmbeddingStore, vectorstore.CollectionStore = embeddings, collections
    return embeddings.__table__, collections.__table__
