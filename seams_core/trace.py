"""What happened to one query, in the form of the paper's two tables (paper 3.2, worked example)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from seams_core.fusion import FusedRanking
from seams_core.types import Entry

if TYPE_CHECKING:
    from seams_core.fire import FireTest, Verdict

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class FillStep(NamedTuple):
    """One entry read while the budget was filled.

    ``added`` are the chunks it needs slots for, ``fits`` tells whether they got them, and
    ``used`` counts the slots used afterwards.
    """

    entry: Entry
    added: tuple[str, ...]
    fits: bool
    used: int


@dataclass(slots=True)
class Trace:
    """The record of one query. ``str()`` prints the paper's tables, ``to_dict()`` is JSON.

    :param fused: The fused ranking.
    :param links: For each seam its left and right chunk.
    :param fire_test: The test that judged the seams.
    :param verdicts: One per linked seam, in the order of the ranking.
    :param excluded: Seams that might not fire because of the caller's filter.
    :param steps: The fill log, before any reranking.
    :param budget: In chunks.
    :param chunk_ids: The result.
    :param reranked: Whether a reranker ordered the ordinary chunks of the result.
    """

    fused: Sequence[Entry]
    links: Mapping[str, tuple[str, str]]
    fire_test: FireTest
    verdicts: list[Verdict]
    excluded: Collection[str]
    steps: list[FillStep]
    budget: int
    chunk_ids: list[str]
    reranked: bool

    def verdict(self, seam_id: str) -> str:
        """One of ``"fired"``, ``"skipped"`` (for lack of slots), ``"blocked"``, ``"filtered"``,
        ``"stale"`` and ``"absent"`` (not in the ranking)."""
        return self._statuses().get(seam_id, "absent")

    @property
    def counts(self) -> dict[str, int]:
        """How many seams of the ranking got each verdict."""
        counts = dict.fromkeys(("fired", "skipped", "blocked", "filtered", "stale"), 0)
        for status in self._statuses().values():
            counts[status] += 1
        return counts

    def _statuses(self) -> dict[str, str]:
        statuses: dict[str, str] = {}
        for kind, id in self.fused:
            if kind == "seam":
                statuses[id] = "stale" if id not in self.links else "filtered"
        for verdict in self.verdicts:
            statuses[verdict.seam_id] = "fired" if verdict.fired else "blocked"
        for step in self.steps:
            if step.entry.kind == "seam" and not step.fits:
                statuses[step.entry.id] = "skipped"
        return statuses

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON: lists, strings, numbers, booleans and ``None``."""
        scores = self.fused if isinstance(self.fused, FusedRanking) else None
        verdicts = {verdict.seam_id: verdict for verdict in self.verdicts}
        seams: list[dict[str, Any]] = []
        for position, entry in enumerate(self.fused, 1):
            if entry.kind != "seam":
                continue
            link = self.links.get(entry.id)
            verdict = verdicts.get(entry.id)
            seams.append(
                {
                    "seam_id": entry.id,
                    "position": position,
                    "left_chunk_id": link[0] if link else None,
                    "right_chunk_id": link[1] if link else None,
                    "left_position": verdict.left_position if verdict else None,
                    "right_position": verdict.right_position if verdict else None,
                    "verdict": self.verdict(entry.id),
                    "blocked_by": list(verdict.blocked_by) if verdict else [],
                }
            )
        return {
            "budget": self.budget,
            "fire_test": self.fire_test.to_dict(),
            "reranked": self.reranked,
            "fused": [
                {
                    "position": position,
                    "kind": entry.kind,
                    "id": entry.id,
                    "score": scores.score(entry) if scores is not None else None,
                }
                for position, entry in enumerate(self.fused, 1)
            ],
            "seams": seams,
            "fill": [
                {
                    "kind": step.entry.kind,
                    "id": step.entry.id,
                    "added": list(step.added) if step.fits else [],
                    "action": self._action(step),
                    "slots_used": step.used,
                }
                for step in self.steps
            ],
            "chunk_ids": list(self.chunk_ids),
        }

    def __str__(self) -> str:
        return self.render()

    def render(self, *, names: Mapping[str, str] | None = None, top: int | None = None) -> str:
        """The paper's two tables and the result.

        :param names: Shorter names for ids of chunks, where they are long.
        :param top: How many entries of the ranking to show; all if ``None``.
        """
        names = names or {}
        lines = ["The fused ranking", ""]
        lines += _table(("Position", "Entry", "Verdict"), islice(self._ranking_rows(names), top))
        if top is not None and len(self.fused) > top:
            lines.append(f"... and {len(self.fused) - top} more")
        lines += ["", f"Filling the budget of {self.budget}", ""]
        lines += _table(("Position", "Entry", "Action", "Slots used"), self._fill_rows(names))
        late = sum(not step.fits for step in self._after_full())
        if late:
            lines.append(f"... and {late} more fired seams that found no slots")
        result = ", ".join(names.get(id, id) for id in self.chunk_ids) or "no chunks"
        lines += ["", f"Result{' (reranked)' if self.reranked else ''}: {result}"]
        return "\n".join(lines)

    def label(self, entry: Entry, names: Mapping[str, str] | None = None) -> str:
        """An entry as the paper names it: ``Chunk 12``, ``Seam 7|8``."""
        names = names or {}
        if entry.kind == "chunk":
            return f"Chunk {names.get(entry.id, entry.id)}"
        link = self.links.get(entry.id)
        if link is None:
            return f"Seam {names.get(entry.id, entry.id)}"
        return f"Seam {names.get(link[0], link[0])}|{names.get(link[1], link[1])}"

    def _ranking_rows(self, names: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
        verdicts = {verdict.seam_id: verdict for verdict in self.verdicts}
        statuses = self._statuses()
        for position, entry in enumerate(self.fused, 1):
            status = statuses.get(entry.id, "") if entry.kind == "seam" else ""
            verdict = verdicts.get(entry.id) if entry.kind == "seam" else None
            if verdict is not None:
                link = self.links[entry.id]
                places = (verdict.left_position, verdict.right_position)
                held = ", ".join(
                    f"chunk {names.get(chunk, chunk)} "
                    + ("absent" if place is None else f"at {place}")
                    for chunk, place in zip(link, places, strict=True)
                )
                blocked = f" by chunk {' and '.join(names.get(c, c) for c in verdict.blocked_by)}"
                status += blocked if verdict.blocked_by else ""
                status += f" ({held})"
            yield str(position), self.label(entry, names), status

    def _after_full(self) -> list[FillStep]:
        """Steps read after the budget was full: fired seams that are late."""
        full = [n for n, step in enumerate(self.steps) if step.used >= self.budget]
        return self.steps[full[0] + 1 :] if full else []

    def _fill_rows(self, names: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
        """The fill log up to the step that fills the budget, dropped seams where they stood."""
        places = {entry: place for place, entry in enumerate(self.fused, 1)}
        placed = {step.entry for step in self.steps}
        dropped = [entry for entry in self.fused if entry.kind == "seam" and entry not in placed]
        used = 0
        for step in self.steps[: len(self.steps) - len(self._after_full())]:
            if step.entry.kind == "chunk":
                while dropped and places[dropped[0]] < places[step.entry]:
                    entry = dropped.pop(0)
                    why = "Did not fire; already dropped"
                    yield str(places[entry]), self.label(entry, names), why, self._of_budget(used)
            used = step.used
            yield (
                str(places[step.entry]),
                self.label(step.entry, names),
                self._action(step, names),
                self._of_budget(used),
            )

    def _of_budget(self, used: int) -> str:
        return f"{used} of {self.budget}"

    def _action(self, step: FillStep, names: Mapping[str, str] | None = None) -> str:
        full = "; the budget is full" if step.used >= self.budget and step.added else ""
        if step.entry.kind == "chunk":
            return f"Added{full}" if step.added else "Already included; skipped"
        if not step.added:
            return "Fired; both chunks already included"
        remain = self.budget - step.used + (len(step.added) if step.fits else 0)
        chunks = "chunks " if len(step.added) > 1 else "chunk "
        chunks += " and ".join((names or {}).get(id, id) for id in step.added)
        needs = (
            f"Needs {_WORDS[len(step.added)]} slot{'s' * (len(step.added) > 1)}, for "
            f"{chunks}, and {_number(remain)} "
            f"remain{'s' * (remain == 1)}"
        )
        if not step.fits:
            return f"{needs}: skipped"
        return f"{needs}, so {'both are' if len(step.added) > 1 else 'it is'} added{full}"


def _number(count: int) -> str:
    return _WORDS[count] if count < len(_WORDS) else str(count)


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Rows in columns of their own width."""
    table = [header, *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return lines
