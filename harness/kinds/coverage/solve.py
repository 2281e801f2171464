"""What the exact engines of an experiment are asked in one scenario, and their answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness.base.numerics.arrays import Integers
from harness.designs.engines.exact import Request, Solution, solve
from harness.designs.limits import Column, Limits
from harness.designs.results import Tally
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.plan import ScenarioPlan, reports_truths_alone


def solve_scenario(
    experiment: Experiment,
    plan: ScenarioPlan,
    columns: Sequence[Column],
    limits: Limits,
    tally: Tally | None,
) -> Solution:
    """Run the exact engines of an experiment in one scenario.

    Args:
        experiment: says which engines run.
        plan: says which outcomes they report.
        columns: the k deterministic columns.
        limits: of these columns, shape (k, m); not numbers where a method failed.
        tally: what was simulated, which the exact values are compared with; None if nothing was.
    """
    shown, enumerated = outcomes_solved(experiment, plan, limits, tally)
    request = Request(
        engines=experiment.engines,
        shown=shown,
        enumerated=enumerated,
        simulated=tally is not None,
        prior=experiment.reference_prior,
        by_prior=experiment.reference == "prior",
        whole=plan.whole,
    )
    return solve(plan.scenario, limits, columns, request)


def outcomes_solved(
    experiment: Experiment, plan: ScenarioPlan, limits: Limits, tally: Tally | None
) -> tuple[Integers, Integers]:
    """Return the outcomes that the exact engines show, and those that enumeration reports.

    These are the outcomes shown, and the outcomes drawn, whose counts are compared with exact
    values. Enumeration alone over a list of values has truths to report, and no outcomes.

    Args: as those of ``solve_scenario``.
    """
    shown = limits.outcomes if plan.shown is None else plan.shown
    nothing = np.empty(0, np.int64)
    if not plan.outcome_cells.present:
        return shown, nothing
    drawn = nothing if tally is None else tally.by_outcome.conditions.astype(np.int64)
    reported = nothing if reports_truths_alone(experiment) else shown
    return shown, np.union1d(reported, drawn).astype(np.int64)
