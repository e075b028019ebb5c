"""Says which extra to install where LangChain is missing."""

from __future__ import annotations

try:
    import langchain_core  # noqa: F401
    import langchain_text_splitters  # noqa: F401
except ImportError as error:  # pragma: no cover - run in an environment without LangChain
    raise ImportError(
        'seams_langchain needs LangChain: install it with pip install "chunk-seams[langchain]"'
    ) from error
