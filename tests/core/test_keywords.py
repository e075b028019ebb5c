"""Keyword search with its own statistics per collection (R7)."""

from __future__ import annotations

import json
import math
import pickle
import threading
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seams_core import KeywordIndex
from seams_core.errors import StaleIndexError
from seams_core.words import terms_of

WORDS = st.sampled_from(
    [
        "order",
        "orders",
        "billing",
        "stale",
        "read",
        "reads",
        "consistent",
        "the",
        "漢字",
        "é",
        "x_y",
    ]
)
TEXTS = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=3),
    st.lists(WORDS, max_size=12).map(" ".join),
    max_size=12,
)


def oracle(texts: dict[str, str], query: str, k1: float = 1.5, b: float = 0.75):
    """BM25 in Lucene's form, straight from its formula."""
    terms = terms_of("english")
    bags = {id: Counter(terms(text)) for id, text in texts.items()}
    average = sum(sum(bag.values()) for bag in bags.values()) / max(1, len(bags))
    scores = {}
    for id, bag in bags.items():
        score = 0.0
        for term in terms(query):
            df = sum(term in other for other in bags.values())
            if bag[term]:
                idf = math.log(1 + (len(bags) - df + 0.5) / (df + 0.5))
                length = 1 - b + b * sum(bag.values()) / average
                score += idf * bag[term] / (k1 * length + bag[term])
        if score > 0:
            scores[id] = score
    return scores


@given(texts=TEXTS, query=st.lists(WORDS, max_size=4).map(" ".join), k=st.integers(1, 15))
@settings(max_examples=150)
def test_it_is_bm25(texts, query, k) -> None:
    found = KeywordIndex.build(texts.items()).search(query, k)
    wanted = oracle(texts, query)
    assert len(found) == min(k, len(wanted))
    for id, score in found:
        assert score == pytest.approx(wanted[id], rel=1e-4)
    assert [score for _, score in found] == sorted((s for _, s in found), reverse=True)
    for (a, x), (b, y) in zip(found, found[1:], strict=False):
        assert x > y or a < b


@given(texts=TEXTS, query=st.lists(WORDS, max_size=4).map(" ".join), data=st.data())
@settings(max_examples=60)
def test_the_order_of_adding_changes_nothing(texts, query, data) -> None:
    shuffled = data.draw(st.permutations(list(texts.items())))
    one, other = KeywordIndex.build(texts.items()), KeywordIndex.build(shuffled)
    assert one.search(query, 5) == other.search(query, 5)
    assert one.ids == other.ids


@given(texts=TEXTS, query=st.lists(WORDS, max_size=4).map(" ".join), data=st.data())
@settings(max_examples=60)
def test_allowed_is_a_filter_over_everything(texts, query, data) -> None:
    allowed = data.draw(st.sets(st.sampled_from([*texts, "unknown"])))
    index = KeywordIndex.build(texts.items())
    everything = index.search(query, max(1, len(texts)))
    wanted = [hit for hit in everything if hit[0] in allowed]
    assert index.search(query, max(1, len(texts)), allowed=allowed) == wanted


@given(texts=TEXTS, query=st.lists(WORDS, max_size=4).map(" ".join))
@settings(max_examples=25)
def test_saved_and_loaded_it_gives_the_same(tmp_path_factory, texts, query) -> None:
    path = tmp_path_factory.mktemp("keywords") / "index"
    index = KeywordIndex.build(texts.items())
    index.save(path)
    index.save(path)  # over an older one
    loaded = KeywordIndex.load(path)
    assert loaded.search(query, 5) == index.search(query, 5)
    assert (loaded.ids, loaded.language) == (index.ids, index.language)
    assert [p.name for p in path.parent.iterdir()] == ["index"]


def test_r7_statistics_stand_apart() -> None:
    chunks = {"a": "stale reads", "b": "billing records"}
    alone = KeywordIndex.build(chunks.items()).search("stale", 2)
    KeywordIndex.build({f"s{n}": "stale stale" for n in range(50)}.items())
    assert KeywordIndex.build(chunks.items()).search("stale", 2) == alone


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "the of and",
        "unseen",
        "👍🏽",
        "\x00",
        "\ud800",
        "'",
        "__",
        "مرحبا",
        "a\u0301\u0323",
    ],
)
def test_any_query_gives_an_answer_or_an_empty_list(query) -> None:
    for texts in ({}, {"a": ""}, {"a": "", "b": "the of"}, {"a": "stale \ud800 👍🏽 reads\x00"}):
        assert KeywordIndex.build(texts.items()).search(query, 3) == []


