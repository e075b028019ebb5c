"""Where tiktoken's file comes from, and what is said where it can not be had."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest

from seams_core import _tiktoken
from seams_core.errors import TokenizerUnavailableError
from seams_core.tokens import as_measure


@pytest.fixture
def fresh(monkeypatch):
    """No encoding is loaded yet, and no variable names a cache."""
    _tiktoken.tiktoken_measure.cache_clear()
    monkeypatch.setattr("tiktoken.registry.ENCODINGS", {})
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(variable, raising=False)
    yield monkeypatch
    _tiktoken.tiktoken_measure.cache_clear()


def cut_off(*args, **kwargs):
    raise ConnectionError("no route to host")


def test_the_copy_that_llama_index_ships_is_used_without_the_network(fresh) -> None:
    fresh.setattr("requests.get", cut_off)
    assert as_measure().count("two words") == 2
    assert "TIKTOKEN_CACHE_DIR" not in os.environ


def test_it_is_also_used_where_a_cache_is_named_that_lacks_the_file(fresh, tmp_path) -> None:
    fresh.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    fresh.setattr("requests.get", cut_off)
    assert as_measure().count("two words") == 2
    assert os.environ["TIKTOKEN_CACHE_DIR"] == str(tmp_path)


def test_without_any_copy_the_error_says_what_can_be_done(fresh, tmp_path) -> None:
    fresh.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    fresh.setattr("requests.get", cut_off)
    fresh.setattr(_tiktoken, "shipped_folder", lambda kind: None)
    with pytest.raises(TokenizerUnavailableError, match=r"TIKTOKEN_CACHE_DIR.*tokenizer="):
        as_measure()


def test_a_measure_pickles() -> None:
    measure = as_measure()
    assert pickle.loads(pickle.dumps(measure)).count("two words") == 2


def test_a_tiktoken_that_takes_special_tokens_for_special_in_arrays_is_not_asked_for_them() -> None:
    encoding = as_measure()._encoding

    class Old:
        """The array form of a release in which special tokens are always special."""

        def __getattr__(self, name):
            return getattr(encoding, name)

        def encode_to_numpy(self, text, **kwargs):
            return np.array(encoding.encode(text, allowed_special="all"), dtype=np.uint32)

    assert _tiktoken.TiktokenMeasure(Old()).count("<|endoftext|>") > 1


def test_text_from_a_safe_place_has_the_tokens_it_has_in_the_longer_text() -> None:
    """What going on from a safe place and looking only at a text's end rest on."""
    measure = as_measure()
    text = "It isn't 3,000 km; see (fig. 7)  and\n\n  'quoted' x_y — é漢字 👍🏽 end. " * 40
    for n in (1, 7, 50, 333, 700):
        assert measure.count(text[measure.tail(text, n) :]) >= n
        assert measure.count(text[: measure.head(text, n)]) >= n
        assert measure.count(text[: measure.prefix(text, 0, n)]) <= n
