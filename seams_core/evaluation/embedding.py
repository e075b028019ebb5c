"""Vectors of texts, cached on disk by content, so that nothing is embedded twice."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Embed = Callable[[list[str]], Any]
Vectors = NDArray[np.float32]
_KEY_BYTES = 16


class CachedEmbedder:
    """Calls an embedding function for texts it has not met and keeps the vectors.

    Each batch is one file that appears whole or not at all, so that work that was stopped goes on
    where it stopped, and two processes may share the folder.

    :param embed: From a list of texts to one vector each, of any norm.
    :param folder: Where the vectors are kept; made if it is missing.
    :param name: What tells this model and its settings from others.
    :param batch: Texts per call, and per file.
    :raises ValueError: If ``batch`` is below 1 or ``name`` is empty.
    """

    def __init__(self, embed: Embed, folder: Path, name: str, *, batch: int = 512) -> None:
        if batch < 1:
            raise ValueError(f"batch={batch!r} is not allowed: give a whole number of at least 1")
        if not name:
            raise ValueError("name='' is not allowed: give the name of the model and its settings")
        self.name = name
        self.embedded = 0  # texts that the function was called for
        self._embed = embed
        self._batch = batch
        self._folder = folder / re.sub(r"[^\w.-]+", "-", name)
        self._known: dict[bytes, NDArray[np.float32]] | None = None

    def __call__(self, texts: Sequence[str], *, label: str = "embedding") -> Vectors:
        """One row per text, each of norm 1 (or 0 where the function gave zeros)."""
        known = self._load()
        keys = [_key(text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            self._fill(list(missing.items()), label)
        if not keys:
            return np.zeros((0, 0), dtype=np.float32)
        return np.stack([known[key] for key in keys])

    def _load(self) -> dict[bytes, NDArray[np.float32]]:
        if self._known is None:
            self._known = {}
            for path in sorted(self._folder.glob("*.npz")):
                with np.load(path) as file:
                    keys, vectors = file["keys"], file["vectors"]
                self._known.update(
                    (key.tobytes(), vector) for key, vector in zip(keys, vectors, strict=True)
                )
        return self._known

    def _fill(self, missing: list[tuple[bytes, str]], label: str) -> None:
        from tqdm import tqdm

        self._folder.mkdir(parents=True, exist_ok=True)
        known = self._load()
        with tqdm(
            total=len(missing), desc=label, unit="text", disable=not sys.stderr.isatty()
        ) as bar:
            for begin in range(0, len(missing), self._batch):
                part = missing[begin : begin + self._batch]
                vectors = np.asarray(self._embed([text for _, text in part]), dtype=np.float32)
                if vectors.ndim != 2 or len(vectors) != len(part):
                    raise ValueError(
                        f"embed gave an array of shape {vectors.shape} for {len(part)} texts: it "
                        "must give one vector for each"
                    )
                vectors = vectors / np.maximum(
                    np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12
                )
                self._write([key for key, _ in part], vectors)
                known.update((key, vector) for (key, _), vector in zip(part, vectors, strict=True))
                self.embedded += len(part)
                bar.update(len(part))

    def _write(self, keys: list[bytes], vectors: Vectors) -> None:
        name = hashlib.sha256(b"".join(keys)).hexdigest()[:24]
        table = np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(-1, _KEY_BYTES)
        handle, temporary = tempfile.mkstemp(dir=self._folder, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(file, keys=table, vectors=vectors)
            os.replace(temporary, self._folder / f"{name}.npz")
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:_KEY_BYTES]
