"""A calibration under way: what was drawn, asked and seen (paper 3.2)."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from seams_core.anchored import AnchoredFireTest
from seams_core.calibration.ledger import Answer, Ledger
from seams_core.calibration.result import Calibration
from seams_core.calibration.sampling import Sample, Samples, draw
from seams_core.calibration.statistics import conformal_quantile, sample_size
from seams_core.calibration.use import deployment
from seams_core.calibration.verdict import expected_divided, mean_chunk_tokens, reasons
from seams_core.calibration.writing import RareWords
from seams_core.fire import CalibratableFireTest, FireTest
from seams_core.index import SeamedIndex
from seams_core.retrieval import Retrieval
from seams_core.sentences import as_edges
from seams_core.tokens import checked_positive
from seams_core.trace import Trace

_IN_USE = "in use"
_PAGE = 2000


class Work:
    """A calibration under way, whoever drives it; see :func:`calibrate_margin`."""

    def __init__(
        self,
        index: SeamedIndex,
        retrieval: Retrieval,
        *,
        writer: Any,
        fire_test: Any = None,
        in_use: FireTest | None = None,
        coverage: float = 0.9,
        interval: float = 0.06,
        samples: int | None = None,
        evidence_tokens: Sequence[int] | None = None,
        chunk_tokens: float | None = None,
        embedding: str | None = None,
        retries: int = 2,
        seed: int = 0,
        resume: Any = None,
        date: str | None = None,
    ) -> None:
        for name, share in (("coverage", coverage), ("interval", interval)):
            if isinstance(share, bool) or not 0 < share < 1:
                raise ValueError(f"{name}={share!r} is not allowed: give a share between 0 and 1")
        if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
            raise ValueError(f"retries={retries!r} is not allowed: give a number of 0 or more")
        self.tests = checked_tests(fire_test)
        self.in_use = in_use
        self.coverage, self.seed = coverage, seed
        size = sample_size(coverage, interval) if samples is None else samples
        self.samples: Samples = draw(
            index.seam_store,
            as_edges(index.sentences),
            size=checked_positive("samples", size),
            seed=seed,
            language=index.language,
        )
        self.offline = RareWords(self.samples.frequencies, index.language)
        self.approximate = writer is None
        named = getattr(writer, "name", None) or getattr(writer, "__name__", None)
        self.writer = self.offline.name if writer is None else str(named or type(writer).__name__)
        self.made_on: dict[str, Any] = {
            **deployment(index, retrieval, embedding),
            "ties": "a chunk before a seam, then the id",
            "chunks": sum(len(page) for page in index.chunk_store.pages(_PAGE)),
            "seams": self.samples.cuts,
            "fingerprint": self.samples.fingerprint,
        }
        self.divided: float | None = None
        if evidence_tokens is not None:
            length = mean_chunk_tokens(index) if chunk_tokens is None else chunk_tokens
            self.divided = expected_divided(evidence_tokens, length)
        self.date = datetime.date.today().isoformat() if date is None else date
        names = [name_of(test) for test in self.tests]
        now = None if in_use is None else name_of(in_use)
        key = {
            **self.made_on,
            "tests": names,
            "in_use": now,
            "writer": self.writer,
            "seed": seed,
            "size": size,
        }
        self._ledger = Ledger(resume, key)
        self._answers: dict[Sample, Answer] = {}
        for sample in (*self.samples.unsplit, *self.samples.split):
            if (known := self._ledger.get(sample)) is not None:
                self._answers[sample] = known

    @property
    def todo(self) -> list[Sample]:
        """Texts not asked yet, both sides in turn, so that a part of the run is a small run."""
        sides = (self.samples.unsplit, self.samples.split)
        longest = max(map(len, sides))
        mixed = [side[n] for n in range(longest) for side in sides if n < len(side)]
        return [sample for sample in mixed if sample not in self._answers]

    @property
    def all_failed(self) -> bool:
        """Whether a writer that has been asked ten texts has failed for each."""
        return len(self._answers) >= 9 and all(a.lost == "failed" for a in self._answers.values())

    def bar(self, progress: bool) -> Any:
        """A progress bar over what is left."""
        from tqdm import tqdm

        return tqdm(total=len(self.todo), desc="questions", unit="q", disable=not progress)

    def note(self, sample: Sample, question: str, lost: str, trace: Trace | None) -> None:
        """Record what one question showed."""
        starts: dict[str, float] = {}
        if trace is not None:
            for test in self.tests:
                # A seam that is not in the ranking can not fire, whatever the threshold.
                found = test.head_starts(trace.fused, trace.links)
                starts[name_of(test)] = found.get(sample.seam_id, -math.inf)
            if self.in_use is not None:
                verdicts = self.in_use(trace.fused, trace.links).verdicts
                fired = any(v.fired for v in verdicts if v.seam_id == sample.seam_id)
                starts[_IN_USE] = float(fired)
        answer = Answer(question, lost, starts)
        self._answers[sample] = answer
        self._ledger.add(sample, answer)

    def result(self) -> Calibration:
        """The calibration of the best of the tests."""
        made = [self._of(test) for test in self.tests]
        best = max(made, key=lambda c: (c.fires_split, c.separation))
        others = tuple(
            {
                "test": dict(c.test),
                "threshold": c.threshold,
                "unsplit": c.fires_unsplit,
                "split": c.fires_split,
                "separation": c.separation,
            }
            for c in made
            if c is not best
        )
        return replace(best, others=others)

    def _starts(self, side: Sequence[Sample], name: str) -> tuple[float, ...]:
        answers = (self._answers.get(sample) for sample in side)
        return tuple(a.starts[name] for a in answers if a is not None and not a.lost)

    def _of(self, test: CalibratableFireTest) -> Calibration:
        unsplit = self._starts(self.samples.unsplit, name_of(test))
        split = self._starts(self.samples.split, name_of(test))
        threshold = max(conformal_quantile(unsplit, self.coverage), test.lowest)
        joined = sum(sample.side == "joined" for sample in self.samples.split)
        lost = [answer.lost for answer in self._answers.values() if answer.lost]
        made = Calibration(
            test=test.above(threshold).to_dict(),
            threshold=threshold,
            coverage=self.coverage,
            unsplit=unsplit,
            split=split,
            made_on=self.made_on,
            joined=joined,
            lost={reason: lost.count(reason) for reason in ("failed", "empty")},
            crossed=self.samples.crossed / self.samples.cuts,
            writer=self.writer,
            approximate=self.approximate,
            divided=self.divided,
            before=self._before(),
            seed=self.seed,
            date=self.date,
        )
        return replace(made, reasons=tuple(reasons(made)))

    def _before(self) -> dict[str, Any]:
        if self.in_use is None:
            return {}
        shares = {
            side: self._starts(getattr(self.samples, side), _IN_USE)
            for side in ("unsplit", "split")
        }
        return {
            "test": self.in_use.to_dict(),
            **{side: sum(fired) / max(1, len(fired)) for side, fired in shares.items()},
        }


def checked_tests(fire_test: Any) -> list[CalibratableFireTest]:
    """One test or several as a list.

    :raises ValueError: If one has no number to set.
    """
    if fire_test is None:
        fire_test = AnchoredFireTest()
    tests = list(fire_test) if isinstance(fire_test, list | tuple) else [fire_test]
    for test in tests:
        if not isinstance(test, CalibratableFireTest):
            raise ValueError(
                f"fire_test={test!r} has no number to calibrate: give MarginFireTest, "
                "AnchoredFireTest or ScoreRatioFireTest, or one with head_starts and above"
            )
    if not tests:
        raise ValueError("fire_test=[] is not allowed: give at least one fire test")
    return tests


def name_of(test: FireTest) -> str:
    """Name and settings of a test in one string."""
    return json.dumps(test.to_dict(), sort_keys=True)
