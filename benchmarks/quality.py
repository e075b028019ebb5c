"""Does it answer better? Fire tests against plain retrieval and neighbours, at the same budget.

Runs on span-annotated sets (``../shared/data`` beside the repository, or ``--data FOLDER``; the
format is a folder with corpus.jsonl.gz and questions.jsonl). The static model that comes in a
wheel embeds, so the numbers say how the methods compare, not how well a strong model would do.
Weights were looked at on every second question (even places); results are on the others (odd).
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import platform
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from seams_core import (
    AnchoredFireTest,
    Chunk,
    Entry,
    FusedRanking,
    KeywordIndex,
    MarginFireTest,
    build_seams,
    reciprocal_rank_fusion,
    select_chunks,
    split_text,
)

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cookbook"))
BUDGETS = (5, 10, 20)
DEPTH = 150


@dataclass
class Question:
    """A question with its evidence: document, start and end in characters."""

    text: str
    evidence: list[tuple[str, int, int]]


class Corpus:
    """A set, cut and indexed in memory."""

    def __init__(self, folder: Path, embed: Callable[[list[str]], Any]) -> None:
        with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
            documents = [json.loads(line) for line in lines]
        with open(folder / "questions.jsonl", encoding="utf-8") as lines:
            self.questions = [_question(json.loads(line)) for line in lines]
        self.chunks: dict[str, Chunk] = {}
        self.by_document: dict[str, list[Chunk]] = {}
        self.links: dict[str, tuple[str, str]] = {}
        self.neighbours: dict[str, list[str]] = {}
        seam_texts: dict[str, str] = {}
        for document in documents:
            chunks = split_text(document["text"], document_id=document["document_id"])
            self.by_document[document["document_id"]] = chunks
            self.chunks.update((c.id, c) for c in chunks)
            for seam in build_seams(chunks):
                left, right = seam.left_chunk_id, seam.right_chunk_id
                self.links[seam.id] = (left, right)
                seam_texts[seam.id] = seam.text
                self.neighbours.setdefault(left, []).append(right)
                self.neighbours.setdefault(right, []).append(left)
        self._lists = [
            ("chunk", {id: c.text for id, c in self.chunks.items()}),
            ("seam", seam_texts),
        ]
        self._embed = embed
        self._dense = [(list(texts), embed(list(texts.values()))) for _, texts in self._lists]
        self._words = [KeywordIndex.build(texts.items()) for _, texts in self._lists]

    def rankings(self, question: str) -> list[list[Entry]]:
        """Dense and keyword lists of chunks and of seams."""
        vector = self._embed([question])[0]
        lists = []
        for (kind, _), (ids, matrix), words in zip(
            self._lists, self._dense, self._words, strict=True
        ):
            best = np.argsort(-(matrix @ vector), kind="stable")[:DEPTH]
            lists.append([Entry(kind, ids[i]) for i in best])  # type: ignore[arg-type]
            lists.append([Entry(kind, id) for id, _ in words.search(question, DEPTH)])  # type: ignore[arg-type]
        return lists

    def is_split(self, question: Question) -> bool:
        """Whether a cut falls inside its evidence."""
        return any(
            start < chunk.end < end
            for document, start, end in question.evidence
            for chunk in self.by_document[document][:-1]
        )

    def recall(self, question: Question, ids: Iterable[str]) -> float:
        """The share of evidence characters that the chunks hold."""
        chunks = [self.chunks[id] for id in ids]
        total = held = 0
        for document, start, end in question.evidence:
            total += end - start
            held += sum(
                max(0, min(end, c.end) - max(start, c.start))
                for c in chunks
                if c.document_id == document
            )
        return held / total


def _question(line: dict[str, Any]) -> Question:
    return Question(
        line["question"],
        [(e.get("document_id") or e["doc_id"], e["start"], e["end"]) for e in line["evidence"]],
    )


Method = Callable[[Corpus, list[list[Entry]], int], list[str]]


def _chunks_only(lists: list[list[Entry]]) -> FusedRanking:
    return reciprocal_rank_fusion([ls for ls in lists if not ls or ls[0].kind == "chunk"])


def plain(corpus: Corpus, lists: list[list[Entry]], budget: int) -> list[str]:
    return [entry.id for entry in _chunks_only(lists)[:budget]]


def neighbours(corpus: Corpus, lists: list[list[Entry]], budget: int) -> list[str]:
    """Each hit brings the chunks beside it, at its place."""
    chosen: dict[str, None] = {}
    for entry in _chunks_only(lists):
        chosen.update(dict.fromkeys([entry.id, *corpus.neighbours.get(entry.id, [])]))
    return list(chosen)[:budget]


def smoothed(corpus: Corpus, lists: list[list[Entry]], budget: int) -> list[str]:
    """Each chunk gets a quarter of its neighbours' fused scores; no seams at all."""
    fused = _chunks_only(lists)
    own = {entry.id: score for entry, score in fused.scores.items()}
    scores = dict(own)
    for id, score in own.items():
        for other in corpus.neighbours.get(id, []):
            scores[other] = scores.get(other, 0.0) + score / 4
    return sorted(scores, key=lambda id: (-scores[id], id))[:budget]


