"""tiktoken as a measure: byte lengths of tokens, not a decode per token.

A byte pair encoding has the property that makes this exact: a text cut at one of its own token
boundaries has, to the left of the cut, just the tokens that it had there. So a chunk that is
encoded from its own start and cut after its n-th token has n tokens when it is encoded alone.
"""

from __future__ import annotations

import importlib.util
import os
import re
import threading
from collections import OrderedDict
from functools import cached_property, lru_cache
from hashlib import sha1
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from seams_core.errors import TokenizerUnavailableError

if TYPE_CHECKING:
    import tiktoken
    from numpy.typing import NDArray

_SURROGATE = re.compile("[\ud800-\udfff]")
# A space after a non-space begins a piece of its own in the split patterns of tiktoken's
# encodings, so a text encoded from there has the tokens that it has inside a longer text.
_SAFE_START = re.compile(r"(?<=\S) ")
_CHARS_PER_TOKEN = 4.5
# Where tiktoken keeps each encoding's file: its cache is keyed by the digest of this address.
_BLOB = "https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
_CACHE_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
_RECENT = 512  # chunks; some megabytes at 1,024 tokens each
_lock = threading.Lock()


def shipped_folder(kind: str) -> Path | None:
    """The folder ``_static/<kind>`` of an installed llama-index-core, found unimported."""
    try:
        spec = importlib.util.find_spec("llama_index.core")
    except (ImportError, ValueError):
        return None
    for location in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(location) / "_static" / kind
        if folder.is_dir():
            return folder
    return None


def _load(name: str) -> tiktoken.Encoding:
    import tiktoken

    if name not in tiktoken.list_encoding_names():
        allowed = ", ".join(sorted(tiktoken.list_encoding_names()))
        raise ValueError(f"tokenizer={name!r} is no tiktoken encoding: give one of {allowed}")
    key = sha1(_BLOB.format(name=name).encode(), usedforsecurity=False).hexdigest()
    folder = shipped_folder("tiktoken_cache")
    shipped = folder if folder is not None and (folder / key).is_file() else None
    named = any(variable in os.environ for variable in _CACHE_VARIABLES)
    if shipped is not None and not named:
        # The same bytes (tiktoken checks their digest) without asking the network.
        return _load_from(name, shipped)
    try:
        return tiktoken.get_encoding(name)
    except Exception as error:
        if shipped is not None:
            return _load_from(name, shipped)
        raise TokenizerUnavailableError(
            f"tiktoken could not load the file of {name!r} ({type(error).__name__}: {error}). "
            "Set TIKTOKEN_CACHE_DIR to a folder that holds it, install llama-index-core (its "
            "wheel ships cl100k_base and o200k_base), or pass another tokenizer with tokenizer="
        ) from error


def _load_from(name: str, folder: Path) -> tiktoken.Encoding:
    import tiktoken

    with _lock:
        before = os.environ.get(_CACHE_VARIABLES[0])
        os.environ[_CACHE_VARIABLES[0]] = str(folder)
        try:
            return tiktoken.get_encoding(name)
        finally:
            if before is None:
                del os.environ[_CACHE_VARIABLES[0]]
            else:
                os.environ[_CACHE_VARIABLES[0]] = before


@lru_cache(maxsize=8)
def tiktoken_measure(name: str) -> TiktokenMeasure:
    """The measure of a named encoding, loaded once per process."""
    return TiktokenMeasure(_load(name))


