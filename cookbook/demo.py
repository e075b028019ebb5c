"""The main job on real text: add seams to a Chroma collection and ask across the cuts.

Takes the Python language reference that every CPython carries, or the files and folders named on
the command line. Cuts them into chunks of 1,024 tokens, embeds them with a static model that
comes in a wheel, stores them in a Chroma folder, adds seams in a second collection beside them,
and asks questions whose answers lie across a cut. What is embedded once is not embedded again.

    python cookbook/demo.py [FILE_OR_FOLDER ...] [--ask QUESTION ...] [--store FOLDER]
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from seams_core import (
    Chunk,
    Retrieval,
    Row,
    SeamedIndex,
    SeamsError,
    Selection,
    split_text,
)
from seams_core.stores.chroma import ChromaStore

HERE = Path(__file__).resolve().parent
SUFFIXES = {".txt", ".md", ".rst", ".html", ".py", ".tex"}
#: Questions on the language reference with the words that begin and end the answer in it. Those
#: are asked whose answer lies across a cut in the reference of the Python that runs this.
QUESTIONS = (
    (
        "How is an augmented assignment such as x += 1 carried out?",
        "The target is only evaluated once.",
        "performed *in-place*",
    ),
    (
        "How are keyword arguments of a call put into slots, and what fills the slots left over?",
        "for each keyword argument, the identifier is used",
        "slots that are still unfilled are filled",
    ),
    (
        "How does the in operator test membership in objects of a user-defined class?",
        "For user-defined classes which define the",
        "old-style iteration protocol is tried",
    ),
    (
        "Why do uses of a name before its binding in the same block lead to errors?",
        "If a name binding operation occurs anywhere within a code block",
        "local variables of a code block can be determined",
    ),
    (
        "Which names does a star import bind?",
        "If the list of identifiers is replaced by a star",
        "public names* defined by a module",
    ),
    (
        "When is the reflected method of the right operand of a comparison tried first?",
        "are each other’s reflection",
        "reflected method of the right operand has priority",
    ),
    (
        "How does __new__ create an instance, and when is __init__ called on it?",
        "Typical implementations create a new instance",
        "is invoked during object construction",
    ),
    (
        "Why must the keys of a dictionary be immutable?",
        "not acceptable as keys are values containing lists",
        "hash value to remain constant",
    ),
    (
        "How do __new__ and __init__ work together, and what may __init__ return?",
        "must explicitly call it to ensure proper initialization",
        "no non-",
    ),
    (
        "Where is the traceback of an exception kept, and how is another one set?",
        "A traceback object is normally created automatically",
        "exception method",
    ),
    (
        "What do we mean by the value and the mutability of a container?",
        "Some objects contain references to other objects",
        "only the identities of the immediately contained objects",
    ),
)


def split_questions(chunks: Sequence[Chunk], wanted: int = 3) -> list[str]:
    """The first questions whose answer a cut divides in this very text."""
    text = "".join(chunk.text for chunk in chunks)
    cuts = [chunk.end for chunk in chunks[:-1]]
    split, whole = [], []
    for question, first, last in QUESTIONS:
        words = (r"\s+".join(map(re.escape, phrase.split())) for phrase in (first, last))
        match = re.search("(?s)" + ".{0,3000}?".join(words), text)
        if match and any(match.start() < cut < match.end() for cut in cuts):
            split.append(question)
        else:
            whole.append(question)  # another Python's reference is cut elsewhere
    return (split + whole)[:wanted]


class CountingModel:
    """The wheel-shipped static model; counts the texts it embeds."""

    def __init__(self) -> None:
        import wordllama

        self.texts = 0
        self._model: Any = wordllama.WordLlama.load(
            cache_dir=Path(wordllama.__file__).parent, disable_download=True
        )

    def __call__(self, texts: list[str]) -> np.ndarray[Any, Any]:
        self.texts += len(texts)
        # Norms are taken here: a text without a known token has none to divide by.
        vectors = np.asarray(self._model.embed(texts))
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)

    def query(self, text: str) -> np.ndarray[Any, Any]:
        return self([text])[0]


def read_documents(paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Pairs of document id and text."""
    if not paths:
        from pydoc_data.topics import topics

        # One text, as the reference is one book: its topics follow each other by name.
        yield "python-language-reference", "\n\n".join(topics[name] for name in sorted(topics))
        return
    for path in paths:
        found = path.rglob("*") if path.is_dir() else [path]
        for file in sorted(p for p in found if p == path or p.suffix in SUFFIXES):
            yield str(file), file.read_text(encoding="utf-8", errors="replace")


