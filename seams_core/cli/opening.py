"""From what a user names to an index: which store a source is, and how it is opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from seams_core.cli.embedding import Embedding
from seams_core.cli.rows import NODE_KEY
from seams_core.errors import StoreError
from seams_core.index import SeamedIndex
from seams_core.locate import Locator


@dataclass(frozen=True)
class Settings:
    """What of an index can be said on the command line; see :class:`seams_core.SeamedIndex`."""

    document_key: str | None = None
    position_key: str | None = None
    half_width: int = 150
    snap: Any = "outward"
    tokenizer: str | None = None
    language: str | None = "english"
    keywords: bool = True
    batch_size: int = 256


def open_stores(source: str, collection: str, *, make: bool) -> tuple[Any, Any]:
    """The store of chunks and that of seams, ``None`` where there are no seams yet.

    :param source: A Chroma folder, ``http://host:port`` of a Chroma server, or ``postgresql://``.
    :param make: Make the collection of seams where there is none.
    :raises StoreError: If it can not be opened.
    """
    scheme = source.partition("://")[0] if "://" in source else ""
    if scheme.partition("+")[0] in ("postgresql", "postgres"):
        from seams_core.cli.postgres import open_postgres

        return open_postgres(source, collection, make=make)
    if scheme not in ("", "http", "https"):
        raise StoreError(
            f"{source}: no store of that kind is known here; give a Chroma folder, "
            "http://HOST:PORT of a Chroma server, or postgresql://..."
        )
    from seams_core.cli.chroma import open_chroma

    return open_chroma(source, collection, make=make)


def open_index(
    source: str,
    collection: str,
    embedding: Embedding | None,
    settings: Settings,
    *,
    make: bool = False,
) -> SeamedIndex:
    """The index at ``source``.

    :param embedding: The chunks' own; ``None`` where nothing will be embedded.
    :raises StoreError: If it can not be opened, or has no seams and ``make`` is false.
    """
    chunks, seams = open_stores(source, collection, make=make)
    if seams is None:
        raise StoreError(
            f"{collection!r} has no seams yet: add them with `seams attach {source} {collection} "
            "--embedding MODULE:NAME`"
        )
    return SeamedIndex(
        chunks,
        seams,
        embedding.texts if embedding else _nothing_to_embed,
        keywords=settings.keywords,
        language=settings.language,
        half_width=settings.half_width,
        snap=settings.snap,
        tokenizer=settings.tokenizer,
        locator=Locator(settings.document_key, settings.position_key),
        batch_size=settings.batch_size,
    )


def refuse_nodes_of_llamaindex(chunks: Any, collection: str) -> None:
    """LlamaIndex embeds a node with its metadata, by templates that only it can read.

    :raises StoreError: If the first chunk is one of LlamaIndex's.
    """
    for page in chunks.pages(1):
        if NODE_KEY in page[0].metadata:
            raise StoreError(
                f"{collection!r} was written by LlamaIndex, which embeds chunks with their "
                "metadata: attach with seams_llamaindex.SeamIndex.attach(index), so that seams "
                "are embedded alike; status, search and advise work from here"
            )
        return


def _nothing_to_embed(texts: list[str]) -> Any:
    raise AssertionError("nothing is embedded here")
