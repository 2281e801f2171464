"""What the default interval of a small sample covers near its estimate: a remark beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np

from harness.families.family import Data, Family
from harness.methods.catalogue.recommended import COMPUTED_OVER
from harness.one.data_remarks import chosen_for, near_estimate
from harness.planning.coverage import coverage

SMALL = 30
"""Below this n the coverage of a proportion moves by percentage points with p, and takes some
milliseconds to compute."""


def remark_on_coverage(
    family: Family, method: str, alpha: float, outcomes: Sequence[Data]
) -> Iterator[str]:
    """Yield the exact coverage of the default at n below 30, where p is the estimate.

    An estimate of 0 or 1 is taken half a case inside. Of several outcomes it is the least coverage.

    Args:
        family: of the intervals; only that of x of n has such a remark.
        method: the name of its default.
        alpha: of the intervals.
        outcomes: the columns x and n, shape (m,) each.
    """
    if not family.has_fractions or family.stops or family.name not in COMPUTED_OVER:
        return
    pairs = {(float(x), float(n)) for data in outcomes for x, n in zip(*data, strict=True)}
    small = sorted((n, x) for x, n in pairs if n < SMALL)
    if not small:
        return
    sizes = np.array([n for n, _ in small])
    # As they are shown, so that a reader computes the same.
    near = np.array([float(f"{near_estimate(family, (x, n))[0]:.3g}") for n, x in small])
    given: Any = {"n": sizes, "p": near, "alpha": alpha}
    found = np.asarray(coverage(cast(Any, family.public_name), cast(Any, method), **given).coverage)
    least = int(found.argmin())
    at = f"near the estimate, at p = {near[least]:.3g} and n = {sizes[least]:.15g},"
    note = f"; the least of {len(small)} outcomes with n below {SMALL}" if len(small) > 1 else ""
    covers = f"covers {100 * found[least]:.1f} % (exact{note})"
    if sizes[0] < COMPUTED_OVER[family.name].least:
        yield f"{method} {chosen_for(family)}; {at} it {covers}"
    else:
        yield f"{at} {method} {covers}"
