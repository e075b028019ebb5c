"""A LangChain text splitter whose chunks are disjoint, lossless and stable (paper 3.1, step 1)."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Literal

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter
from typing_extensions import Self, override

from seams_core import split_text
from seams_core.ids import stable_uuid
from seams_core.locate import DOCUMENT_KEYS, PAGE_KEYS, PART_KEYS
from seams_core.tokens import TokenizerLike, as_measure, checked_positive


class SeamsTextSplitter(TextSplitter):
    """Cut documents into disjoint chunks of at most ``chunk_size`` tokens.

    Joined in order, the chunks of a document give its text back exactly. Each has a stable
    ``id`` and, beside a copy of its document's metadata, ``document_id``, ``start_index`` and
    ``end_index`` (in characters) and ``chunk_index``.

    The document id is ``Document.id``, else the first of ``document_id``, ``source`` and the like
    in the metadata, else made from the text. Documents of one source without ids, such as the
    pages of a PDF, are parts of one document in the order in which they come.

    .. code-block:: python

        splitter = SeamsTextSplitter(chunk_size=1024)
        chunks = splitter.split_documents(documents)

    :param chunk_size: The most tokens a chunk may have.
    :param chunk_overlap: Only 0: seams do what an overlap is for.
    :param tokenizer: See :func:`seams_core.tokens.as_measure`; tiktoken's ``cl100k_base`` if none.
    :param length_function: LangChain's name for a callable from a text to its length; used as
        the tokenizer if that is not given.
    :raises ValueError: If a setting is wrong.
    """

    def __init__(
        self,
        chunk_size: int = 1024,
        chunk_overlap: int = 0,
        *,
        tokenizer: TokenizerLike | None = None,
        length_function: Any = None,
    ) -> None:
        if chunk_overlap != 0:
            raise ValueError(
                f"chunk_overlap={chunk_overlap!r} is not allowed: give 0. Chunks are disjoint, so "
                "that no passage is stored or returned twice; what lies across a cut is found by "
                "its seam instead"
            )
        self._tokenizer = length_function if tokenizer is None else tokenizer
        self._measure = as_measure(self._tokenizer)
        super().__init__(
            chunk_size=checked_positive("chunk_size", chunk_size),
            chunk_overlap=0,
            length_function=self._measure.count,
            add_start_index=True,
            strip_whitespace=False,
        )

    @classmethod
    @override
    def from_tiktoken_encoder(
        cls,
        encoding_name: str = "cl100k_base",
        model_name: str | None = None,
        allowed_special: Literal["all"] | AbstractSet[str] | None = None,
        disallowed_special: Any = "all",
        **kwargs: Any,
    ) -> Self:
        """A splitter that counts tokens of a named encoding, or of a model's encoding.

        What looks like a special token is an ordinary string here, whatever the last two say.
        """
        if model_name is not None:
            import tiktoken

            encoding_name = tiktoken.encoding_name_for_model(model_name)
        return cls(tokenizer=encoding_name, **kwargs)

    @override
    def split_text(self, text: str) -> list[str]:
        return [chunk.text for chunk in self._split(text, "")]

    def _split(self, text: str, document_id: str) -> Any:
        return split_text(
            text, document_id=document_id, chunk_size=self._chunk_size, tokenizer=self._measure
        )

    @override
    def create_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        metadatas = metadatas or [{} for _ in texts]
        if len(metadatas) != len(texts):
            raise ValueError(
                f"metadatas has {len(metadatas)} entries for {len(texts)} texts: give one for each"
            )
        return self.split_documents(
            [
                Document(page_content=text, metadata=metadata)
                for text, metadata in zip(texts, metadatas, strict=True)
            ]
        )

    @override
    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        counts: Counter[str] = Counter()  # chunks of a document so far
        lengths: Counter[str] = Counter()  # its characters so far, where pages do not count them
        parts: Counter[tuple[str, Any]] = Counter()
        chunks: list[Document] = []
        for document in documents:
            text, metadata = document.page_content, document.metadata
            name = _document_id(document)
            page = next((metadata[key] for key in PAGE_KEYS if metadata.get(key) is not None), None)
            base = 0 if page is not None else lengths[name]
            lengths[name] += len(text)
            # Two parts may hold the same text at the same place: the part enters the chunk's id.
            part = f"{page}:{parts[name, page]}"
            parts[name, page] += 1
            unique = name if part == "None:0" else stable_uuid(name, part)
            for chunk in self._split(text, unique):
                chunks.append(
                    Document(
                        id=chunk.id,
                        page_content=chunk.text,
                        metadata={
                            **copy.deepcopy(metadata),
                            "document_id": name,
                            "start_index": base + chunk.start,
                            "end_index": base + chunk.end,
                            "chunk_index": counts[name],
                        },
                    )
                )
                counts[name] += 1
        return chunks

    @override
    def transform_documents(
        self, documents: Sequence[Document], **kwargs: Any
    ) -> Sequence[Document]:
        return self.split_documents(documents)


def _document_id(document: Document) -> str:
    if document.id:
        return str(document.id)
    metadata = document.metadata
    for key in DOCUMENT_KEYS:
        if metadata.get(key) is not None:
            parts = [str(metadata[part]) for part in PART_KEYS if metadata.get(part) is not None]
            return "#".join([str(metadata[key]), *parts])
    return stable_uuid("document", document.page_content)
