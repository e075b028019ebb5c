"""What the cookbook's pages have in common: a text, a small embedding model, scripted models.

Small, so that the pages run anywhere without a network; each page names the real model to put in
place. The text is the language reference that every CPython carries.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from models import static

QUESTION = "How is an augmented assignment such as x += 1 carried out?"
_WORD = re.compile(r"\w{3,}")


def reference() -> str:
    """The Python language reference as one text, topic after topic."""
    from pydoc_data.topics import topics

    return "\n\n".join(topics[name] for name in sorted(topics))


@cache
def model() -> Any:
    """The static model of the wheel ``wordllama``, from texts to vectors; loaded once."""
    return static()


def words(text: str) -> set[str]:
    """The words of a text that have at least three letters."""
    return set(_WORD.findall(text.lower()))


def overlap(question: str, text: str) -> float:
    """The share of the question's words that the text has: a stand-in for a cross-encoder."""
    asked = words(question)
    return len(asked & words(text)) / max(1, len(asked))


def quote(prompt: str) -> str:
    """A scripted language model: the two sentences of the context nearest to the question."""
    context, _, question = prompt.rpartition("Question:")
    question = question.split("Answer:")[0]
    sentences = re.split(r"(?<=[.!?])\s+", " ".join(context.split()))
    best = sorted(sentences, key=lambda s: (-overlap(question, s), len(s)))[:2]
    return " [...] ".join(sentence[:200] for sentence in sorted(best, key=sentences.index))
