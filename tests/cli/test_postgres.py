"""The commands on PostgreSQL: tables of three writers, left readable by these."""

from __future__ import annotations

import uuid

import psycopg
import pytest
from langchain_core.documents import Document

from seams_langchain import SeamIndex
from tests.cli.conftest import DOCUMENTS, chunks
from tests.conformance.in_langchain import Hashed
from tests.stores import HashEmbedding

pytestmark = pytest.mark.slow

CHUNKS = len(list(chunks()))
CUTS = CHUNKS - DOCUMENTS


@pytest.fixture
def database(servers) -> str:
    """An empty database with pgvector."""
    server = f"postgresql://postgres@{servers.url('postgres')}"
    name = f"cli{uuid.uuid4().hex[:8]}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    with psycopg.connect(f"{server}/{name}", autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
    return f"{server}/{name}"


def documents() -> list[Document]:
    return [
        Document(
            id=chunk.id,
            page_content=chunk.text,
            metadata={"document_id": chunk.document_id, "start_index": chunk.start},
        )
        for chunk in chunks()
    ]


def pgvectorstore(database: str):
    from langchain_postgres import PGEngine, PGVectorStore

    engine = PGEngine.from_connection_string(database.replace("://", "+psycopg://"))
    engine.init_vectorstore_table("docs", 64)
    return PGVectorStore.create_sync(engine, Hashed(HashEmbedding()), "docs")


def pgvector(database: str):
    from langchain_postgres import PGVector

    return PGVector(
        Hashed(HashEmbedding()),
        connection=database.replace("://", "+psycopg://"),
        collection_name="docs",
    )


@pytest.mark.parametrize("make", [pgvectorstore, pgvector])
def test_the_commands_and_then_the_adapter_on_the_same_seams(seams, database, make) -> None:
    store = make(database)
    store.add_documents(documents())
    assert seams("status", database, "docs", "--json").code == 3
    attached = seams("attach", database, "docs", "-e", "mine:embed", "--json")
    assert (attached.json["added"], attached.json["chunks"]) == (CUTS, CHUNKS)
    assert seams("attach", database, "docs", "-e", "mine:embed", "--json").json["kept"] == CUTS
    assert seams("status", database, "docs").code == 0
    found = seams("search", database, "docs", "store s5", "-e", "mine:embed", "--json").json
    assert len(found["chunks"]) == 5
    # The adapter makes the same seams and so has nothing left to do.
    index = SeamIndex(store)
    report = index.sync()
    assert (report.added, report.kept, report.deleted) == (0, CUTS, 0)
    again = seams("search", database, "docs", "store s5", "-e", "mine:embed", "--json").json
    assert again == found


def test_a_table_of_ones_own(seams, database) -> None:
    embed = HashEmbedding()
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA mine")
        connection.execute(
            "CREATE TABLE mine.docs (id bigint PRIMARY KEY, text text, "
            "embedding vector(64), metadata jsonb)"
        )
        for number, chunk in enumerate(chunks()):
            connection.execute(
                "INSERT INTO mine.docs VALUES (%s, %s, %s, jsonb_build_object("
                "'document_id', %s::text, 'start_index', %s::int))",
                [
                    number,
                    chunk.text,
                    str(embed.one(chunk.text).tolist()),
                    chunk.document_id,
                    chunk.start,
                ],
            )
    attached = seams("attach", database, "mine.docs", "-e", "mine:embed", "--json")
    assert attached.json["added"] == CUTS
    assert seams("status", database, "mine.docs").code == 0


def test_what_is_wrong_is_said(seams, database) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE TABLE plain (id bigint PRIMARY KEY, words text)")
    gone = seams("status", database, "absent")
    assert (gone.code, "its tables are: plain" in gone.err) == (1, True)
    shape = seams("status", database, "plain")
    assert (shape.code, "no column of vectors" in shape.err) == (1, True)
    assert "words (text)" in shape.err
    server = database.rpartition("/")[0]
    absent = seams("status", f"{server}/absent", "docs")
    assert (absent.code, "does not answer" in absent.err) == (1, True)
    nobody = seams("status", "postgresql://postgres@127.0.0.1:9/x", "docs")
    assert (nobody.code, "does not answer" in nobody.err) == (1, True)
