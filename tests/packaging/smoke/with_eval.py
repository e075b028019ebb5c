"""Runs with the extra ``eval``: measure Seams and plain chunks on a set made here, and plot it."""

import tempfile
import zlib
from pathlib import Path

import numpy as np

from seams_core import AnchoredFireTest
from seams_core.evaluation import (
    Bench,
    CachedEmbedder,
    EvaluationSet,
    Plain,
    Question,
    Seams,
    Settings,
    Span,
    run_methods,
    summarise,
)
from seams_core.evaluation.plots import plot_coverage


def embed(texts):
    """Hashed words: the same text gives the same vector."""
    vectors = np.zeros((len(texts), 32))
    for vector, text in zip(vectors, texts, strict=True):
        for word in text.lower().split():
            vector[zlib.crc32(word.encode()) % 32] += 1
    return vectors


text = "the river rises here and then it bends there before we sleep"
answer = Span("rivers", text.index("here"), text.index("there"))
data = EvaluationSet("mine", {"rivers": text}, [Question("q", "where does it bend", (answer,))])
with tempfile.TemporaryDirectory() as folder:
    embedder = CachedEmbedder(embed, Path(folder) / "vectors", "hashed")
    bench = Bench(data, embedder, Settings(chunk_size=4))
    run = run_methods(bench, [Plain(), Seams(AnchoredFireTest())], budgets=(1, 2))
    summary = summarise(run, baseline=Plain().name)
    assert summary["questions"]["all"] == 1
    names = list(summary["methods"])
    plot_coverage(summary, names, ("1", "2"), Path(folder) / "plot.png")
    assert (Path(folder) / "plot.png").stat().st_size > 1000
print("eval ok")
