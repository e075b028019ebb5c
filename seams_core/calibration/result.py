"""What calibrating found, and where it holds (paper 3.2)."""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from seams_core.anchored import AnchoredFireTest
from seams_core.calibration.statistics import separation, wilson
from seams_core.errors import SeamsError
from seams_core.fire import FireTest, MarginFireTest
from seams_core.ratio import ScoreRatioFireTest

_FORMAT = 1


class CalibrationMismatchWarning(UserWarning):
    """A calibration is used with an index or settings that it was not made on."""


@dataclass(frozen=True)
class Calibration:
    """A fire test whose number was set on an index, and what is known of it.

    Give it to a retriever as ``margin=``. Head starts are in places for :class:`MarginFireTest`
    and in multiples of a fused score for the others; infinite where neither chunk was found, minus
    infinite where the seam was not.

    :param test: Name and settings of the calibrated fire test.
    :param threshold: A seam fires for head starts above this.
    :param coverage: The share of unsplit texts whose seam is to stay quiet, at least.
    :param unsplit: Head starts for texts that lie in one chunk.
    :param split: Head starts for texts that a cut crosses.
    :param joined: How many of ``split`` are the two sentences beside a cut that crosses none.
    :param lost: How many texts got no question, by reason.
    :param made_on: The index and the settings: see :meth:`mismatches`.
    :param crossed: Share of cuts that lie inside a sentence.
    :param writer: Who wrote the questions.
    :param approximate: Whether they are made of the texts' own words.
    :param divided: Expected share of evidence that a cut divides, where its lengths were given.
    :param before: The fire test in use before, with its share of firings on each side.
    :param others: The tests that were tried beside this one.
    :param seed: Of the sample.
    :param date: When, as ISO 8601.
    """

    test: Mapping[str, Any]
    threshold: float
    coverage: float
    unsplit: tuple[float, ...]
    split: tuple[float, ...]
    made_on: Mapping[str, Any]
    joined: int = 0
    lost: Mapping[str, int] = field(default_factory=dict)
    crossed: float = 0.0
    writer: str = ""
    approximate: bool = False
    divided: float | None = None
    before: Mapping[str, Any] = field(default_factory=dict)
    others: tuple[Mapping[str, Any], ...] = ()
    seed: int = 0
    date: str = ""
    reasons: tuple[str, ...] = ()

    @property
    def fire_test(self) -> FireTest:
        """The calibrated test.

        :raises SeamsError: If it is a test of your own, which only its code can make.
        """
        return fire_test_of(self.test)

    @property
    def margin(self) -> float | None:
        """m, in places, if the test is the paper's."""
        return self.fire_test.margin if isinstance(self.fire_test, MarginFireTest) else None

    @property
    def fires_unsplit(self) -> float:
        """Share of unsplit texts whose seam fires."""
        return _share_above(self.unsplit, self.threshold)

    @property
    def fires_split(self) -> float:
        """Share of split texts whose seam fires."""
        return _share_above(self.split, self.threshold)

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """95 % intervals of both shares."""
        return {
            "unsplit": wilson(round(self.fires_unsplit * len(self.unsplit)), len(self.unsplit)),
            "split": wilson(round(self.fires_split * len(self.split)), len(self.split)),
        }

    @property
    def separation(self) -> float:
        """The chance that a split text's head start is above an unsplit one's; 0.5 is chance."""
        return separation(self.unsplit, self.split)

    @property
    def working_range(self) -> tuple[float, float]:
        """From the threshold to the head start that ``coverage`` of the split texts reach.

        Where the second is below the first, the distributions overlap.
        """
        ordered = sorted(self.split)
        reached = math.floor((1 - self.coverage) * len(ordered) + 1e-9)
        return self.threshold, ordered[reached] if ordered else -math.inf

    @property
    def valid(self) -> bool:
        """Whether there were enough questions for the promise to hold."""
        return self.verdict != "not valid"

    @property
    def verdict(self) -> str:
        """``"inside the setting"``, ``"outside the setting"`` or ``"not valid"``."""
        if any(reason.startswith("too few") for reason in self.reasons):
            return "not valid"
        return "outside the setting" if self.reasons else "inside the setting"

    def mismatches(self, now: Mapping[str, Any]) -> list[str]:
        """What of ``now`` is not as it was: m does not carry over (paper 3.2).

        :param now: Any of the keys of ``made_on`` with their present values.
        """
        return [
            f"{name} was {self.made_on[name]!r} and is {value!r}"
            for name, value in now.items()
            if name in self.made_on and _plain(self.made_on[name]) != _plain(value)
        ]

    def warn_of(self, now: Mapping[str, Any]) -> None:
        """Warn of :meth:`mismatches`, if there are any."""
        found = self.mismatches(now)
        if found:
            warnings.warn(
                f"this calibration does not fit any more: {'; '.join(found)}. A margin does not "
                "carry over between indexes or depths: calibrate again",
                CalibrationMismatchWarning,
                stacklevel=3,
            )

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON; infinite numbers as ``"inf"`` and ``"-inf"``."""
        shown: dict[str, Any] = _plain(asdict(self))
        return {
            "format": _FORMAT,
            **shown,
            "fires_unsplit": self.fires_unsplit,
            "fires_split": self.fires_split,
            "intervals": _plain(self.intervals),
            "separation": _plain(self.separation),
            "working_range": _plain(self.working_range),
            "verdict": self.verdict,
        }

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> Calibration:
        """The calibration that :meth:`to_dict` told of.

        :raises SeamsError: If it is none, or one of a later version.
        """
        if told.get("format") != _FORMAT:
            raise SeamsError(
                f"this is no calibration that this version knows (format {told.get('format')!r}, "
                f"known is {_FORMAT}): calibrate again"
            )
        names = {f.name for f in fields(cls)}
        values = {name: value for name, value in told.items() if name in names}
        missing = {"test", "threshold", "coverage", "unsplit", "split", "made_on"} - set(values)
        if missing:
            raise SeamsError(
                f"this calibration lacks {', '.join(sorted(missing))}: calibrate again"
            )
        values["threshold"] = float(values["threshold"])
        for name in ("unsplit", "split"):
            values[name] = tuple(map(float, values[name]))
        for name in ("others", "reasons"):
            values[name] = tuple(values.get(name, ()))
        return cls(**values)

    def save(self, path: str | Path) -> None:
        """Write it as JSON, whole or not at all."""
        target = Path(path)
        draft = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            draft.write_text(json.dumps(self.to_dict(), indent=2) + "\n", encoding="utf-8")
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: str | Path) -> Calibration:
        """Read what :meth:`save` wrote.

        :raises SeamsError: If the file is no calibration.
        """
        try:
            told = json.loads(Path(path).read_text(encoding="utf-8"))
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise SeamsError(f"{path} is no JSON: {error}") from error
        if not isinstance(told, dict):
            raise SeamsError(f"{path} is no calibration")
        return cls.from_dict(told)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> list[str]:
        low, high = self.intervals["unsplit"]
        lines = [
            f"Verdict: {self.verdict}",
            *(f"  - {reason}" for reason in self.reasons),
            f"Fire test: {json.dumps(_plain(self.test))}, for head starts above {self.threshold:g}",
            f"Unsplit texts whose seam fires: {self.fires_unsplit:.1%} of {len(self.unsplit)} "
            f"(95 % interval {low:.1%} to {high:.1%}; at most {1 - self.coverage:.0%} wanted)",
        ]
        low, high = self.intervals["split"]
        lines += [
            f"Split texts whose seam fires: {self.fires_split:.1%} of {len(self.split)} "
            f"(95 % interval {low:.1%} to {high:.1%})",
            f"Separation of the two: {self.separation:.3f} (0.5 is chance, 1 is none in common)",
            f"Cuts inside a sentence: {self.crossed:.1%}",
        ]
        if self.before:
            lines.append(
                f"In use before: {json.dumps(_plain(self.before['test']))}, which fires for "
                f"{self.before['unsplit']:.1%} of unsplit and {self.before['split']:.1%} of split"
            )
        if sum(self.lost.values()):
            told = ", ".join(f"{count} {reason}" for reason, count in self.lost.items() if count)
            lines.append(f"Texts without a question: {told}")
        if self.joined:
            lines.append(
                f"{self.joined} of the split texts are the two sentences beside a cut, since too "
                "few cuts cross a sentence"
            )
        if self.approximate:
            lines.append(
                f"Questions by {self.writer}, which is an approximation: a language model or a "
                "person repeats fewer of a text's words"
            )
        return lines


def fire_test_of(told: Mapping[str, Any]) -> FireTest:
    """The fire test that its ``to_dict`` told of.

    :raises SeamsError: If it is none of this package's that can be made from that.
    """
    settings = {name: value for name, value in told.items() if name != "name"}
    known = {
        "margin": MarginFireTest,
        "anchored": AnchoredFireTest,
        "score ratio": ScoreRatioFireTest,
    }
    make: Any = known.get(str(told.get("name")))
    if make is None:
        raise SeamsError(
            f"the fire test {told.get('name')!r} can not be made from what was saved: pass it as "
            "fire_test="
        )
    return make(**{name: float(value) for name, value in settings.items()})  # type: ignore[no-any-return]


def _share_above(values: tuple[float, ...], threshold: float) -> float:
    return sum(value > threshold for value in values) / len(values) if values else 0.0


def _plain(value: Any) -> Any:
    """As JSON gives it back."""
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return value if math.isfinite(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
