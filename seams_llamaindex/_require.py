"""Says which extra to install where LlamaIndex is missing."""

from __future__ import annotations

try:
    import llama_index.core  # noqa: F401
except ImportError as error:  # pragma: no cover - run in an environment without LlamaIndex
    raise ImportError(
        'seams_llamaindex needs LlamaIndex: install it with pip install "chunk-seams[llamaindex]"'
    ) from error
