"""Vectors are kept by content, appear whole, and a stopped run goes on."""

from __future__ import annotations

import numpy as np
import pytest

from seams_core.evaluation import CachedEmbedder


def lengths(texts):
    return np.array([[len(text), 1.0] for text in texts])


def test_rows_have_norm_1_and_follow_the_texts(tmp_path):
    rows = CachedEmbedder(lengths, tmp_path, "m")(["abc", "a", "abc"])
    assert rows == pytest.approx(np.array([[3, 1], [1, 1], [3, 1]]) / np.sqrt([[10], [2], [10]]))
    assert rows.dtype == np.float32


def test_nothing_is_embedded_twice(tmp_path):
    first = CachedEmbedder(lengths, tmp_path, "m")
    first(["a", "b", "a"])
    assert first.embedded == 2
    again = CachedEmbedder(lengths, tmp_path, "m")
    again(["b", "c"])
    assert again.embedded == 1
    other = CachedEmbedder(lengths, tmp_path, "another model")
    other(["a"])
    assert other.embedded == 1


def test_a_stopped_run_goes_on_where_it_stopped(tmp_path):
    calls = []

    def stops(texts):
        calls.append(texts)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return lengths(texts)

    texts = [f"text {n}" for n in range(10)]
    with pytest.raises(KeyboardInterrupt):
        CachedEmbedder(stops, tmp_path, "m", batch=2)(texts)
    after = CachedEmbedder(lengths, tmp_path, "m", batch=2)
    rows = after(texts)
    assert after.embedded == 6  # two batches of two were kept
    assert not list(tmp_path.rglob("*.part"))
    fresh = CachedEmbedder(lengths, tmp_path / "fresh", "m")(texts)
    np.testing.assert_array_equal(rows, fresh)


def test_a_failed_write_leaves_nothing(tmp_path, monkeypatch):
    def fails(*arguments, **named):
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez", fails)
    with pytest.raises(OSError, match="disk full"):
        CachedEmbedder(lengths, tmp_path, "m")(["a"])
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("wrong", [lambda t: np.zeros(len(t)), lambda t: np.zeros((1, 3))])
def test_one_vector_for_each_text(tmp_path, wrong):
    with pytest.raises(ValueError, match="one vector for each"):
        CachedEmbedder(wrong, tmp_path, "m")(["a", "b"])


def test_settings(tmp_path):
    with pytest.raises(ValueError, match="batch=0"):
        CachedEmbedder(lengths, tmp_path, "m", batch=0)
    with pytest.raises(ValueError, match="name"):
        CachedEmbedder(lengths, tmp_path, "")
    assert CachedEmbedder(lengths, tmp_path, "m")([]).shape[0] == 0
    assert CachedEmbedder(lambda t: np.zeros((len(t), 2)), tmp_path, "z")(["a"]).tolist() == [
        [0, 0]
    ]
