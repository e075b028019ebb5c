"""R1: chunks are a partition of the text. R2: ids are stable."""

from __future__ import annotations

import subprocess
import sys
import uuid

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seams_core import split_text
from seams_core.tokens import as_measure

ODD = {
    "emoji with joiners": "👩‍👩‍👧‍👦 family 🏳️‍🌈 flag 👍🏽 " * 30,
    "chinese": "检索系统把文档切成块。跨越切口的想法可能会丢失！" * 40,
    "japanese": "文書は塊に分けられます。切れ目にまたがる考えは失われます。" * 40,
    "thai": "ระบบค้นคืนจะตัดเอกสารเป็นชิ้น" * 40,
    "right-to-left": "מערכת אחזור חותכת מסמכים. نظام الاسترجاع يقطع المستندات. " * 30,
    "combining marks": "e\u0301a\u0323\u0302n\u0303 " * 200,
    "nul": "a\x00b\x00" * 300,
    "crlf": "line one\r\nline two\r\n\r\n" * 100,
    "special token": "before <|endoftext|> after <|fim_prefix|> " * 60,
    "lone surrogates": "a\ud800b\udfffc\ud83d\ude00 " * 60,
    "spaces only": " " * 3000,
    "indented code": "if x:\n        \t  y = 1\n\n\n" * 100,
}


def words(text: str) -> int:
    return len(text)


class Letters:
    """Every character is a token."""

    name = "letters"

    def token_ends(self, text: str) -> list[int]:
        return list(range(1, len(text) + 1))


@pytest.mark.parametrize("size", [1, 2, 7, 64])
@pytest.mark.parametrize("name", ODD)
def test_r1_any_text_is_partitioned(name: str, size: int) -> None:
    text, measure = ODD[name], as_measure()
    chunks = split_text(text, document_id="d", chunk_size=size)
    assert "".join(chunk.text for chunk in chunks) == text
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text != ""
        assert measure.count(chunk.text) <= size or len(chunk.text) == 1


@given(text=st.text(max_size=300), size=st.integers(1, 40))
@settings(max_examples=300, deadline=None)
def test_r1_lossless_disjoint_and_never_too_long(text: str, size: int) -> None:
    measure = as_measure()
    chunks = split_text(text, document_id="d", chunk_size=size)
    assert "".join(chunk.text for chunk in chunks) == text
    position = 0
    for chunk in chunks:
        assert chunk.start == position < chunk.end
        position = chunk.end
        assert measure.count(chunk.text) <= size or len(chunk.text) == 1


@given(text=st.text("ab \n.é漢👍", max_size=300), size=st.integers(1, 20))
@settings(max_examples=150, deadline=None)
def test_r1_chunks_are_as_long_as_the_limit_allows(text: str, size: int) -> None:
    """Only a code point of several tokens, or white space that joins, may shorten a chunk."""
    measure = as_measure()
    for chunk in split_text(text, document_id="d", chunk_size=size)[:-1]:
        assert measure.count(chunk.text) >= size - 4


def test_r1_an_empty_text_has_no_chunks() -> None:
    assert split_text("", document_id="d") == []


def test_r1_default_size_is_1024_tokens_and_full_chunks_have_just_that() -> None:
    chunks = split_text("the quick brown fox " * 2000, document_id="d")
    assert {as_measure().count(chunk.text) for chunk in chunks[:-1]} == {1024}


def test_r1_five_megabytes_without_a_space() -> None:
    text = "abcdefghij" * 500_000
    chunks = split_text(text, document_id="d")
    assert "".join(chunk.text for chunk in chunks) == text
    assert max(as_measure().count(chunk.text) for chunk in chunks[:50]) <= 1024


def test_r1_what_looks_like_a_special_token_is_an_ordinary_string() -> None:
    (chunk,) = split_text("<|endoftext|>", document_id="d")
    assert chunk.text == "<|endoftext|>"
    assert as_measure().count(chunk.text) > 1


