"""``MetadataFilters`` as a condition in a store's own language, or as a function.

For stores whose wrapper leaves operators out, drops them without a word or does not nest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
)
from llama_index.core.vector_stores.utils import build_metadata_filter_fn

from seams_core.errors import StoreError


def passes(metadata: Mapping[str, Any], filters: MetadataFilters | None) -> bool:
    """Whether a node's metadata pass; each single filter is judged as LlamaIndex judges it."""
    if filters is None or not filters.filters:
        return True
    answers = (
        passes(metadata, part)
        if isinstance(part, MetadataFilters)
        else build_metadata_filter_fn(lambda _: metadata, MetadataFilters(filters=[part]))("")
        for part in filters.filters
    )
    condition = filters.condition or FilterCondition.AND
    if condition == FilterCondition.NOT:  # none of them
        return not any(answers)
    return all(answers) if condition == FilterCondition.AND else any(answers)


def pruned(filters: MetadataFilters | None) -> MetadataFilters | None:
    """``filters`` without groups that hold none, which every node passes and few stores can say.

    :return: ``None`` if every node passes.
    """
    if filters is None:
        return None
    parts = [pruned(f) if isinstance(f, MetadataFilters) else f for f in filters.filters]
    kept = [part for part in parts if part is not None]
    if not parts:
        return None
    if len(kept) < len(parts):
        if filters.condition == FilterCondition.NOT:
            return filters  # nothing passes
        if filters.condition == FilterCondition.OR or not kept:
            return None
    return filters.model_copy(update={"filters": kept})


@dataclass(frozen=True)
class Language:
    """How a store writes conditions.

    :param name: The store, for messages.
    :param field: From a metadata key to how it is named.
    :param value: From a string, number or boolean to how it is written.
    :param brackets: Around the values of a list.
    :param operators: From an operator to a template with ``{key}`` and ``{value}``; those of text
        are given the text as a pattern.
    """

    name: str
    field: Callable[[str], str]
    value: Callable[[Any], str]
    brackets: str
    operators: Mapping[FilterOperator, str]

    def condition(self, filters: MetadataFilters) -> str:
        """The whole of ``filters``, nested as they are.

        :raises StoreError: If an operator or a condition can not be said.
        """
        parts = [
            f"({self.condition(f) if isinstance(f, MetadataFilters) else self._one(f)})"
            for f in filters.filters
        ]
        condition = filters.condition or FilterCondition.AND
        if not parts:
            raise StoreError(f"{self.name} was given filters without a single one")
        if condition == FilterCondition.NOT:  # none of them, as LlamaIndex has it
            return f"not ({' or '.join(parts)})"
        return f" {condition.value} ".join(parts)

    def _one(self, filter: MetadataFilter) -> str:
        operator = filter.operator or FilterOperator.EQ
        template = self.operators.get(operator)
        if template is None:
            known = ", ".join(sorted(o.name for o in self.operators))
            raise StoreError(
                f"{self.name} has no way to say {operator.name} (of {filter.key!r}): use one of "
                f"{known}"
            )
        value = filter.value
        if operator == FilterOperator.TEXT_MATCH:
            return template.format(key=self.field(filter.key), value=self.value(f"%{value}%"))
        return template.format(key=self.field(filter.key), value=self._value(value))

    def _value(self, value: Any) -> str:
        if isinstance(value, list | tuple):
            return self.brackets[0] + ", ".join(map(self.value, value)) + self.brackets[1]
        return "" if value is None else self.value(value)


def _sql_value(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value)


_COMPARED = {
    FilterOperator.GT: "{key} > {value}",
    FilterOperator.GTE: "{key} >= {value}",
    FilterOperator.LT: "{key} < {value}",
    FilterOperator.LTE: "{key} <= {value}",
    FilterOperator.IN: "{key} in {value}",
    FilterOperator.NIN: "{key} not in {value}",
    FilterOperator.TEXT_MATCH: "{key} like {value}",
}

SQL = Language(
    "LanceDB",
    lambda key: f"metadata.`{key}`",
    _sql_value,
    "()",
    {
        **_COMPARED,
        FilterOperator.EQ: "{key} = {value}",
        FilterOperator.NE: "{key} <> {value}",
        FilterOperator.IS_EMPTY: "{key} is null",
        FilterOperator.CONTAINS: "array_has({key}, {value})",
    },
)

MILVUS = Language(
    "Milvus",
    lambda key: key if key.isidentifier() else f"$meta[{json.dumps(key)}]",
    lambda value: json.dumps(value, ensure_ascii=False),
    "[]",
    {
        **_COMPARED,
        FilterOperator.EQ: "{key} == {value}",
        FilterOperator.NE: "{key} != {value}",
        FilterOperator.IS_EMPTY: "not exists {key}",
        FilterOperator.CONTAINS: "json_contains({key}, {value})",
        FilterOperator.ANY: "json_contains_any({key}, {value})",
        FilterOperator.ALL: "json_contains_all({key}, {value})",
    },
)
