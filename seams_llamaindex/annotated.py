"""Nodes that say why they came back, and still have the hash of the node that is stored.

LlamaIndex knows a node again by a hash of its text and metadata, in ``QueryFusionRetriever`` for
one: with the reason counted in, what two retrievers or two queries find would never be the same.
"""

from __future__ import annotations

from typing import Any

from llama_index.core.schema import BaseNode, IndexNode, Node, TextNode

#: The one metadata key of a returned node that tells why it is there.
KEY = "seams"


class _Annotated(BaseNode):
    @property
    def hash(self) -> str:
        """That of the node without the reason."""
        bare = {key: value for key, value in self.metadata.items() if key != KEY}
        plain = self.model_copy(update={"metadata": bare})
        return super(_Annotated, plain).hash  # type: ignore[safe-super]  # that of the kind below


class _TextNode(_Annotated, TextNode):
    """Saved and loaded it is a ``TextNode``; the next two likewise."""


class _IndexNode(_Annotated, IndexNode):
    pass


class _Node(_Annotated, Node):
    pass


# The hash of an image node leaves all metadata out.
_KINDS: dict[type, type] = {TextNode: _TextNode, IndexNode: _IndexNode, Node: _Node}


def annotated(node: Any, reason: dict[str, Any]) -> Any:
    """``node`` with a reason that neither the language model nor an embedding sees.

    :param node: A copy that may be changed.
    :param reason: What stands under the key.
    """
    kind = _KINDS.get(type(node))
    if kind is not None:
        node = kind(**node.__dict__)
    node.metadata[KEY] = reason
    for keys in ("excluded_embed_metadata_keys", "excluded_llm_metadata_keys"):
        setattr(node, keys, [*getattr(node, keys), KEY])
    return node