@pytest.mark.parametrize(
    "tokenizer", [words, Letters(), str.split, "o200k_base"], ids=["count", "ends", "list", "o200k"]
)
@given(text=st.text(max_size=120))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_r1_holds_for_any_tokenizer(tokenizer, text: str) -> None:
    measure = as_measure(tokenizer)
    chunks = split_text(text, document_id="d", chunk_size=5, tokenizer=tokenizer)
    assert "".join(chunk.text for chunk in chunks) == text
    assert all(measure.count(chunk.text) <= 5 or len(chunk.text) == 1 for chunk in chunks)


def hugging_face_tokenizer():
    import tokenizers
    from tokenizers import models, pre_tokenizers, trainers

    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(["a retrieval system cuts documents into chunks"] * 5, trainer)
    return tokenizer


def test_r1_hugging_face_tokenizer_with_truncation_still_sees_the_whole_text() -> None:
    tokenizer = hugging_face_tokenizer()
    tokenizer.enable_truncation(8)
    text = "documents into chunks, 漢字 and 👍 " * 50
    chunks = split_text(text, document_id="d", chunk_size=20, tokenizer=tokenizer)
    assert "".join(chunk.text for chunk in chunks) == text
    tokenizer.no_truncation()
    assert all(len(tokenizer.encode(chunk.text).ids) <= 20 for chunk in chunks)
    assert len(tokenizer.encode(chunks[0].text).ids) >= 17
    assert tokenizer.truncation is None


def test_r2_ids_are_uuids_of_document_position_and_text() -> None:
    text = "same " * 3000
    first = split_text(text, document_id="a")
    assert [c.id for c in first] == [c.id for c in split_text(text, document_id="a")]
    assert {uuid.UUID(c.id).version for c in first} == {5}
    ids = [c.id for c in first] + [c.id for c in split_text(text, document_id="b")]
    assert len(set(ids)) == len(ids)


@given(a=st.tuples(st.text(), st.text(min_size=1)), b=st.tuples(st.text(), st.text(min_size=1)))
def test_r2_other_document_or_text_gives_other_ids(a, b) -> None:
    one = [c.id for c in split_text(a[1], document_id=a[0])]
    other = [c.id for c in split_text(b[1], document_id=b[0])]
    assert (one == other) == (a == b)


def test_r2_a_change_at_the_end_keeps_the_ids_before_it() -> None:
    text = "All chunks but the last stay as they were. " * 1000
    before = [c.id for c in split_text(text, document_id="d")]
    after = [c.id for c in split_text(text + "More.", document_id="d")]
    assert before[:-1] == after[: len(before) - 1]
    assert before[-1] != after[len(before) - 1]


def test_r2_ids_are_the_same_in_another_process() -> None:
    code = (
        "from seams_core import *; c = split_text('one two. ' * 2000, document_id='d');"
        "print(*[x.id for x in c], *[s.id for s in build_seams(c)])"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**__import__("os").environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1
    assert len(runs.pop().split()) > 3


@pytest.mark.parametrize("size", [0, -1, 1.5, True, "9"])
def test_a_chunk_size_below_one_is_refused(size) -> None:
    with pytest.raises(ValueError, match=r"chunk_size=.*at least 1"):
        split_text("text", document_id="d", chunk_size=size)


def test_wrong_types_are_refused() -> None:
    with pytest.raises(TypeError, match="text must be a str"):
        split_text(b"bytes", document_id="d")
    with pytest.raises(TypeError, match="document_id must be a str"):
        split_text("text", document_id=7)
    with pytest.raises(ValueError, match="tokenizer=7 is not understood"):
        split_text("text", document_id="d", tokenizer=7)
    with pytest.raises(ValueError, match=r"'cl200k' is no tiktoken encoding: give one of"):
        split_text("text", document_id="d", tokenizer="cl200k")