@pytest.mark.parametrize(
    ("text", "query", "language"),
    [
        ("系统把文档切成块", "文档", "chinese"),
        ("文書は塊に分けられます", "文書", "japanese"),
        ("ระบบค้นคืนจะตัดเอกสาร", "เอกสาร", "thai"),
        ("seams join chunks", "joining chunk", "english"),
        ("die Häuser", "HÄUSER", "german"),
        ("the order_service module", "order", "english"),
        ("the order_service module", "order_service", "english"),
        ("Ｆｕｌｌ width", "full", "english"),
        ("the author’s view", "author", "english"),
        ("نظام الاسترجاع", "الاسترجاع", None),
    ],
)
def test_texts_of_any_language_are_found(text, query, language) -> None:
    index = KeywordIndex.build([("a", text), ("b", "something else")], language=language)
    assert [id for id, _ in index.search(query, 2)] == ["a"]


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(ValueError, match=r"language='klingon' is not allowed.*english"):
        KeywordIndex.build([], language="klingon")
    with pytest.raises(ValueError, match="id 'a' comes twice"):
        KeywordIndex.build([("a", "x"), ("a", "y")])
    with pytest.raises(ValueError, match=r"k=0 is not allowed"):
        KeywordIndex.build([("a", "x")]).search("x", 0)
    with pytest.raises(ValueError, match=r"k1=-1"):
        KeywordIndex.build([], k1=-1)
    with pytest.raises(ValueError, match=r"b=2"):
        KeywordIndex.build([], b=2)


def test_membership_and_length() -> None:
    index = KeywordIndex.build([("b", "x"), ("a", "y")], progress=True)
    assert len(index) == 2
    assert "a" in index
    assert "c" not in index


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was loaded",))


def test_nothing_is_ever_unpickled(tmp_path) -> None:
    index = KeywordIndex.build([("a", "stale reads")])
    index.save(tmp_path / "index")
    (tmp_path / "index" / "data.csc.index.npy").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(StaleIndexError, match="damaged"):
        KeywordIndex.load(tmp_path / "index")
    meta_file = tmp_path / "index" / "seams_keywords.json"
    meta = json.loads(meta_file.read_text())
    from seams_core.keywords import _digest

    name = "data.csc.index.npy"
    meta["files"][name] = _digest(tmp_path / "index" / name)
    meta_file.write_text(json.dumps(meta))
    with pytest.raises(StaleIndexError, match="can be read"):
        KeywordIndex.load(tmp_path / "index")


def test_a_missing_damaged_or_foreign_folder_says_what_to_do(tmp_path) -> None:
    with pytest.raises(StaleIndexError, match=r"build it again"):
        KeywordIndex.load(tmp_path / "nothing")
    (tmp_path / "seams_keywords.json").write_text("{")
    with pytest.raises(StaleIndexError, match="build it again"):
        KeywordIndex.load(tmp_path)
    (tmp_path / "seams_keywords.json").write_text('{"format": 99}')
    with pytest.raises(StaleIndexError, match="format 99"):
        KeywordIndex.load(tmp_path)
    (tmp_path / "seams_keywords.json").write_text("[]")
    with pytest.raises(StaleIndexError, match="build it again"):
        KeywordIndex.load(tmp_path)


def test_a_save_that_fails_leaves_the_old_index(tmp_path, monkeypatch) -> None:
    old = KeywordIndex.build([("a", "stale reads")])
    old.save(tmp_path / "index")
    new = KeywordIndex.build([("b", "stale reads")])
    monkeypatch.setattr("json.dumps", lambda *a, **k: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        new.save(tmp_path / "index")
    monkeypatch.undo()
    assert KeywordIndex.load(tmp_path / "index").ids == ("a",)
    assert [p.name for p in tmp_path.iterdir()] == ["index"]


def test_searches_from_several_threads_agree() -> None:
    texts = {str(n): f"order {n} reads {'stale ' * (n % 7)}running" for n in range(300)}
    index = KeywordIndex.build(texts.items())
    queries = [f"stale running orders {n}" for n in range(40)]
    wanted = [index.search(q, 10) for q in queries]
    results: dict[int, list] = {}

    def work(number: int) -> None:
        results[number] = [index.search(q, 10) for q in queries]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(result == wanted for result in results.values())
