"""Rows as their writers left them; LlamaIndex keeps a chunk's place inside a JSON text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from seams_core.locate import NEXT_KEY, PREVIOUS_KEY, WHOLE_OFFSET_KEY
from seams_core.store import Row

NODE_KEY = "_node_content"
_PREVIOUS, _NEXT = "2", "3"  # as LlamaIndex numbers the relationships of a node


def read_row(id: str, text: str | None, metadata: Mapping[str, Any]) -> Row:
    """A row with its place, as the locator reads it, wherever its writer kept that."""
    if NODE_KEY not in metadata:
        return Row(id, text or "", metadata)
    node = json.loads(metadata[NODE_KEY])
    rest = {key: value for key, value in metadata.items() if not key.startswith("_node_")}
    if node.get(WHOLE_OFFSET_KEY) is not None:
        rest[WHOLE_OFFSET_KEY] = node[WHOLE_OFFSET_KEY]
    for number, key in ((_PREVIOUS, PREVIOUS_KEY), (_NEXT, NEXT_KEY)):
        neighbour = node.get("relationships", {}).get(number)
        if neighbour:
            rest[key] = neighbour["node_id"]
    return Row(id, text or node.get("text") or "", {**rest, NODE_KEY: True})