class TiktokenMeasure:
    """Token positions of a tiktoken encoding, in characters; special tokens are ordinary text."""

    def __init__(self, encoding: tiktoken.Encoding) -> None:
        self._encoding = encoding
        self.name: str = encoding.name
        # Arrays are faster than lists, but the first releases that gave them took what looks like
        # a special token for one.
        to_numpy = getattr(encoding, "encode_to_numpy", None)
        self._to_numpy = to_numpy is not None and all(
            len(to_numpy(token, disallowed_special=())) == len(encoding.encode_ordinary(token))
            for token in encoding.special_tokens_set
        )
        # Tokens of the chunks cut last: their windows are taken next, and need not encode again.
        self._recent: OrderedDict[str, NDArray[np.uint32]] = OrderedDict()

    def __reduce__(self) -> tuple[Any, ...]:
        return (TiktokenMeasure, (self._encoding,))

    @cached_property
    def _lengths(self) -> NDArray[np.int64]:
        lengths = np.zeros(self._encoding.n_vocab, dtype=np.int64)
        for token in range(self._encoding.n_vocab):
            try:
                lengths[token] = len(self._encoding.decode_single_token_bytes(token))
            except KeyError:  # a hole in the vocabulary
                continue
        return lengths

    def _encode(self, text: str) -> NDArray[np.uint32]:
        if self._to_numpy:
            return self._encoding.encode_to_numpy(text, disallowed_special=())
        return np.array(self._encoding.encode_ordinary(text), dtype=np.uint32)

    def count(self, text: str) -> int:
        """How many tokens ``text`` has, encoded alone."""
        return len(self._encode(_clean(text)))

    def token_bounds(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where each token of the whole ``text`` begins and ends, in characters.

        A token that begins or ends inside a code point takes that code point in whole.
        """
        clean = _clean(text)
        lengths = self._lengths[self._encode(clean)]
        ends: NDArray[np.int64] = np.cumsum(lengths)
        starts: NDArray[np.int64] = ends - lengths
        if clean.isascii():
            return starts, ends
        raw = np.frombuffer(clean.encode(), dtype=np.uint8)
        characters: NDArray[np.int64] = np.cumsum((raw & 0xC0) != 0x80)
        return characters[starts] - 1, characters[ends - 1]

    def prefix(self, text: str, start: int, limit: int) -> int:
        """The end, in characters, of the longest piece from ``start`` of ``limit`` whole tokens."""
        piece, tokens, whole = self._encode_enough(text, start, limit)
        if whole and len(tokens) <= limit:
            self._remember(text[start:], tokens)
            return len(text)
        raw = None if piece.isascii() else piece.encode()
        for n in range(limit, 0, -1):
            size = self._exact(tokens, n, raw)
            if size is None:
                continue
            chunk = text[start : start + size]
            alone = self._alone(chunk, tokens[:n])
            if len(alone) <= limit:
                self._remember(chunk, alone)
                return start + size
        # No token boundary lies between code points: go on one code point at a time.
        size = 1
        while size < len(piece) and len(self._encode(piece[: size + 1])) <= limit:
            size += 1
        return start + size

    def head(self, text: str, n: int) -> int:
        """Where the first ``n`` tokens end, in characters."""
        recent = self._recent.get(text)
        if recent is None:
            piece, tokens, whole = self._encode_enough(text, 0, n)
        else:
            piece, tokens, whole = _clean(text), recent, True
        raw = None if piece.isascii() else piece.encode()
        for m in range(n, len(tokens)):
            size = self._exact(tokens, m, raw)
            if size is not None:
                return size
        return len(text) if whole else self.head(text, n + len(tokens))

    def tail(self, text: str, n: int) -> int:
        """Where the last ``n`` tokens begin, in characters."""
        width = int(n * _CHARS_PER_TOKEN) + 96
        recent = self._recent.get(text)
        while True:
            start = 0 if recent is not None else self._safe_start(text, len(text) - width)
            piece = _clean(text[start:])
            tokens = self._encode(piece) if recent is None else recent
            if len(tokens) <= n and start:
                width *= 2
                continue
            raw = None if piece.isascii() else piece.encode()
            for m in range(len(tokens) - n, 0, -1):
                size = self._exact(tokens, m, raw)
                if size is not None:
                    return start + size
            if not start:
                return 0
            width *= 2

    def _encode_enough(self, text: str, start: int, n: int) -> tuple[str, NDArray[np.uint32], bool]:
        """A piece of ``text`` from ``start`` with its tokens: more than ``n``, or all."""
        # Some tokens to spare: those at the very end know only half of what follows them.
        wanted = n + 8
        end = start + int(wanted * _CHARS_PER_TOKEN) + 64
        piece = _clean(text[start:end])
        tokens = self._encode(piece)
        while len(tokens) < wanted and end < len(text):
            # Go on from the last place where the tokens so far are sure, not from the start.
            keep, known = self._sure(piece, tokens)
            resume = start + keep
            missing = wanted - known
            end = max(end, resume) + int(missing * _CHARS_PER_TOKEN) + 32
            more = _clean(text[resume:end])
            piece = piece[:keep] + more
            tokens = np.concatenate((tokens[:known], self._encode(more)))
        return piece, tokens, end >= len(text)

    def _sure(self, piece: str, tokens: NDArray[np.uint32]) -> tuple[int, int]:
        """The last safe place of ``piece``: its offset in characters, and the tokens before it."""
        place = None
        for match in _SAFE_START.finditer(piece, max(0, len(piece) - 256)):
            place = match.start()
        if place is None:
            return 0, 0
        size = len(piece[:place].encode())
        ends = self._lengths[tokens].cumsum()
        known = int(np.searchsorted(ends, size)) + 1
        if known > len(ends) or ends[known - 1] != size:
            return 0, 0
        return place, known

    def _remember(self, piece: str, tokens: NDArray[np.uint32]) -> None:
        with _lock:
            self._recent[piece] = tokens
            while len(self._recent) > _RECENT:
                self._recent.popitem(last=False)

    def _exact(self, tokens: NDArray[np.uint32], n: int, raw: bytes | None) -> int | None:
        """The end of the first ``n`` tokens in characters, or ``None`` inside a code point."""
        size = int(self._lengths[tokens[:n]].sum())
        if raw is None or size >= len(raw):
            return size if raw is None else len(raw.decode())
        if raw[size] & 0xC0 == 0x80:
            return None
        return len(raw[:size].decode())

    def _alone(self, piece: str, tokens: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """The tokens of ``piece`` when it is encoded alone, given those it had in its text."""
        # The one place where the property above can fail: a white-space token that the rest of
        # its word has left joins the white space before it.
        if piece[-1].isspace() and piece[-2:-1].isspace():
            return self._encode(_clean(piece))
        return tokens

    @staticmethod
    def _safe_start(text: str, position: int) -> int:
        if position <= 0:
            return 0
        # Look near the wanted place only; the whole text is right everywhere, just slower.
        match = _SAFE_START.search(text, position, min(len(text), position + 256))
        if match is None:
            return 0
        return match.start()


def _clean(text: str) -> str:
    """``text`` with lone surrogates replaced one by one, so that offsets stay as they are."""
    if text.isascii():
        return text
    return _SURROGATE.sub("\ufffd", text)
