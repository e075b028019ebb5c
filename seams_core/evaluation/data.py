"""Documents, questions and their evidence spans, as they lie on disk (paper 3.5).

A set is a folder with ``corpus.jsonl.gz`` (or ``corpus.jsonl``), one document a line with
``document_id`` (or ``doc_id``) and ``text``, and ``questions.jsonl``, one question a line with
``question_id``, ``question`` and ``evidence``: a list of ``document_id`` (or ``doc_id``),
``start`` and ``end``, offsets in characters, end exclusive.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from seams_core.errors import SeamsError

_DOCUMENT_KEYS = ("document_id", "doc_id")
Half = Literal["even", "odd", "all"]


class EvaluationDataError(SeamsError):
    """A corpus or a questions file lacks what measuring needs."""


class Span(NamedTuple):
    """A piece of a document; ``start`` and ``end`` in characters, end exclusive."""

    document_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the spans that answer it."""

    id: str
    text: str
    evidence: tuple[Span, ...]


@dataclass(frozen=True)
class EvaluationSet:
    """A corpus and its questions.

    :param name: What the tables call it.
    :param texts: The text of each document, by document id, in the order of the file.
    :param questions: The questions, in the order of the file.
    :raises EvaluationDataError: If a question has no evidence, or a span lies outside its document.
    """

    name: str
    texts: Mapping[str, str]
    questions: Sequence[Question]

    def __post_init__(self) -> None:
        for question in self.questions:
            if not question.evidence:
                raise EvaluationDataError(
                    f"question {question.id!r} of {self.name} has no evidence"
                )
            for span in question.evidence:
                text = self.texts.get(span.document_id)
                if text is None:
                    raise EvaluationDataError(
                        f"question {question.id!r} names document {span.document_id!r}, which the "
                        f"corpus of {self.name} does not hold"
                    )
                if not 0 <= span.start < span.end <= len(text):
                    raise EvaluationDataError(
                        f"question {question.id!r} has evidence {span.start}:{span.end}, outside "
                        f"document {span.document_id!r} of {len(text)} characters, or empty"
                    )

    def half(self, which: Half) -> EvaluationSet:
        """The questions on even places of the file (from 0), on odd ones, or all."""
        if which not in ("even", "odd", "all"):
            raise ValueError(f"which={which!r} is not allowed: give 'even', 'odd' or 'all'")
        if which == "all":
            return self
        return replace(self, questions=list(self.questions[which == "odd" :: 2]))

    @cached_property
    def digest(self) -> str:
        """What results are stored by: it changes with any text, question or span."""
        state = hashlib.sha256()
        for id, text in self.texts.items():
            state.update(repr((id, text)).encode("utf-8", "surrogatepass"))
        for question in self.questions:
            evidence = tuple(map(tuple, question.evidence))
            state.update(repr((question.id, question.text, evidence)).encode())
        return state.hexdigest()[:16]


def load_set(folder: Path, *, heads: bool = False) -> EvaluationSet:
    """Read a set from its folder.

    :param folder: Holds ``corpus.jsonl.gz`` and ``questions.jsonl``.
    :param heads: Read ``corpus_heads`` and ``questions_heads`` instead.
    :raises EvaluationDataError: If a file or a key is missing, naming what is there.
    """
    suffix = "_heads" if heads else ""
    texts: dict[str, str] = {}
    corpus = next(
        (p for ext in (".gz", "") if (p := folder / f"corpus{suffix}.jsonl{ext}").is_file()), None
    )
    if corpus is None:
        raise EvaluationDataError(
            f"{folder} holds no corpus{suffix}.jsonl.gz; it holds {_names(folder)}"
        )
    for line in _lines(corpus):
        id = _document_id(line, corpus)
        if id in texts:
            raise EvaluationDataError(f"{corpus} has document {id!r} twice")
        texts[id] = _value(line, "text", corpus)
    path = folder / f"questions{suffix}.jsonl"
    if not path.is_file():
        raise EvaluationDataError(f"{folder} holds no {path.name}; it holds {_names(folder)}")
    questions = []
    for number, line in enumerate(_lines(path)):
        evidence = tuple(
            Span(_document_id(e, path), int(_value(e, "start", path)), int(_value(e, "end", path)))
            for e in _value(line, "evidence", path)
        )
        id = str(line.get("question_id", number))
        questions.append(Question(id, _value(line, "question", path), evidence))
    return EvaluationSet(folder.name + suffix, texts, questions)


def _names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    opener: Any = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                yield json.loads(line)
            except json.JSONDecodeError as error:
                raise EvaluationDataError(f"{path}, line {number}: {error}") from error


def _document_id(line: Mapping[str, Any], path: Path) -> str:
    for key in _DOCUMENT_KEYS:
        if key in line:
            return str(line[key])
    raise EvaluationDataError(
        f"{path} has an entry without 'document_id' or 'doc_id'; its keys are {sorted(line)}"
    )


def _value(line: Mapping[str, Any], key: str, path: Path) -> Any:
    if key not in line:
        raise EvaluationDataError(
            f"{path} has an entry without {key!r}; its keys are {sorted(line)}"
        )
    return line[key]
