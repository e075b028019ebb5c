"""Opening a Chroma collection, in a folder or over HTTP, without making anything by looking."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from seams_core.cli.rows import read_row
from seams_core.errors import StoreError
from seams_core.stores.chroma import ChromaStore, collection_beside

_PATIENCE = 5.0  # seconds to wait for another process's write


def open_chroma(source: str, collection: str, *, make: bool) -> tuple[ChromaStore, Any]:
    """The chunks of ``collection`` and, if there are any or ``make``, the seams beside them.

    :param source: A folder, or ``http://host:port``.
    :raises StoreError: If there is no such folder, server or collection.
    """
    client = _client(source)
    names = sorted(c.name for c in client.list_collections())
    if collection not in names:
        there = ", ".join(n for n in names if not n.endswith("-seams")) or "none"
        raise StoreError(f"{source} has no collection {collection!r}; there are: {there}")
    chunks = client.get_collection(collection, embedding_function=None)
    store = ChromaStore(chunks, read=read_row)
    if not make and f"{collection}-seams" not in names:
        return store, None
    return store, ChromaStore(collection_beside(chunks))


def _client(source: str) -> Any:
    try:
        import chromadb
    except ModuleNotFoundError as error:
        raise StoreError('Chroma needs chromadb: pip install "chunk-seams[chroma]"') from error
    settings = chromadb.config.Settings(anonymized_telemetry=False)
    if source.startswith(("http://", "https://")):
        url = urlsplit(source)
        ssl = url.scheme == "https"
        try:
            return chromadb.HttpClient(
                host=url.hostname or "localhost",
                port=url.port or (443 if ssl else 8000),
                ssl=ssl,
                settings=settings,
            )
        except Exception as error:
            raise StoreError(f"no Chroma server answers at {source}: {error}") from error
    folder = Path(source)
    if not (folder / "chroma.sqlite3").is_file():
        what = "holds no Chroma database" if folder.is_dir() else "is no folder"
        raise StoreError(
            f"{source} {what}: give the folder that holds chroma.sqlite3, http://HOST:PORT of a "
            "Chroma server, or postgresql://..."
        )
    _refuse_locked(folder)
    return chromadb.PersistentClient(path=str(folder), settings=settings)


def _refuse_locked(folder: Path) -> None:
    """Chroma itself would wait for the other process without an end and without a word."""
    database = sqlite3.connect(folder / "chroma.sqlite3", timeout=_PATIENCE, isolation_level=None)
    try:
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        database.execute("BEGIN IMMEDIATE")
        database.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        if "lock" not in str(error):
            return  # read-only, say: Chroma tells
        raise StoreError(
            f"another process holds the Chroma database in {folder}: wait until it is done, or "
            "use a Chroma server, which many may use at once"
        ) from error
    finally:
        database.close()
