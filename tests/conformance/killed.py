"""What a process does that is killed, or that another one runs beside."""

from __future__ import annotations

import time
import zlib
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from seams_core import Row, sync
from tests.conformance.cases import Case, Place, all_rows
from tests.stores import MemoryStore


def embed(texts: list[str]) -> np.ndarray:
    """Costs next to nothing, and the same text gives the same vector in every process."""
    vectors = [np.random.default_rng(zlib.crc32(text.encode())).random(64) for text in texts]
    return np.array(vectors).reshape(len(texts), 64)


def five_thousand() -> list[Row]:
    """Chunks of fifty documents."""
    return [
        Row(f"{d}-{n}", f"Chunk {n} of document {d}. It says w{n * d}.", {"source": d, "seq": n})
        for d in range(50)
        for n in range(100)
    ]


def expected(name: str) -> dict[str, tuple]:
    """What an uninterrupted run leaves in a seam collection of this name."""
    store = MemoryStore(name)
    sync(five_thousand(), store, embed)
    return links(store)


def links(store: Any) -> dict[str, tuple]:
    return {
        row.id: (row.text, row.metadata["left_chunk_id"], row.metadata["right_chunk_id"])
        for row in all_rows(store, 2000).values()
    }


def seam_store(case: Case, path: str, url: str, name: str) -> Any:
    return case.resolve(case.open(Place(Path(path), lambda server: url, name), _Embedding()))


def run(case_name: str, path: str, url: str, name: str, talk: Connection, slow: float) -> None:
    """Sync five thousand chunks into a seam collection; says when it begins and how it ended."""
    from tests.conformance.conftest import CASES

    (case,) = (case for case in CASES if case.name == case_name)

    def slowly(texts: list[str]) -> np.ndarray:
        time.sleep(slow)
        return embed(texts)

    try:
        store = seam_store(case, path, url, name)
        talk.send("ready")
        talk.send(str(sync(five_thousand(), store, slowly, batch_size=128)))
    except Exception as error:
        talk.send(f"{type(error).__name__}: {error}")


def read(case_name: str, path: str, url: str, name: str, talk: Connection) -> None:
    """Open a seam collection, which makes it where there is none, and tell what it holds."""
    from tests.conformance.conftest import CASES

    (case,) = (case for case in CASES if case.name == case_name)
    talk.send(links(seam_store(case, path, url, name)))


class _Embedding:
    """The embedding that wrappers are made with; seams are embedded by ``embed``."""

    def one(self, text: str) -> np.ndarray:
        return embed([text])[0]

    def __call__(self, texts: list[str]) -> np.ndarray:
        return embed(texts)
