"""The kinds of figure. This file is the list; each kind has a module in ``kinds``.

Importing it loads neither matplotlib nor polars, so that a config is checked without them.
"""

from __future__ import annotations

from harness.figures.kind import FigureKind
from harness.figures.kinds import (
    alpha_by_outcome,
    bounds,
    choice,
    coverage_map,
    intervals_drawn,
    outcome_tails,
    over_outcome,
    over_size,
    over_truth,
    power,
    ranking,
    reliability_diagram,
    stopping,
    surfaces,
)
from harness.figures.kinds.simulation import conditional, measures, ranks, search, trials

FIGURES: dict[str, FigureKind] = {
    kind.name: kind
    for kind in (
        alpha_by_outcome.KIND,
        over_outcome.ALPHA_KIND,
        over_outcome.LENGTH_KIND,
        surfaces.ALPHA_KIND,
        surfaces.LENGTH_KIND,
        over_truth.COVERAGE_KIND,
        over_truth.LENGTH_KIND,
        coverage_map.KIND,
        over_size.COVERAGE_KIND,
        over_size.LENGTH_KIND,
        over_size.LIMITS_KIND,
        power.KIND,
        bounds.KIND,
        outcome_tails.KIND,
        ranking.RANKING_KIND,
        ranking.FRONTIER_KIND,
        choice.KIND,
        intervals_drawn.KIND,
        stopping.OUTCOMES_KIND,
        stopping.SIZE_KIND,
        reliability_diagram.KIND,
        trials.ZIP_PLOT_KIND,
        conditional.COVERAGE_BY_TRUTH_KIND,
        ranks.RANK_ECDF_KIND,
        ranks.COVERAGE_BY_LEVEL_KIND,
        measures.LOLLIPOP_KIND,
        measures.NESTED_LOOP_KIND,
        search.SOLVE_CURVE_KIND,
        trials.ESTIMATES_KIND,
    )
}
