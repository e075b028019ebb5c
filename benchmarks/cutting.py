"""Cutting and windowing against one tiktoken pass and the frameworks' own splitters."""

from __future__ import annotations

import warnings

from harness import compare, record, table, texts

from seams_core import build_seams, split_text
from seams_core.tokens import as_measure

warnings.simplefilter("ignore")


def main() -> None:
    import tiktoken
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    from llama_index.core.node_parser import SentenceSplitter

    name, documents = texts()
    as_measure().count("load the tokenizer from the shipped copy")
    encoding = tiktoken.get_encoding("cl100k_base")
    counts = {"tokens": 0, "chunks": 0, "seams": 0}
    recursive = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        encoding_name="cl100k_base", chunk_size=1024, chunk_overlap=0
    )
    sentence = SentenceSplitter(
        chunk_size=1024, chunk_overlap=0, tokenizer=encoding.encode_ordinary
    )

    def one_pass() -> None:
        counts["tokens"] = sum(len(encoding.encode_ordinary(t)) for t in documents.values())

    def seams() -> None:
        counts["chunks"] = counts["seams"] = 0
        for document_id, text in documents.items():
            chunks = split_text(text, document_id=document_id)
            counts["chunks"] += len(chunks)
            counts["seams"] += sum(1 for _ in build_seams(chunks))

    results = compare(
        {
            "one tiktoken pass": one_pass,
            "Seams: split_text and build_seams, k = 150": seams,
            "LangChain RecursiveCharacterTextSplitter": lambda: [
                recursive.split_text(text) for text in documents.values()
            ],
            "LlamaIndex SentenceSplitter": lambda: [
                sentence.split_text(text) for text in documents.values()
            ],
        },
        rounds=5,
    )
    body = (
        f"Over {name}: {len(documents)} documents, {counts['tokens']:,} tokens, "
        f"{counts['chunks']:,} chunks of at most 1,024 tokens, {counts['seams']:,} seams.\n\n"
    )
    record("Cutting and windowing", body + table(results))


if __name__ == "__main__":
    main()
