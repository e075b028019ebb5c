"""Stable ids (rule R2): the same input gives the same UUID in every process and machine."""

from __future__ import annotations

import hashlib
import uuid

_NAMESPACE = uuid.UUID("6f3b7a52-0c1d-5f0e-9a44-7d9a5e1c2b60")


def stable_uuid(*parts: str | int) -> str:
    """A version 5 UUID over ``parts``, which are length-prefixed so that they can not run together.

    Lone surrogates, which UTF-8 refuses, are hashed as they stand.
    """
    digest = hashlib.sha1(_NAMESPACE.bytes, usedforsecurity=False)
    for part in parts:
        raw = str(part).encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(raw))
        digest.update(raw)
    raw_id = bytearray(digest.digest()[:16])
    raw_id[6] = raw_id[6] & 0x0F | 0x50  # version 5, written out: uuid.UUID is slow to make
    raw_id[8] = raw_id[8] & 0x3F | 0x80
    name = raw_id.hex()
    return f"{name[:8]}-{name[8:12]}-{name[12:16]}-{name[16:20]}-{name[20:]}"


def chunk_id(document_id: str, start: int, text: str) -> str:
    """The id of a chunk, from its document, its position in characters and its text."""
    return stable_uuid("chunk", document_id, start, text)


def seam_id(
    namespace: str, left_chunk_id: str, right_chunk_id: str, window: str, settings: str
) -> str:
    """The id of a seam, from its collection, both chunks, its window and its settings.

    The collection is part of it because some stores keep one id space over all collections; the
    window is part of it because chunk ids of other splitters may outlive a change of the text.
    """
    return stable_uuid("seam", namespace, left_chunk_id, right_chunk_id, window, settings)
