"""The kinds of figure. This file is the list; each kind has a file in ``kinds`` or ``over_size``.

Importing it loads neither matplotlib nor polars, so that a config is checked without them.
"""

from __future__ import annotations

from harness.figures.kind import FigureKind
from harness.figures.kinds import (
    alpha_by_outcome,
    alpha_over_outcome,
    alpha_surface,
    bounds,
    coverage_curve,
    intervals_drawn,
    length_curve,
    length_over_outcome,
    length_surface,
    limits_over_size,
    outcome_tails,
    ranking,
    reliability_diagram,
)
from harness.figures.over_size import coverage as coverage_over_size
from harness.figures.over_size import length as length_over_size

FIGURES: dict[str, FigureKind] = {
    module.KIND.name: module.KIND
    for module in (
        alpha_by_outcome,
        alpha_over_outcome,
        length_over_outcome,
        alpha_surface,
        length_surface,
        coverage_curve,
        length_curve,
        coverage_over_size,
        length_over_size,
        limits_over_size,
        bounds,
        outcome_tails,
        ranking,
        intervals_drawn,
        reliability_diagram,
    )
}
