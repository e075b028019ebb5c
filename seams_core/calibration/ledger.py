"""What a calibration has asked and seen so far, so that a stopped one goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from seams_core.calibration.sampling import Sample
from seams_core.errors import SeamsError


class Answer(NamedTuple):
    """What became of one text: its question, or why there is none, and the head starts."""

    question: str
    lost: str
    starts: Mapping[str, float]


class Ledger:
    """One JSON line for each text, after a line of what they were asked of.

    :param path: The file; ``None`` keeps nothing.
    :param made_on: What must be the same for its lines to count.
    :raises SeamsError: If the file is of another index, sample or setting, or no ledger.
    """

    def __init__(self, path: str | Path | None, made_on: Mapping[str, Any]) -> None:
        self._path = None if path is None else Path(path)
        self._answers: dict[str, Answer] = {}
        if self._path is None:
            return
        head = json.dumps(made_on, sort_keys=True)
        if not self._path.exists():
            self._path.write_text(head + "\n", encoding="utf-8")
            return
        lines = self._path.read_text(encoding="utf-8").split("\n")
        if lines[0] != head:
            raise SeamsError(
                f"{self._path} was begun with another index or other settings: delete it, or give "
                "another path"
            )
        for line in lines[1:-1]:  # what follows the last line break was cut off while written
            key, question, lost, starts = json.loads(line)
            self._answers[key] = Answer(question, lost, {k: float(v) for k, v in starts.items()})
        if lines[-1]:
            self._path.write_text("\n".join([*lines[:-1], ""]), encoding="utf-8")

    def get(self, sample: Sample) -> Answer | None:
        """What is known of a text; one that was lost is asked again."""
        answer = self._answers.get(_key(sample))
        return None if answer is None or answer.lost else answer

    def add(self, sample: Sample, answer: Answer) -> None:
        """Keep it, at once."""
        if self._path is None:
            return
        starts = {name: str(value) for name, value in answer.starts.items()}
        line = json.dumps([_key(sample), answer.question, answer.lost, starts])
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def _key(sample: Sample) -> str:
    return f"{sample.side}|{sample.seam_id}|{sample.text}"
