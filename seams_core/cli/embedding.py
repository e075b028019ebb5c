"""An embedding named by import path, in whichever of the usual forms it comes."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

_FORMS = (
    "a function from a list of texts to a list of vectors, an object with embed_documents and "
    "embed_query, one with get_text_embedding_batch and get_query_embedding, or a function "
    "without arguments that makes one of these"
)


class Embedding(NamedTuple):
    """What the commands need of an embedding."""

    name: str
    texts: Callable[[list[str]], Sequence[Any]]
    query: Callable[[str], Any]


def embedding_named(path: str) -> Embedding:
    """The embedding at ``path``, looked up from the current directory too.

    :param path: ``MODULE:NAME``.
    :raises ValueError: If there is no such module or name, or it is none of the usual forms.
    """
    module_name, _, name = path.partition(":")
    if not module_name or not name:
        raise ValueError(f"--embedding {path!r} is not allowed: give MODULE:NAME")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise ValueError(
            f"--embedding {path!r}: there is no module {error.name!r} here; run the command in its "
            "folder, or install it"
        ) from error
    for part in name.split("."):
        if not hasattr(found, part):
            raise ValueError(f"--embedding {path!r}: module {module_name!r} has no {name!r}")
        found = getattr(found, part)
    made = found() if _is_maker(found) else found
    return _adapted(made, path)


def _adapted(made: Any, path: str) -> Embedding:
    if hasattr(made, "embed_documents") and hasattr(made, "embed_query"):
        return Embedding(path, made.embed_documents, made.embed_query)
    if hasattr(made, "get_text_embedding_batch") and hasattr(made, "get_query_embedding"):
        return Embedding(path, made.get_text_embedding_batch, made.get_query_embedding)
    if callable(made):
        return Embedding(path, made, lambda text: made([text])[0])
    raise ValueError(f"--embedding {path!r} is a {type(made).__name__}: give {_FORMS}")


def _is_maker(found: Any) -> bool:
    if inspect.isclass(found):
        return True
    if not inspect.isroutine(found):
        return False
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return False
    return not any(
        p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters
    )
