"""Attaching to an index of many chunks in PostgreSQL, with an embedding that costs nothing.

Each size runs in a process of its own, which measures its own memory; the server's is not its.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
SIZES = (100_000, 1_000_000)
PER_DOCUMENT = 20
WORDS = 60
NOTHING = np.ones((10_000, 8), dtype=np.float32)


class Free:
    """Embeddings that cost nothing, so that only ours is measured."""

    def embed_documents(self, texts: list[str]) -> Any:
        return NOTHING[: len(texts)]

    def embed_query(self, text: str) -> list[float]:
        return [1.0] * 8


def megabytes() -> float:
    """The most memory that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(url: str, chunks: int) -> dict[str, float]:
    """Make a table of chunks on the server, attach to it, and sync once more."""
    from langchain_postgres import Column, PGEngine, PGVectorStore
    from sqlalchemy import text

    from seams_core import SeamedIndex
    from seams_langchain.stores import beside, resolve_store

    engine = PGEngine.from_connection_string(url)
    name = f"chunks_{chunks}"
    engine.init_vectorstore_table(name, 8, id_column=Column("langchain_id", "TEXT", nullable=False))
    store = PGVectorStore.create_sync(engine, Free(), name)
    chunk_store = resolve_store(store)
    chunk_store._runner.run(
        [
            text(
                f"INSERT INTO {name} SELECT md5(n::text), "
                "(SELECT string_agg('word' || ((n * 7 + w) % 9973)::text, ' ') || '.' "
                f"FROM generate_series(1, {WORDS}) w), '[1,1,1,1,1,1,1,1]', "
                f"json_build_object('source', 'd' || (n / {PER_DOCUMENT})::text, "
                f"'chunk_index', n % {PER_DOCUMENT}) FROM generate_series(0, {chunks - 1}) n"
            )
        ]
    )
    embeddings = Free()
    index = SeamedIndex(chunk_store, resolve_store(beside(store)), embeddings.embed_documents)
    index.embed(["warm up"])
    before, begun = megabytes(), time.perf_counter()
    first = index.sync()
    seconds, grown = time.perf_counter() - begun, megabytes() - before
    begun = time.perf_counter()
    second = index.sync()
    again = time.perf_counter() - begun
    assert first.added == second.kept == chunks - -(-chunks // PER_DOCUMENT)
    return {"chunks": chunks, "first": seconds, "grown": grown, "second": again}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="where to record the result (Markdown)")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    if options.one:
        print(json.dumps(measure(options.one[0], int(options.one[1]))))
        return
    from tests.conformance.servers import Servers

    lines = [
        "| chunks | first sync, s | per chunk, µs | memory grown, MB | second sync, s | share |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    with tempfile.TemporaryDirectory() as folder:
        servers = Servers(Path(folder))
        try:
            url = f"postgresql+psycopg://postgres@{servers.url('postgres')}/postgres"
            for size in options.sizes:
                command = [sys.executable, __file__, "--one", url, str(size)]
                out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
                r = json.loads(out.stdout)
                lines.append(
                    f"| {r['chunks']:,.0f} | {r['first']:.1f} | "
                    f"{1e6 * r['first'] / r['chunks']:.0f} | {r['grown']:.0f} | "
                    f"{r['second']:.1f} | {r['second'] / r['first']:.3f} |"
                )
                print(lines[-1], flush=True)
        finally:
            servers.stop()
    text = (
        "# Attaching to a large index\n\nChunks of 60 words in PostgreSQL through LangChain's "
        "PGVectorStore, 20 to a document, with an embedding that costs nothing. Memory is what the "
        "process grew by over the first sync.\n\n"
        + "\n".join(lines)
        + f"\n\nMade by `python benchmarks/attaching.py` on Python {platform.python_version()}, "
        f"{platform.machine()}, 2 cores.\n"
    )
    print(text)
    if options.out is not None:
        options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
