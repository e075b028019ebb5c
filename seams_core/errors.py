"""A wrong setting is a ``ValueError``; what data or a store lacks is a ``SeamsError``."""

from __future__ import annotations


class SeamsError(Exception):
    """Base of every error that says something about data, a store or an index."""


class ChunkOrderError(SeamsError):
    """Chunks do not come as one document after the other, each in reading order."""


class TokenizerUnavailableError(SeamsError):
    """The tokenizer's data file can be found neither in a cache nor over the network."""


class StaleIndexError(SeamsError):
    """A saved index is damaged, or does not belong to what it is used with."""


class StoreError(SeamsError):
    """A store lacks a feature that is needed, or failed in the middle of work."""


class MissingKeyError(SeamsError):
    """Document or order of a chunk can not be told from its metadata."""


class RerankError(SeamsError):
    """A reranker gave back an id that it was not given."""


class SyncInterruptedError(StoreError):
    """A sync stopped half-way; what was written is valid and running it again completes it."""
