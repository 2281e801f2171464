"""Whether the r of a limit is near the mean of the r at the two outcomes beside it.

r changes slowly from one outcome to the next. Its second difference, times z/1.96, is at most 0.03
for most methods of the catalogue; for those that are inverted from tests of both tails at once it
is at most 0.22 (Blaker), 0.21 (Sterne) and 0.39 (Feldman-Cousins), at n = 20 … 200 and alpha =
0.001 … 0.3173. Limits next to the ends of the range do not count, as r grows without bound there.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Bools, Floats
from harness.checks.report import Verdict
from harness.checks.tails.allowed import words_of
from harness.checks.tails.faults import Fault, Place
from harness.checks.tails.record import LimitName, LimitTails

FAILURE, REMARK_ABOVE = 0.5, 0.05
"""Second differences of r·z/1.96 beyond which there is a failure, and a remark."""
JUDGED_ALPHAS = 0.005, 0.32
"""The alphas at which it is compared: at smaller ones limits are often next to the ends."""
SMALLEST_N, FEWEST = 20.0, 3.0
"""The sizes, and the counts of successes or failures, from which on r is compared."""
USUAL = 0.6, 1.3
"""The r that both neighbours have where a limit is compared with them."""
_USUAL_Z = float(-ndtri(0.025))


def second_differences(tails: LimitTails, name: LimitName) -> Floats:
    """The absolute second difference of r·z/1.96 along each count, the largest of them.

    Not a number where an outcome has no neighbours in the grid, or no usual ones; shape of the
    limits.
    """
    r, largest = tails.r(name), np.full(tails.lower.shape, np.nan)
    outcomes = tails.outcomes
    if len(outcomes.shape) != len(outcomes.counts):
        return largest
    alphas = tails.by_alpha(tails.alphas)
    judged = (alphas > JUDGED_ALPHAS[0]) & (alphas < JUDGED_ALPHAS[1])
    scale = np.where(judged, tails.z / _USUAL_Z, np.nan)
    for axis, (counts, size) in enumerate(zip(outcomes.counts, outcomes.sizes, strict=True)):
        if counts.size < 3 or (np.isfinite(outcomes.largest_counts[axis]) and size < SMALLEST_N):
            continue
        moved = np.moveaxis(r, axis + 1, -1)
        before, here, after = moved[..., :-2], moved[..., 1:-1], moved[..., 2:]
        with np.errstate(invalid="ignore"):
            usual = (before > USUAL[0]) & (before < USUAL[1])
            usual &= (after > USUAL[0]) & (after < USUAL[1])
            found = np.where(usual, np.abs(before - 2.0 * here + after), np.nan)
        inside = (np.diff(counts)[:-1] == 1) & (np.diff(counts)[1:] == 1)
        middle = counts[1:-1]
        inside &= (middle >= FEWEST) & (middle <= outcomes.largest_counts[axis] - FEWEST)
        # The other count may be next to an end of the range too.
        least = np.moveaxis(tails.least, axis, -1)[..., 1:-1]
        found = np.where(inside & (least >= FEWEST), found, np.nan)
        padded = np.full(moved.shape, np.nan)
        padded[..., 1:-1] = found
        largest = np.fmax(largest, np.moveaxis(padded, -1, axis + 1))
    return np.asarray(largest * scale)


def is_apart(tails: LimitTails, name: LimitName) -> Bools:
    """Where the second difference is larger than for any sound method."""
    return np.nan_to_num(second_differences(tails, name)) > FAILURE


def is_rough(tails: LimitTails, name: LimitName) -> Bools:
    """Where the second difference is larger than for most sound methods."""
    return np.nan_to_num(second_differences(tails, name)) > REMARK_ABOVE


def fault_of_neighbours(place: Place, count: int, verdict: Verdict) -> Fault:
    """The fault of a limit that is not between those beside it."""
    tails = place.tails
    found = float(second_differences(tails, place.name)[place.index])
    r = float(tails.r(place.name)[place.index])
    message = (
        f"{words_of(place)} is out of line with the limits of the outcomes beside it: "
        f"r = {r:.3g}, and the second difference is {found:.2g}"
    )
    cell = {**place.cell, "found": found, "r": r, "broken": count}
    return Fault(verdict, message, cell, count)
