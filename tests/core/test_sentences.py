"""Sentence edges near a cut, and where the data for them comes from."""

from __future__ import annotations

import os
import re
import shutil
import warnings

import nltk
import pytest

from seams_core import sentences
from seams_core.sentences import as_edges


def edges(text: str, language: str = "english") -> list[str]:
    """The text with a bar at each edge that is found from either side."""
    finder, found, place = as_edges(language), [], 1
    while (edge := finder.first(text, place, len(text) - 1)) is not None:
        found.append(edge)
        place = edge + 1
    back, place = [], len(text) - 1
    while (edge := finder.last(text, 1, place)) is not None:
        back.append(edge)
        place = edge - 1
    assert found == back[::-1]
    pieces = [text[a:b] for a, b in zip([0, *found], [*found, len(text)], strict=True)]
    return [piece.strip() for piece in pieces]


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("english", "It met Dr. Smith. He left.", ["It met Dr. Smith.", "He left."]),
        ("english", "X, e.g. stale, pass. Why? Y!", ["X, e.g. stale, pass.", "Why?", "Y!"]),
        ("english", '"Stop." She did.', ['"Stop."', "She did."]),
        ("german", "Das gilt bzw. galt. Danach nicht.", ["Das gilt bzw. galt.", "Danach nicht."]),
        ("english", "第一句。第二句！第三句？", ["第一句。", "第二句！", "第三句？"]),
        ("japanese", "「はい。」と言った。終わり。", ["「はい。」", "と言った。", "終わり。"]),
        ("english", "यह है। वह है।", ["यह है।", "वह है।"]),
        ("english", "A heading\n\nA paragraph", ["A heading", "A paragraph"]),
        ("english", "Steps:\n1. mix\n2. bake\n- cool", ["Steps:", "1. mix", "2. bake", "- cool"]),
        ("english", "one line\r\n\r\nanother", ["one line", "another"]),
        ("english", "a wrapped\nline goes on", ["a wrapped\nline goes on"]),
        ("english", "version 3.11 is out", ["version 3.11 is out"]),
    ],
)
def test_edges(language: str, text: str, wanted: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert edges(text, language) == wanted


def test_the_quick_answer_is_punkts_own() -> None:
    """Plain words are judged without Punkt's tokenizer; the answer must be the same."""
    from pydoc_data.topics import topics

    punkt = sentences._punkt("english")
    asked = 0
    for text in list(topics.values())[:25]:
        words = text.split()
        for before, after in zip(words, words[1:], strict=False):
            if before.endswith(".") and before[:-1].isalpha():
                slow = punkt._tokenizer.text_contains_sentbreak(f"{before} {after}")
                assert punkt.ends_sentence(f"{before} ", after) == slow, (before, after)
                asked += 1
    assert asked > 500


def test_without_data_punkt_works_untrained_and_says_so_once(monkeypatch) -> None:
    monkeypatch.setattr(sentences, "shipped_folder", lambda kind: None)
    monkeypatch.setattr("nltk.data.path", [])
    sentences._punkt.cache_clear()
    try:
        with pytest.warns(UserWarning, match=r"Punkt data for 'english' was not found"):
            assert edges("One ends. Two ends.") == ["One ends.", "Two ends."]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            edges("One ends. Two ends.")
    finally:
        sentences._punkt.cache_clear()


def test_hard_linked_data_is_read(monkeypatch, tmp_path) -> None:
    """As uv installs a wheel: each file is one more name of the file in uv's cache."""
    shipped = sentences.shipped_folder("nltk_cache")
    assert shipped is not None
    copy = tmp_path / "shipped"
    shutil.copytree(shipped, copy, copy_function=shutil.copyfile)
    shutil.copytree(copy, tmp_path / "cache", copy_function=os.link)
    assert all(f.stat().st_nlink > 1 for f in copy.rglob("*.tab"))
    before = list(nltk.data.path)
    monkeypatch.setattr(sentences, "shipped_folder", lambda kind: copy)
    sentences._punkt.cache_clear()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert edges("It met Dr. Smith. He left.") == ["It met Dr. Smith.", "He left."]
        assert nltk.data.path == before
    finally:
        sentences._punkt.cache_clear()


def test_only_the_text_near_the_cut_is_looked_at() -> None:
    seen: list[int] = []

    def splitter(text: str) -> list[int]:
        seen.append(len(text))
        return [match.end() for match in re.finditer(r"\. ", text)]

    text = "A sentence goes here. " * 50_000
    assert as_edges(splitter).first(text, 500_000, 500_400) is not None
    assert max(seen) < 1000


def test_a_users_own_splitter_may_be_any_callable() -> None:
    assert as_edges(lambda text: [3]).last("abcdef", 0, 6) == 3
    assert as_edges(lambda text: []).first("abcdef", 0, 6) is None


def test_what_is_no_splitter_is_refused() -> None:
    with pytest.raises(ValueError, match="sentences=3 is not understood"):
        as_edges(3)
