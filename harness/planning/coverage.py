"""The coverage of a method at given sizes and true values: exact, or of lists by Monte Carlo."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, cast, overload

import numpy as np
import numpy.typing as npt

from harness.base.arguments import validate_whole
from harness.base.errors import InputError
from harness.base.frames import ByMethod, Tabular
from harness.base.numerics.arrays import Floats, Positions
from harness.base.underway import underway
from harness.callers.source import Source
from harness.catalogue import design_for, listed_scenarios, with_settings
from harness.designs.design import Scenario, observed_at
from harness.designs.engines.solver import solver_of
from harness.designs.limits import Limits
from harness.designs.precision import standard_error
from harness.designs.results import ROUNDED_PROBABILITY
from harness.distributions.sampling.law import Law, on_lattice
from harness.distributions.sampling.laws import OWN, sampling_law
from harness.distributions.truths import Prior
from harness.families.data import LARGEST_COUNT, broadcast_columns, levels_of
from harness.families.family import Data, Family, validate_names
from harness.methods.catalogue.recommended import COMPUTED_OVER
from harness.methods.method import TWO_SIDED
from harness.names import FamilyName, MethodName, Side
from harness.one import Value
from harness.one.data_remarks import chosen_for, near_estimate
from harness.planning.arguments import (
    AnyMethod,
    limits_of,
    refuse_many_events,
    size_columns,
    source_of,
    truth_columns,
)
from harness.planning.lists import SEED, TRIALS, simulate_lists

LARGEST_TABLE = 1 << 24
"""The most outcomes of one size whose limits are computed."""


@dataclass(frozen=True, repr=False)
class Coverage(Tabular):
    """Probabilities at true values: floats for scalar sizes and truths, else arrays.

    Intervals are closed: a true value equal to a limit is covered.
    """

    coverage: Value
    """The probability that the interval covers the true value of the parameter."""
    miss_below: Value
    """The probability that the true value lies below the lower limit."""
    miss_above: Value
    """The probability that the true value lies above the upper limit."""
    mean_length: Value
    """The expected length of the interval, in the unit of the parameter; infinite where an
    interval without an end can occur. Of a ratio it is the mean of the finite lengths, which are
    those of its logarithm."""
    infinite_length: Value | None = None
    """The probability of an infinite length; None where the parameter is no ratio."""
    expected_trials: Value | None = None
    """The mean number of trials; None where trials do not end by a stopping rule."""
    std_error: Value | None = None
    """The Monte Carlo standard error of the coverage; None where it is exact, not a number where no
    trial or every one missed."""
    mean_length_std_error: Value | None = None
    """The Monte Carlo standard error of the mean length; None where it is exact."""
    given: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """Sizes, true values and alpha by name, in the shape of the probabilities; of strata, alpha."""
    method: str = field(default="", repr=False, compare=False)
    """The name of the method."""
    side: str = field(default=TWO_SIDED, repr=False, compare=False)

    def numbers(self) -> dict[str, Value]:
        """Return the probabilities, lengths and standard errors that there are, by name."""
        numbers = {
            "coverage": self.coverage,
            "miss_below": self.miss_below,
            "miss_above": self.miss_above,
            "mean_length": self.mean_length,
            "infinite_length": self.infinite_length,
            "expected_trials": self.expected_trials,
            "std_error": self.std_error,
            "mean_length_std_error": self.mean_length_std_error,
        }
        return {name: value for name, value in numbers.items() if value is not None}

    def _columns(self) -> dict[str, Any]:
        numbers = {**self.given, **self.numbers()}
        columns: dict[str, Any] = {name: np.ravel(values) for name, values in numbers.items()}
        rows = np.size(self.coverage)
        return columns | {"method": [self.method] * rows, "side": [self.side] * rows}

    def _caption(self) -> str:
        exact = self.std_error is None
        return f"{'Exact coverage' if exact else 'Coverage by Monte Carlo'} and mean length"


@overload
def coverage(
    family: FamilyName,
    method: MethodName | Callable[..., Any],
    *,
    alpha: npt.ArrayLike = ...,
    side: Side = ...,
    prior: Prior | None = ...,
    sampling: str | Mapping[str, Any] | None = ...,
    trials: int | None = ...,
    seed: int | None = ...,
    **given: npt.ArrayLike,
) -> Coverage: ...


@overload
def coverage(
    family: FamilyName, method: list[Any] | tuple[Any, ...], **given: Any
) -> ByMethod[Coverage]: ...


def coverage(
    family: FamilyName,
    method: MethodName | Callable[..., Any] | list[Any] | tuple[Any, ...],
    *,
    alpha: npt.ArrayLike = 0.05,
    side: Side = TWO_SIDED,
    prior: Prior | None = None,
    sampling: str | Mapping[str, Any] | None = None,
    trials: int | None = None,
    seed: int | None = None,
    **given: npt.ArrayLike,
) -> Coverage | ByMethod[Coverage]:
    """Compute the coverage and expected length of a method at given sizes and true values.

    C(θ) = Σ_x Pr(X = x | θ)·1[L(x) ≤ θ ≤ U(x)] over all outcomes x that can occur at θ, but for
    outcomes with a probability below 2e-17 together; of two samples over all pairs of counts.
    Sizes, true values and ``alpha`` broadcast against each other. Where the data are lists, the
    numbers are those of drawn data sets, with their standard errors.

    Args:
        family: what is estimated, which decides sizes and true values: "proportion" (n, p),
            "rate" (exposure, rate), "proportion_difference", "balanced_accuracy", "risk_ratio" and
            "odds_ratio" (n1, n2, p1, p2), "rate_difference" and "rate_ratio" (exposure1,
            exposure2, rate1, rate2), "paired_difference" and "paired_ratio" (n, p11, p10, p01),
            "precision", "recall", "specificity", "npv", "f_score" (with beta), "jaccard", "mcc",
            "kappa" and "informedness" (n, p_tp, p_fp and p_fn, or prevalence, sensitivity and
            specificity). Of lists "mean" of normal runs (k, mean, sd), "clustered_proportion"
            (clusters, size, p, rho), "clustered_mean" and "clustered_difference" of normal scores
            (clusters, size, mean, sd, rho), "stratified_difference" (n1, n2, p1, p2, each a list
            with a number for each stratum), "auc" (n1, n2, auc, sd_ratio, by default 1),
            "auc_difference" (n1, n2, auc1, auc2, correlation) and "labelled_share" (labelled,
            unlabelled, share, sensitivity, specificity). "judged_share" has n, positives,
            negatives, share, sensitivity and specificity; without positives and negatives the
            error rates are known, and methods those of a proportion.
        method: a name of the catalogue, an alias, or a function f(x, n, alpha) of the family's
            data that returns both limits; or a list of these. Its limits must be a function of the
            outcome, unless the data are lists.
        alpha: the probability outside the interval, as for ``interval``; in (0, 1).
        side: "two-sided", "lower" or "upper".
        prior: as for ``interval``.
        sampling: how the outcomes of one proportion or rate arise, as in a config: "binomial",
            {"beta_binomial": {"rho": 0.1}}, {"clusters": {"size": 10, "rho": 0.1}} or
            {"hypergeometric": {"population": 1000}}; "poisson" or
            {"gamma_poisson": {"dispersion": 1.5}}. None for binomial or Poisson outcomes.
        trials: of lists alone, the data sets that are drawn at each true value, at most
            10^9; None for 20,000.
        seed: of lists alone, the seed of the random numbers; None for 2003.
        **given: sizes and true values by name, numbers or arrays: n from 1 to 10^9, exposures
            above 0, proportions from 0 to 1, rates from 0 on. ``stopping``, the rule by which the
            trials of a proportion end, is a mapping as in a config; n is then the most trials.

    Returns:
        Coverage, both probabilities of a miss and the expected length: floats if all is scalar,
        else arrays of the shape to which sizes, true values and ``alpha`` broadcast. Of a list of
        methods a tuple of these. ``to_frame`` makes a data frame of either.

    Raises:
        InputError: the family or the method is unknown; sizes, true values, alpha, side or prior
            are out of range; there is no such sampling, or it has no such size or true value; the
            method draws its limits; or more than 16 million outcomes can
            occur.
        IntervalNotFoundError: the method finds no interval.
        MethodError: the function fails.

    Source:
        L. D. Brown, T. T. Cai and A. DasGupta (2001), "Interval estimation for a binomial
        proportion", Statistical Science 16, 101-133, section 2.

    Example:
        >>> import harness
        >>> found = harness.coverage("proportion", "wilson", n=50, p=[0.1, 0.3])
        >>> found.coverage.round(4), found.mean_length.round(4)
        (array([0.9703, 0.9567]), array([0.1665, 0.2438]))
        >>> rule = {"boundaries": [{"n": 13, "at_most": 3}]}
        >>> found = harness.coverage("proportion", "wilson", n=43, p=0.3, stopping=rule)
        >>> round(found.coverage, 4), round(found.expected_trials, 2)
        (0.9552, 30.38)
        >>> clusters = {"clusters": {"size": 10, "rho": 0.1}}
        >>> found = harness.coverage("proportion", "wilson", n=50, p=0.3, sampling=clusters)
        >>> round(found.coverage, 4)
        0.8553
        >>> found = harness.coverage("auc", "delong", n1=10, n2=30, auc=0.9)
        >>> round(found.coverage, 4), round(found.std_error, 4)
        (0.859, 0.0025)
    """
    if isinstance(method, list | tuple):
        options: Any = {"alpha": alpha, "side": side, "prior": prior, "sampling": sampling}
        options |= {"trials": trials, "seed": seed, **given}
        return ByMethod.of(lambda one_method: coverage(family, one_method, **options), method)
    estimated = with_settings(family, given, alpha)
    if not estimated.has_outcomes:
        if sampling is not None:
            _refuse_sampling(estimated)
        return _coverage_of_lists(estimated, method, alpha, side, prior, trials, seed, given)
    for name, value in (("trials", trials), ("seed", seed)):
        if value is not None:
            raise InputError(f"coverage of {estimated.name} is exact and takes no {name}")
    columns = _columns(estimated, alpha, estimated.with_free_truths(given))
    law = None if sampling is None else _law(estimated, sampling, columns)
    source = source_of(estimated, method, side, prior, law)
    levels, shape = columns[0], columns[0].shape
    sizes, truths = columns[1:][: len(estimated.sizes)], columns[1:][len(estimated.sizes) :]
    # The limits of a setting, alpha with the sizes, serve all true values that stand beside it.
    settings = np.array([column.ravel() for column in (levels, *sizes)])
    values = np.array([column.ravel() for column in truths])
    numbers = np.empty((7, settings.shape[1]))
    distinct, place = np.unique(settings.T, axis=0, return_inverse=True)
    done, many = 0, "1 size" if len(distinct) == 1 else f"{len(distinct)} sizes and alphas"
    with underway(lambda: f"coverage of {source.label}: {done} of {many} done"):
        for i, (level, *size) in enumerate(distinct.tolist()):
            here = np.flatnonzero(place.ravel() == i)
            at = list(values[:, here])
            if law is not None:
                at = [on_lattice(truth, law) for truth in at]
            numbers[:, here] = _at_size(estimated, source, side, level, size, at, law)
            done = i + 1
    below, above, length, infinite, made, error, length_error = (
        number.reshape(shape) if shape else float(number[0]) for number in numbers
    )
    is_drawn = not np.isnan(length_error).all()
    kind = np.int64 if estimated.model.SIZE_IS_COUNT else np.float64
    whole = [size.astype(kind) for size in sizes]
    names = (*estimated.sizes, *estimated.symbols, "alpha")
    return Coverage(
        coverage=1.0 - (below + above),
        miss_below=below,
        miss_above=above,
        mean_length=length,
        infinite_length=estimated.scale.share_of_infinite(infinite),
        expected_trials=made if estimated.stops else None,
        std_error=error if is_drawn else None,
        mean_length_std_error=np.nan_to_num(length_error) if is_drawn else None,
        given=dict(zip(names, (*whole, *truths, levels), strict=True)),
        method=source.label,
        side=side,
    )


def _coverage_of_lists(
    family: Family,
    method: AnyMethod,
    alpha: npt.ArrayLike,
    side: str,
    prior: Prior | None,
    trials: int | None,
    seed: int | None,
    given: Mapping[str, npt.ArrayLike],
) -> Coverage:
    """Return the coverage by Monte Carlo."""
    trials, seed = TRIALS if trials is None else trials, SEED if seed is None else seed
    validate_whole("trials", trials, 1)
    if trials > LARGEST_COUNT:
        raise InputError(f"trials should be at most 10^9, found {trials}")
    validate_whole("seed", seed, 0)
    source = source_of(family, method, side, prior, may_draw=True)
    levels = levels_of(alpha)
    numbers = simulate_lists(family, source, side, levels, given, trials, seed)
    below, above, length, error, length_error = (
        number if number.ndim else float(number) for number in numbers
    )
    columns: dict[str, Any] = {"alpha": levels}
    if not design_for(family).sizes_are_lists:
        columns = {**given, **columns}
    shape = numbers.shape[1:]
    return Coverage(
        coverage=1.0 - (below + above),
        miss_below=below,
        miss_above=above,
        mean_length=length,
        std_error=error,
        mean_length_std_error=length_error,
        given={name: np.broadcast_to(column, shape) for name, column in columns.items()},
        method=source.label,
        side=side,
    )


def _columns(
    family: Family, alpha: npt.ArrayLike, given: Mapping[str, npt.ArrayLike]
) -> tuple[Floats, ...]:
    """Return alpha, the sizes and the true values, broadcast against each other.

    Raises:
        InputError: a size or a true value is missing, unknown or out of range.
    """
    names = (*family.sizes, *family.free_symbols)
    validate_names(family.name, names, given, "needs")
    levels = levels_of(alpha)
    columns = (levels, *size_columns(family, given), *truth_columns(family, given))
    levels, *rest = broadcast_columns(("alpha", *names), columns)
    sizes, truths = rest[: len(family.sizes)], family.all_truths(rest[len(family.sizes) :])
    refuse_many_events(family, sizes, truths)
    undefined = np.isnan(family.parameter_at(truths))
    if undefined.any():
        values = zip(family.symbols, truths, strict=True)
        where = " and ".join(f"{name} = {truth[undefined][0]:.15g}" for name, truth in values)
        raise InputError(f"{family.name} is not defined at {where}")
    return (levels, *sizes, *truths)


def _law(
    family: Family, sampling: str | Mapping[str, Any], columns: tuple[Floats, ...]
) -> Law | None:
    """Return how outcomes arise; None for the family's own law.

    Raises:
        InputError: the family has no other law, or the law has no such size or true value.
    """
    if family.own_law is None:
        _refuse_sampling(family)
    law = sampling_law(family.model.NAME, sampling)
    if law is not None:
        _, sizes, truths = columns
        for size in np.unique(sizes).tolist():
            law.validate_size(size)
        for truth in np.unique(truths).tolist():
            law.validate_truth(truth)
    return law


def _refuse_sampling(family: Family) -> NoReturn:
    raise InputError(f"sampling is for the families {' and '.join(OWN)}, found {family.name}")


def _at_size(
    family: Family,
    source: Source,
    side: str,
    alpha: float,
    sizes: list[float],
    truths: list[Floats],
    law: Law | None,
) -> Floats:
    """Return misses, lengths, shares of infinite ones, numbers of trials and errors, shape (7, t).

    The errors are the Monte Carlo standard errors of the coverage and of the length; 0 and not a
    number where outcomes are summed.
    """
    scenarios = listed_scenarios(family, sizes, truths, law, source.uses_both)
    listed = [(solver_of(scenario), scenario, rows, index) for scenario, rows, index in scenarios]
    first = listed[0][1]
    count = sum(solver.range_count(solver.hull()) for solver, *_ in listed)
    if count > LARGEST_TABLE:
        # The range between the truths may have many more outcomes than the truths themselves.
        count = sum(solver.possible_count() for solver, *_ in listed)
    if count > LARGEST_TABLE:
        raise InputError(
            f"{family.size_text(sizes)} should have at most {LARGEST_TABLE} outcomes that can "
            f"occur, found {count:.0f}"
        )
    if count > first.design.most_summed:
        return _drawn(
            source, side, alpha, [(scenario, rows, index) for _, scenario, rows, index in listed]
        )
    possible = [solver.possible_outcomes() for solver, *_ in listed]
    outcomes = possible[0] if len(possible) == 1 else np.unique(np.concatenate(possible))
    lower, upper = limits_of(source, observed_at(first, outcomes), alpha, side)
    ends = lower[np.newaxis], upper[np.newaxis]
    if first.design.trials_made is not None:
        # The expectation of the trials made is that of the length of intervals from 0 to them.
        made = first.design.trials_made(first, outcomes)
        ends = np.array([lower, np.zeros_like(lower)]), np.array([upper, made])
    limits = Limits.of(first, outcomes, *ends)
    numbers = np.zeros((7, truths[0].size))
    numbers[6] = np.nan
    for (solver, _, rows, index), at in zip(listed, possible, strict=True):
        exact = solver.at_truths(limits if len(listed) == 1 else limits.at(at))
        own, trials = exact.length[:1], exact.length[-1:]
        infinite = np.zeros_like(own) if exact.infinite is None else exact.infinite
        finite = 1.0 - infinite
        there = finite > ROUNDED_PROBABILITY
        length = np.where(there, own / np.where(there, finite, 1.0), np.inf)
        table = np.concatenate([exact.below[:1], exact.above[:1], length, infinite, trials])
        numbers[:5, rows] = table[:, index]
    return numbers


def _drawn(
    source: Source,
    side: str,
    alpha: float,
    listed: Sequence[tuple[Scenario, Positions, Positions]],
) -> Floats:
    """Return the numbers of ``_at_size`` from outcomes that are drawn, with a written seed."""
    numbers = np.zeros((7, sum(rows.size for _, rows, _ in listed)))
    for scenario, rows, index in listed:
        of_truths = []
        for place, (truths, parameter) in enumerate(
            zip(scenario.truth.rows, scenario.listed_truths()[1], strict=True)
        ):
            rng = scenario.stream(SEED, place)
            drawn = scenario.numbered.draw(scenario, truths, rng, TRIALS)
            outcomes, counts = np.unique(drawn, return_counts=True)
            lower, upper = limits_of(source, observed_at(scenario, outcomes), alpha, side)
            lengths, share = upper - lower, counts / TRIALS
            below, above = share @ (parameter < lower), share @ (parameter > upper)
            length = share @ lengths
            deviation = np.sqrt(share @ (lengths - length) ** 2)
            missed = counts[(parameter < lower) | (parameter > upper)].sum(keepdims=True)
            (error,) = standard_error(missed, np.array([TRIALS]))
            error_of_length = deviation / math.sqrt(TRIALS)
            of_truths.append((below, above, length, 0.0, 0.0, error, error_of_length))
        numbers[:, rows] = np.array(of_truths).T[:, index]
    return numbers


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
    coverages = np.asarray(
        coverage(cast(Any, family.public_name), cast(Any, method), **given).coverage
    )
    least = int(coverages.argmin())
    at = f"near the estimate, at p = {near[least]:.3g} and n = {sizes[least]:.15g},"
    note = f"; the least of {len(small)} outcomes with n below {SMALL}" if len(small) > 1 else ""
    covers = f"covers {100 * coverages[least]:.1f} % (exact{note})"
    if sizes[0] < COMPUTED_OVER[family.name].least:
        yield f"{method} {chosen_for(family)}; {at} it {covers}"
    else:
        yield f"{at} {method} {covers}"
