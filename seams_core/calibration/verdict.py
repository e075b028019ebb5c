"""Whether a collection lies in the setting that Seams is designed for (paper 2.2 and 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from seams_core.calibration.result import Calibration
from seams_core.calibration.statistics import fewest
from seams_core.index import SeamedIndex
from seams_core.tokens import as_measure

_SEPARATED = 0.7  # below this the two distributions are taken to overlap heavily
_WORTH = 0.25  # of the split texts, the share whose seam must fire for a threshold to be of use
_DIVIDED = 0.05  # of the evidence, the share that a cut must divide
_CHUNKS = 500  # whose mean length stands for that of all


def reasons(made: Calibration) -> list[str]:
    """What speaks against it, in words with numbers; none if it is inside the setting."""
    found = []
    needed = fewest(made.coverage)
    for side in ("unsplit", "split"):
        count = len(getattr(made, side))
        if count < needed:
            found.append(
                f"too few {side} texts: {count} got a question and at least {needed} are needed "
                f"for a coverage of {made.coverage:g}"
            )
    if found:
        return found
    if made.divided is not None and made.divided < _DIVIDED:
        found.append(
            f"evidence is short: cuts are expected to divide {made.divided:.1%} of it, and under "
            f"{_DIVIDED:.0%} plain chunks lose little"
        )
    if made.separation < _SEPARATED:
        found.append(
            f"the head starts of split and unsplit texts overlap heavily (separation "
            f"{made.separation:.2f}, at least {_SEPARATED:g} wanted)"
        )
    if made.fires_split < _WORTH:
        found.append(
            f"at this threshold seams fire for {made.fires_split:.1%} of split texts alone (at "
            f"least {_WORTH:.0%} wanted)"
        )
    return found


def expected_divided(evidence_tokens: Sequence[int], chunk_tokens: float) -> float:
    """The share of evidence that a cut is expected to divide: L / C each (paper, Figure 1).

    :param evidence_tokens: Lengths of evidence, in tokens.
    :param chunk_tokens: Length of a chunk, in tokens.
    :raises ValueError: If a length is below 1, or there is no evidence.
    """
    if not evidence_tokens or min(evidence_tokens) < 1 or not chunk_tokens > 0:
        raise ValueError(
            "evidence_tokens and chunk_tokens must be lengths of 1 token or more, and at least one"
        )
    shares = [min(1.0, tokens / chunk_tokens) for tokens in evidence_tokens]
    return sum(shares) / len(shares)


def mean_chunk_tokens(index: SeamedIndex) -> float:
    """The mean length of the first chunks of an index, in tokens."""
    measure = as_measure(index.tokenizer)
    rows = (row for page in index.chunk_store.pages(_CHUNKS) for row in page)
    lengths = [measure.count(row.text) for row in islice(rows, _CHUNKS)]
    return sum(lengths) / max(1, len(lengths))
