"""The reading order of a document's chunks by their links to the previous and the next one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from seams_core.errors import ChunkOrderError
from seams_core.locate import Place


class Linked(NamedTuple):
    """A chunk with the ids of its neighbours, as far as it names any."""

    id: str
    place: Place
    previous: str | None
    next: str | None


def chained(chunks: Sequence[Linked]) -> list[list[str]] | None:
    """The chunks of one document as runs in reading order.

    A chunk that was deleted from the middle leaves two that name it, which are neighbours now.
    Where links are broken in another way, positions order the runs that are left.

    :param chunks: All chunks of one document, in any order.
    :return: Runs of ids; between two runs nothing is known. ``None`` where positions alone decide.
    :raises ChunkOrderError: If links contradict each other and not all positions are known.
    """
    runs = _runs({chunk.id: chunk for chunk in chunks})
    places = {chunk.id: chunk.place for chunk in chunks}
    known = all(place.is_known for place in places.values())
    if runs is None:
        if known:
            return None
        raise ChunkOrderError(
            f"the previous and next links of document {chunks[0].place.document_id!r} contradict "
            "each other, and not all of its chunks tell their position: pass position_key= a key "
            "or a callable that does, or index the document anew"
        )
    if len(runs) == 1:
        return runs
    spans = [_span(run, places) for run in runs]
    if any(span is None for span in spans):
        return runs
    ordered = sorted((span, run) for span, run in zip(spans, runs, strict=True) if span)
    if any(left[0][1] >= right[0][0] for left, right in zip(ordered, ordered[1:], strict=False)):
        return None if known else runs  # two versions of one document, say
    return [[id for _, run in ordered for id in run]]


def _runs(chunks: dict[str, Linked]) -> list[list[str]] | None:
    """The longest runs by links; ``None`` if these are not one line."""
    follows: dict[str, str] = {}
    named_gone = {
        chunk.previous: chunk.id
        for chunk in chunks.values()
        if chunk.previous is not None and chunk.previous not in chunks
    }
    for chunk in chunks.values():
        if chunk.next in chunks:
            follows[chunk.id] = str(chunk.next)
        elif chunk.next in named_gone:
            follows[chunk.id] = named_gone[chunk.next]
    for chunk in chunks.values():
        if chunk.previous in chunks and follows.setdefault(chunk.previous, chunk.id) != chunk.id:
            return None
    followers = set(follows.values())
    if len(followers) < len(follows):
        return None
    runs = []
    for id in chunks:
        if id not in followers:
            run = [id]
            while run[-1] in follows:
                run.append(follows[run[-1]])
            runs.append(run)
    return runs if sum(map(len, runs)) == len(chunks) else None  # else there is a ring


def _span(run: list[str], places: dict[str, Place]) -> tuple[tuple[float, float], ...] | None:
    """First and last place of a run; ``None`` if no chunk of it tells one."""
    known = [places[id][1:3] for id in run if places[id].is_known]
    return (min(known), max(known)) if known else None
