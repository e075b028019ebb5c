"""What the conformance suite needs to know of a store in a framework."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from seams_core import Row, Store, split_text
from seams_core.ids import stable_uuid
from tests.stores import HashEmbedding

TOPICS = ["orders outage stale reads", "billing records strongly consistent", "replicas lag writes"]
#: A filter in the store's own syntax, and what it means.
Filter = tuple[Any, Callable[[dict], bool]]


@dataclass
class Place:
    """Where a test's store lives: a folder of its own, and servers that are up."""

    path: Path
    url: Callable[[str], str]
    name: str


@dataclass
class Case:
    """A store in a framework.

    :param open: From a place and an embedding to an empty vector store.
    :param fill: Rows into it by plain framework code; gives what an adapter is handed.
    :param remove: Ids out of it by plain framework code.
    :param resolve: The adapter.
    :param beside: A second collection.
    :param public: Texts that its public search methods give for a query.
    :param filters: Filters in its syntax.
    :param shares: Whether chunks and seams may share a collection.
    :param any_id: Whether ids that are no UUIDs are allowed.
    :param removes: Whether it can delete.
    :param needs: Modules without which it can not be run.
    :param values: Metadata of every type that it takes.
    """

    name: str
    open: Callable[[Place, HashEmbedding], Any]
    fill: Callable[[Any, list[Row], HashEmbedding], Any]
    remove: Callable[[Any, list[str]], None]
    resolve: Callable[..., Store]
    beside: Callable[[Any], Any]
    public: Callable[[Any, str, HashEmbedding], list[str]]
    filters: list[Filter]
    shares: bool = True
    any_id: bool = True
    removes: bool = True
    needs: tuple[str, ...] = ()
    values: dict[str, Any] = field(
        default_factory=lambda: {"words": "é 中", "whole": 7, "broken": 0.5, "yes": True}
    )


def chunk_rows(documents: int = 3, words: int = 160, first: int = 0) -> list[Row]:
    """Chunks of documents, with metadata to filter by; every seam joins halves 0 and 1."""
    rows = []
    for d in range(first, first + documents):
        text = " ".join(f"{TOPICS[(d + n) % 3]} w{n} d{d}." for n in range(words))
        for n, chunk in enumerate(split_text(text, document_id=f"doc-{d}", chunk_size=128)):
            metadata = {
                "source": f"doc-{d}",
                "start_index": chunk.start,
                "group": d % 3,
                "tag": "abc"[d % 3],
                "half": n % 2,
            }
            rows.append(Row(chunk.id, chunk.text, metadata))
    return rows


def renamed(rows: list[Row], name: Callable[[int], str]) -> list[Row]:
    return [row._replace(id=name(n)) for n, row in enumerate(rows)]


def cuts(rows: list[Row]) -> int:
    return len(rows) - len({row.metadata["source"] for row in rows})


def all_rows(store: Store, size: int = 50) -> dict[str, Row]:
    rows = [row for page in store.pages(size) for row in page]
    found = {row.id: row for row in rows}
    assert len(found) == len(rows)
    return found


def plain(row: Row) -> tuple[str, str, dict]:
    """A row as it was given, without what an adapter adds."""
    keys = ("source", "start_index", "group", "tag", "half")
    return row.id, row.text, {key: row.metadata[key] for key in keys}


def missing(case: Case) -> str | None:
    """The first module that a case needs and that is not installed."""
    for module in case.needs:
        try:
            found = find_spec(module) is not None
        except ModuleNotFoundError:  # not even the package that it is in
            found = False
        if not found:
            return module
    return None


def wanted(name: str) -> bool:
    """Whether the environment's choice of stores, if there is one, has this one."""
    chosen = os.environ.get("SEAMS_STORES")
    return chosen is None or name in chosen.split(",")


UUIDS = [stable_uuid("row", n) for n in range(100)]