def fired(test: Any) -> Method:
    def method(corpus: Corpus, lists: list[list[Entry]], budget: int) -> list[str]:
        fused = reciprocal_rank_fusion(lists)
        return select_chunks(fused, corpus.links, budget=budget, fire_test=test).chunk_ids

    return method


METHODS: dict[str, Method] = {
    "plain hybrid": plain,
    "both neighbours of each hit": neighbours,
    "smoothed: a quarter of the neighbours' scores": smoothed,
    "paper's margin test, m = 0": fired(MarginFireTest(0)),
    "paper's margin test, m = 3": fired(MarginFireTest(3)),
    "paper's margin test, m = 8": fired(MarginFireTest(8)),
}
for _weights in (
    (0.5, 0.5, 0),
    (0.4, 0.5, 0.1),
    (0.3, 0.5, 0.15),
    (0.35, 0.5, 0.15),
    (0.3, 0.5, 0.2),
    (0.25, 0.5, 0.2),
    (0.4, 0.4, 0.2),
    (0.3, 0.55, 0.15),
    (0.35, 0.45, 0.2),
    (0.2, 0.6, 0.2),
    (0.4, 0.45, 0.1),
):
    METHODS["anchored, {}, {}, {}".format(*_weights)] = fired(AnchoredFireTest(*_weights))


def measure(corpus: Corpus, half: int) -> dict[str, Any]:
    """Every method on every second question (``half`` 0: even places, 1: odd places)."""
    results: dict[str, dict[int, list[tuple[bool, float]]]] = {
        name: {budget: [] for budget in BUDGETS} for name in METHODS
    }
    for question in tqdm(
        corpus.questions[half::2], desc="questions", disable=not sys.stderr.isatty()
    ):
        lists, split = corpus.rankings(question.text), corpus.is_split(question)
        for name, method in METHODS.items():
            for budget in BUDGETS:
                recall = corpus.recall(question, method(corpus, lists, budget))
                results[name][budget].append((split, recall))
    table: dict[str, Any] = {}
    for name, budgets in results.items():
        for budget, rows in budgets.items():
            recalls = np.array([recall for _, recall in rows])
            splits = np.array([split for split, _ in rows])
            full = recalls > 1 - 1e-9
            table.setdefault(name, {})[str(budget)] = {
                "recall": _mean(recalls),
                "full": _mean(full),
                "split_full": _mean(full[splits]),
                "whole_recall": _mean(recalls[~splits]),
            }
    return table


def _mean(values: Any) -> float | None:
    return round(float(np.mean(values)), 4) if len(values) else None


def markdown(results: dict[str, Any]) -> str:
    def cell(value: float | None) -> str:
        return "" if value is None else f"{value:.3f}"

    parts = []
    for name, table in results["sets"].items():
        header = " | ".join(f"full @{b} | split: full @{b} | whole: recall @{b}" for b in BUDGETS)
        lines = [
            f"## {name}",
            "",
            f"| method | {header} |",
            "| --- |" + " ---: |" * 3 * len(BUDGETS),
        ]
        for method, cells in table.items():
            row = " | ".join(
                cell(cells[str(b)][key])
                for b in BUDGETS
                for key in ("full", "split_full", "whole_recall")
            )
            lines.append(f"| {method} | {row} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    parser.add_argument("--sets", nargs="*", default=["peps", "faqs", "chroma"])
    parser.add_argument("--half", choices=["even", "odd"], default="odd")
    parser.add_argument("--out", type=Path, help="where to write NAME.md and NAME.json")
    options = parser.parse_args()
    from demo import CountingModel

    model = CountingModel()

    def embed(texts: list[str]) -> Any:
        return np.concatenate([model(texts[i : i + 512]) for i in range(0, len(texts), 512)])

    results: dict[str, Any] = {
        "half": options.half,
        "depth": DEPTH,
        "model": "wordllama l2_supercat_256",
        "python": platform.python_version(),
        "sets": {},
    }
    for name in options.sets:
        if not (options.data / name).is_dir():
            print(f"no set {options.data / name}", file=sys.stderr)
            continue
        corpus = Corpus(options.data / name, embed)
        results["sets"][name] = measure(corpus, 0 if options.half == "even" else 1)
        split = [corpus.is_split(q) for q in corpus.questions]
        print(f"{name}: {len(split)} questions, {math.fsum(split) / len(split):.0%} split")
    text = markdown(results)
    print(text)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.with_suffix(".json").write_text(json.dumps(results, indent=1) + "\n")
        options.out.with_suffix(".md").write_text(
            f"# Quality, {options.half} questions, static model\n\n{text}\n\n"
            f"Made by `python benchmarks/quality.py --half {options.half}`: chunks of 1,024 "
            "tokens, k = 150, four lists of 150, reciprocal rank fusion. `full`: share of "
            "questions whose whole evidence is in the budget; `split`: those whose evidence a cut "
            "divides; `whole`: the others; recall over evidence characters. Weights of the "
            "anchored test are those of seam, stronger and weaker chunk.\n"
        )


if __name__ == "__main__":
    main()
