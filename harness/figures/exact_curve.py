"""The exact coverage of one method over the truth, with all its jumps.

The tables hold the miss probability at listed truths. Between them it jumps at each limit of the
method.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.families.combination import Span
from harness.figures import selection
from harness.figures.method_limits import known_limits, scenario_with

if TYPE_CHECKING:
    from harness.designs.miss_curve import MissCurve
    from harness.figures.truth_curves import TruthCurves


def exact_curve(
    results: selection.Tables, curves: TruthCurves, method: str, over: Span
) -> MissCurve | None:
    """The miss probability over a range of the truth, with both one-sided values at each jump.

    It is None where there is no such curve (of pairs, clusters and strata, and in a finite
    population), where limits are not known, and where they are too many to be seen.

    Args:
        results: the tables and the manifest of the run.
        curves: the size, alpha and truths that are drawn.
        method: the label of the method.
        over: the range of the first truth.
    """
    if not over[0] < over[1]:
        return None
    scenario = scenario_with(results, curves.family, curves.size, over, curves.held)
    if scenario is None:
        return None
    # The engines are loaded only where a figure is drawn.
    from harness.designs.miss_curve import LARGEST_CURVE
    from harness.designs.solvers import solver_of

    solver = solver_of(scenario)
    if not solver.range_count(solver.hull()) <= LARGEST_CURVE:
        return None
    outcomes = solver.range_outcomes(solver.hull())
    limits = known_limits(results, scenario, method, curves.alpha, outcomes)
    return None if limits is None else solver.miss_curve(limits)