def add_missing_chunks(store: ChromaStore, chunks: list[Chunk], model: CountingModel) -> int:
    """What any pipeline does: embed the chunks that are not there yet and store them."""
    there = store.get([chunk.id for chunk in chunks])
    missing = [chunk for chunk in chunks if chunk.id not in there]
    rows = [
        Row(chunk.id, chunk.text, {"document_id": chunk.document_id, "start_index": chunk.start})
        for chunk in missing
    ]
    for begin in range(0, len(rows), 256):
        batch = rows[begin : begin + 256]
        store.put(batch, model([row.text for row in batch]))
    wanted = {chunk.id for chunk in chunks}
    store.drop([row.id for page in store.pages(2000) for row in page if row.id not in wanted])
    return len(rows)


def show(question: str, selection: Selection, rows: Sequence[Row], names: dict[str, str]) -> None:
    """The trace, with the ranking cut to its first lines, and the chunks returned."""
    print(f"\n{'=' * 100}\n{question}\n{'=' * 100}")
    print(selection.trace.render(names=names, top=15))
    for row in rows:
        brought = selection.brought_by.get(row.id)
        link = selection.trace.links.get(brought) if brought else None
        why = f", brought by seam {names[link[0]]}|{names[link[1]]}" if link else ""
        text = " ".join(row.text.split())
        print(f"\nChunk {names[row.id]}{why}")
        print(textwrap.indent(textwrap.fill(f"{text[:150]} [...] {text[-150:]}", 96), "  "))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, help="files and folders to read")
    parser.add_argument("--ask", action="append", help="a question of your own; may be repeated")
    parser.add_argument("--store", type=Path, default=HERE.parent / ".demo", help="Chroma folder")
    parser.add_argument("--budget", type=int, default=5, help="chunks handed on")
    options = parser.parse_args(arguments)
    missing = [str(path) for path in options.paths if not path.exists()]
    if missing:
        print(f"There is no file or folder {', '.join(missing)}.", file=sys.stderr)
        return 2

    import chromadb
    from chromadb.config import Settings

    model = CountingModel()
    client = chromadb.PersistentClient(
        path=str(options.store), settings=Settings(anonymized_telemetry=False)
    )
    space = {"hnsw:space": "cosine"}
    chunks_collection = client.get_or_create_collection("chunks", metadata=space)
    seams_collection = client.get_or_create_collection("seams", metadata=space)
    chunk_store, seam_store = ChromaStore(chunks_collection), ChromaStore(seams_collection)

    chunks: list[Chunk] = []
    for document_id, text in read_documents(options.paths):
        chunks += split_text(text, document_id=document_id)
    if not chunks:
        print("No text was found in what was named.", file=sys.stderr)
        return 2
    new_chunks = add_missing_chunks(chunk_store, chunks, model)
    index = SeamedIndex(chunk_store, seam_store, model)
    report = index.sync(progress=sys.stderr.isatty())
    print(f"{len(chunks)} chunks of at most 1,024 tokens; {new_chunks} of them embedded now")
    print(report)

    names = {chunk.id: str(number) for number, chunk in enumerate(chunks, 1)}
    retrieval = Retrieval(chunk_store, index.sources(), model.query)
    indexed = model.texts
    questions = options.ask or ([] if options.paths else split_questions(chunks))
    for question in questions:
        selection, rows = retrieval.run(question, budget=options.budget)
        show(question, selection, rows, names)
    if not questions:
        print("Ask something: make demo DOCS=\"your.txt --ask 'your question'\"")
    print(
        f"\nTexts embedded in this run: {model.texts} ({new_chunks} chunks, {report.added} seams, "
        f"{model.texts - indexed} questions)"
    )
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SeamsError as error:
        sys.exit(str(error))
