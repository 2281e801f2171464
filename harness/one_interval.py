"""One interval as a record: what ``interval`` prints."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from harness.intervals import interval, method_of, tails


def interval_record(
    family: str,
    method: str,
    *,
    alpha: float,
    side: str,
    prior: tuple[float, float] | None,
    seed: int | None = None,
    verbose: bool,
    data: Mapping[str, float],
) -> dict[str, Any]:
    """Estimate, limits, alpha, method and side; ``verbose`` adds the rest of Ross's thirteen.

    Ross (2003), section 4: the tails are the posterior's mass outside the limits, under the
    method's prior or else a flat one, and the run time is that of the interval alone.
    """
    start = time.perf_counter()
    found = interval(family, method, alpha=alpha, side=side, prior=prior, seed=seed, **data)
    seconds = time.perf_counter() - start
    record: dict[str, Any] = {
        "estimate": found.estimate,
        "lower": found.lower,
        "upper": found.upper,
        "alpha": alpha,
        "method": method_of(family, method).name,
        "side": side,
    }
    if not verbose:
        return record
    outside = tails(family, method, found, prior=prior, **data)
    actual = outside.lower_tail + outside.upper_tail
    return {
        **record,
        **data,
        "length": found.upper - found.lower,
        "lower_tail": outside.lower_tail,
        "upper_tail": outside.upper_tail,
        "actual_alpha": actual,
        "alpha_error": alpha - actual,
        "seconds": seconds,
    }
