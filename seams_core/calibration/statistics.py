"""The few statistics that calibrating needs (paper 3.2), exact for finite samples."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

_Z = 1.959964  # of 95 %


def conformal_quantile(values: Sequence[float], coverage: float) -> float:
    """The value that a further draw exceeds with a chance of at most ``1 - coverage``.

    The one of rank ``ceil(coverage * (n + 1))``: unlike the plain percentile it keeps its promise
    for samples of any size.

    :param values: Draws; infinite ones may be among them.
    :return: Infinite if there are too few values: see :func:`fewest`.
    """
    rank = math.ceil(coverage * (len(values) + 1) - 1e-9)
    return sorted(values)[rank - 1] if rank <= len(values) else math.inf


def fewest(coverage: float) -> int:
    """How many draws a conformal quantile needs to be finite."""
    return math.ceil(coverage / (1 - coverage) - 1e-9)


def sample_size(coverage: float, interval: float) -> int:
    """How many draws put the share above the quantile within ``interval`` of what it should be.

    :param interval: Half the width of a 95 % interval, as a share.
    """
    return max(fewest(coverage), math.ceil(_Z**2 * coverage * (1 - coverage) / interval**2))


def wilson(count: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share by Wilson's score; all of 0 to 1 for no draws."""
    if not total:
        return 0.0, 1.0
    share, z = count / total, _Z
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total**2)) / (1 + z * z / total)
    return max(0.0, middle - half), min(1.0, middle + half)


def separation(lower: Sequence[float], higher: Sequence[float]) -> float:
    """The chance that a draw of ``higher`` is above one of ``lower``, ties counting half.

    The area under the ROC curve: 1 where the two do not overlap, 0.5 where they are the same.

    :return: NaN where one has no draws.
    """
    if not lower or not higher:
        return math.nan
    ordered = np.sort(np.asarray(lower, dtype=float))
    values = np.asarray(higher, dtype=float)
    below = np.searchsorted(ordered, values, side="left")
    upto = np.searchsorted(ordered, values, side="right")
    return float((below + upto).mean() / 2 / len(ordered))
