"""Keyword search in process, one index per collection (paper 3.2, step 1; rule R7)."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import tempfile
from array import array
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from seams_core.errors import StaleIndexError
from seams_core.tokens import checked_positive
from seams_core.words import terms_of

_FORMAT = 1
_META = "seams_keywords.json"


class KeywordIndex:
    """BM25 (Lucene's form) over the texts of one collection, by the library bm25s.

    Build one for chunks and another for seams: seam text repeats text of chunks, so common
    statistics would count the words near cuts twice. Safe to search from several threads.
    """

    def __init__(
        self, ids: list[str], language: str | None, engine: Any, k1: float, b: float
    ) -> None:
        self._ids = ids  # in rising order, so that an index breaks ties as an id does
        self._engine = engine  # None where no text has a term
        self._numbers: dict[str, int] | None = None
        self.language = language
        self.k1 = k1
        self.b = b

    @classmethod
    def build(
        cls,
        items: Iterable[tuple[str, str]],
        *,
        language: str | None = "english",
        k1: float = 1.5,
        b: float = 0.75,
        progress: bool = False,
    ) -> KeywordIndex:
        """Index texts; they are read one by one and not kept.

        :param items: Pairs of id and text.
        :param language: Chooses stemmer and stop words; ``None`` for neither.
        :param k1: How fast repeats of a term stop to count, 0 or more.
        :param b: How much length counts, 0 to 1.
        :param progress: Show a progress bar.
        :raises ValueError: If a setting is wrong or an id comes twice.
        """
        if not k1 >= 0:
            raise ValueError(f"k1={k1!r} is not allowed: give a number of 0 or more")
        if not 0 <= b <= 1:
            raise ValueError(f"b={b!r} is not allowed: give a number from 0 to 1")
        terms = terms_of(language)
        vocabulary: dict[str, int] = {}
        found: dict[str, array[int]] = {}
        if progress:
            from tqdm import tqdm

            items = tqdm(items, desc="keywords", unit="text")
        for id, text in items:
            if id in found:
                raise ValueError(f"id {id!r} comes twice: give each id once")
            numbers = (vocabulary.setdefault(term, len(vocabulary)) for term in terms(text))
            found[id] = array("i", numbers)
        ids = sorted(found)
        engine = None
        if vocabulary:
            engine = _bm25s().BM25(method="lucene", k1=k1, b=b)
            engine.index(([found[id] for id in ids], vocabulary), show_progress=False)
        return cls(ids, language, engine, k1, b)

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, id: object) -> bool:
        return id in self._positions

    @property
    def ids(self) -> tuple[str, ...]:
        """Every id, in rising order."""
        return tuple(self._ids)

    @property
    def _positions(self) -> dict[str, int]:
        if self._numbers is None:
            self._numbers = {id: number for number, id in enumerate(self._ids)}
        return self._numbers

    def search(
        self, query: str, k: int, *, allowed: Collection[str] | None = None
    ) -> list[tuple[str, float]]:
        """The best ``k`` texts with their scores; ties go to the lower id.

        :param query: Any text; without a term of the index the answer is empty.
        :param k: How many at most, at least 1. Texts that match no term are never among them.
        :param allowed: If given, only these ids; unknown ones are passed over.
        :raises ValueError: If ``k`` is below 1.
        """
        k = checked_positive("k", k)
        if self._engine is None:
            return []
        vocabulary = self._engine.vocab_dict
        known = [vocabulary[term] for term in terms_of(self.language)(query) if term in vocabulary]
        if not known:
            return []
        scores = self._engine.get_scores_from_ids(known)
        if allowed is not None:
            mask = np.zeros(len(scores), dtype=bool)
            mask[[self._positions[id] for id in allowed if id in self._positions]] = True
            scores = np.where(mask, scores, 0)
        matching = np.flatnonzero(scores > 0)
        if len(matching) > k:
            # Everything that ties with the k-th best stays in, for the ids to decide.
            least = np.partition(scores[matching], -k)[-k]
            matching = matching[scores[matching] >= least]
        order = matching[np.argsort(-scores[matching], kind="stable")][:k]
        return [(self._ids[number], float(scores[number])) for number in order]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index as a folder of JSON and plain arrays, whole or not at all."""
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        try:
            if self._engine is not None:
                self._engine.save(folder)
            meta = {
                "format": _FORMAT,
                "language": self.language,
                "k1": self.k1,
                "b": self.b,
                "ids": self._ids,
                "files": {file.name: _digest(file) for file in sorted(folder.iterdir())},
            }
            (folder / _META).write_text(json.dumps(meta), encoding="utf-8")
            if target.exists():
                # A folder can not be replaced in one step; the old one steps aside.
                aside = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
                os.replace(target, aside / "old")
                os.replace(folder, target)
                shutil.rmtree(aside)
            else:
                os.replace(folder, target)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> KeywordIndex:
        """Read a saved index; nothing is ever unpickled.

        :raises StaleIndexError: If the folder is missing, damaged or of another format.
        """
        folder = Path(path)
        again = "build it again with KeywordIndex.build and save it"
        try:
            meta = json.loads((folder / _META).read_text(encoding="utf-8"))
            if meta["format"] != _FORMAT:
                raise StaleIndexError(
                    f"the keyword index in {folder} has format {meta['format']!r} and this version "
                    f"reads {_FORMAT}: {again}"
                )
            for name, digest in meta["files"].items():
                if Path(name).name != name or _digest(folder / name) != digest:
                    raise StaleIndexError(
                        f"{name} of the keyword index in {folder} is damaged: {again}"
                    )
            engine = None
            if meta["files"]:
                engine = _bm25s().BM25.load(folder, load_corpus=False)
            return cls(list(meta["ids"]), meta["language"], engine, meta["k1"], meta["b"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise StaleIndexError(
                f"no keyword index can be read from {folder} ({type(error).__name__}: {error}): "
                f"{again}"
            ) from error


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _bm25s() -> Any:
    """The library, imported late; it sets its own logger to debug, which is not for users."""
    import bm25s

    logger = logging.getLogger("bm25s")
    if logger.level == logging.DEBUG:
        logger.setLevel(logging.WARNING)
    return bm25s
