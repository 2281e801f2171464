"""The properties that the contract of methods names, and the outcomes they are looked at.

The predicates are not those of ``harness check``.
"""

import functools

import numpy as np

from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE, methods_for
from harness.methods.method import LOWER, TWO_SIDED, UPPER

MIRROR = {TWO_SIDED: TWO_SIDED, LOWER: UPPER, UPPER: LOWER}
CASES = [
    (family, name)
    for family in CATALOGUE
    for name, method in methods_for(family_of(family)).items()
    if method.deterministic and family_of(family).has_counts_of_samples
]
"""Methods for tables, a judge, lists and a finite population have contracts of their own."""
SUPPORT = {
    "proportion": (0.0, 1.0),
    "rate": (0.0, np.inf),
    "proportion_difference": (-1.0, 1.0),
    "rate_difference": (-np.inf, np.inf),
    "balanced_accuracy": (0.0, 1.0),
    "risk_ratio": (0.0, np.inf),
    "odds_ratio": (0.0, np.inf),
    "rate_ratio": (0.0, np.inf),
}
RATIOS = ("risk_ratio", "odds_ratio", "rate_ratio")
"""Of these an upper limit may be infinite, and an estimate 0/0."""
DATA = {
    "proportion": ("x", "n"),
    "rate": ("x", "exposure"),
    "proportion_difference": ("x1", "n1", "x2", "n2"),
    "rate_difference": ("x1", "exposure1", "x2", "exposure2"),
    "balanced_accuracy": ("x1", "n1", "x2", "n2"),
    "risk_ratio": ("x1", "n1", "x2", "n2"),
    "odds_ratio": ("x1", "n1", "x2", "n2"),
    "rate_ratio": ("x1", "exposure1", "x2", "exposure2"),
}
WEIGHTS = {
    "proportion": (1,),
    "rate": (1,),
    "proportion_difference": (1, -1),
    "rate_difference": (1, -1),
    "balanced_accuracy": (0.5, 0.5),
    **dict.fromkeys(RATIOS, (1, -1)),
}
"""Of the samples' parameters in the family's, or in the logarithm of a ratio: their signs are also
those of its monotony."""

# --- tolerances

ROUNDING = 2.0**-50
"""Two samples solved in the other order or from their other end round elsewhere: a few units of
2^-53 of the largest number on the way."""
SOLVED = 1e-9
"""What is solved by quadrature is good to some 1e-11 of the mass, whichever way round it is."""
LOGARITHMS = 60 * 2.0**-52
"""A limit of a ratio is the exponential of a logarithm, which may be some 60 and is rounded."""
SCALED = 1e-12
"""The product of a limit and its exposure is rounded twice, and where the limit is solved for at
unit exposure, the tail that it is solved from is right to 1e-12 of itself at least. Of a balanced
width that holds of the half-width: next to 0 the lower limit is a difference."""
MIRRORED = 2.0**-52
"""The larger of two mirrored limits carries half a unit of 2^-53 of its own, and a formula that
takes 1 - p once more rounds once more."""


def is_solved(family, name):
    """Whether the limits come from the posterior of two samples, by quadrature, or from sums over
    all tables with the same margins, and so take longer."""
    solved = ("Bayes", "exact") if family == "odds_ratio" else ("Bayes",)
    # Made-up methods have no such attribute.
    category = getattr(CATALOGUE[family][name], "category", "")
    return len(WEIGHTS[family]) == 2 and category in solved


def largest_size(family, name):
    """The largest size of a sample that the method takes."""
    # Made-up methods have no such attribute.
    largest = getattr(CATALOGUE[family][name], "largest_size", None)
    return np.inf if largest is None else largest


def is_slow(family, name):
    """Whether the limits are solved by quadrature, or by sums over all outcomes."""
    return is_solved(family, name) or np.isfinite(largest_size(family, name))


def within(family, name):
    if is_solved(family, name):
        return SOLVED
    return LOGARITHMS if family in RATIOS else ROUNDING


# --- the outcomes: by sizes the counts of each sample


def counts_of(n):
    """Every x for small n; otherwise those next to 0 and n, and in the middle."""
    if n <= 1000:
        return range(n + 1)
    half = n // 2
    return (0, 1, 2, half - 1, half, half + 1, n - 2, n - 1, n)


EVENTS = (*range(101), *(x + step for x in (10**3, 10**6, 10**8) for step in (-1, 0, 1)))
EVENTS_OF_TWO = (0, 1, 2, 3, 5, 10, 11, 100, 1000, 10**6)
EXPOSURES_OF_TWO = ((1.0, 1.0), (50.0, 0.25), (16.0, 17.5), (1e-6, 1e6), (1e6, 1e6))
PROPORTIONS = {
    (1, 1): (range(2), range(2)),
    (1, 5): (range(2), range(6)),
    (3, 7): (range(4), range(8)),
    (10, 10): (range(11), range(11)),
    (3, 40): (range(4), (0, 1, 2, 3, 4, 20, 36, 37, 38, 39, 40)),
    (5, 200): (range(6), (0, 1, 4, 5, 6, 100, 194, 195, 196, 199, 200)),
    (12, 112): (range(13), (0, 1, 2, 36, 55, 56, 57, 76, 110, 111, 112)),
    (1000, 50): ((0, 1, 3, 333, 500, 667, 997, 999, 1000), (0, 1, 2, 25, 48, 49, 50)),
    (10**6, 10**6): ((0, 1, 7, 500_000, 999_993, 999_999, 10**6),) * 2,
    (1, 10**6): (range(2), (0, 1, 7, 500_000, 999_993, 999_999, 10**6)),
}
GRIDS = {
    "proportion": {
        (n,): (counts_of(n),) for n in (1, 2, 3, 5, 10, 17, 60, 100, 1000, 10**6, 10**8)
    },
    "rate": {(exposure,): (EVENTS,) for exposure in (1e-6, 1.0, 50.0, 1e6)},
    "proportion_difference": PROPORTIONS,
    "rate_difference": dict.fromkeys(EXPOSURES_OF_TWO, (EVENTS_OF_TWO,) * 2),
    "balanced_accuracy": PROPORTIONS,
    "risk_ratio": PROPORTIONS,
    "odds_ratio": PROPORTIONS,
    "rate_ratio": dict.fromkeys(EXPOSURES_OF_TWO, (EVENTS_OF_TWO,) * 2),
}
ALPHAS = {
    1: (1e-10, 1e-6, 1e-3, 0.05, 0.3, 0.5, 0.7, 0.9),
    2: (1e-10, 1e-3, 0.05, 0.5, 0.9, 0.95),
}
"""By the number of samples."""
SCALES = {
    "rate": {(1.0,): (1e-6, 1e6)},
    "rate_difference": dict.fromkeys(EXPOSURES_OF_TWO, (1e-3, 7.0)),
    "rate_ratio": dict.fromkeys(EXPOSURES_OF_TWO, (1e-3, 7.0)),
}
"""By what the exposures are multiplied."""
# What takes a thousand times as long is asked at fewer places; exceptions occur at a large alpha.
SLOW_ALPHAS = (1e-10, 0.05, 0.95)
SLOW_SIZES = ((1, 1), (3, 7), (1000, 50), (1, 10**6), (1.0, 1.0), (50.0, 0.25), (1e-6, 1e6))


def alphas(family, name):
    return SLOW_ALPHAS if is_slow(family, name) else ALPHAS[len(WEIGHTS[family])]


def alphas_of_others(family, name):
    """Where the limits of other outcomes are computed too: of each side at the ends, and between
    them; of what takes long between them only."""
    if is_slow(family, name):
        return (0.05,)
    first, *_, last = ALPHAS[len(WEIGHTS[family])]
    return first, 0.05, last


def every_second(counts):
    """Every second count, as far from 0 as from n if all of them are."""
    last = len(counts) - 1
    return [each for place, each in enumerate(counts) if min(place, last - place) % 2 == 0]


@functools.cache
def grid(family, slow, largest=np.inf):
    """Sizes with the counts of each sample, arrays with an axis for each sample."""
    cells = []
    for sizes, counts in GRIDS[family].items():
        if max(sizes) > largest or (slow and sizes not in SLOW_SIZES):
            continue
        thinned = [every_second(each) if slow and len(each) > 8 else each for each in counts]
        axes = (np.array(each, float) for each in thinned)
        cells.append((sizes, np.meshgrid(*axes, indexing="ij")))
    return cells


def columns(sizes, counts):
    """The family's columns for counts of any shape."""
    pairs = ((each.ravel(), np.full(each.size, float(n))) for each, n in zip(counts, sizes))  # noqa: B905
    return tuple(column for pair in pairs for column in pair)


def cells_of(family, name):
    """The grid of a method."""
    return grid(family, is_slow(family, name), largest_size(family, name))


@functools.cache
def flat_limits(family, name, side, alpha):
    """Limits over the whole grid, found in one call."""
    cells = [columns(*cell) for cell in cells_of(family, name)]
    data = tuple(np.concatenate(column) for column in zip(*cells, strict=True))
    return CATALOGUE[family][name].limits(data, alpha, side)


def limits(family, name, side, alpha):
    """Sizes, counts, lower and upper limits, of the counts' shape: one size after the other."""
    lower, upper = flat_limits(family, name, side, alpha)
    start = 0
    for sizes, counts in cells_of(family, name):
        shape = counts[0].shape
        part = slice(start, start := start + counts[0].size)
        yield sizes, counts, lower[part].reshape(shape), upper[part].reshape(shape)


def over_grid(family, name, side):
    return (cell for alpha in alphas(family, name) for cell in limits(family, name, side, alpha))


# --- the properties: of a method on one side


def estimate(family, sizes, counts):
    rates = [count / size for count, size in zip(counts, sizes, strict=True)]
    if family in RATIOS:
        if family == "odds_ratio":
            rates = [count / (size - count) for count, size in zip(counts, sizes, strict=True)]
        return rates[0] / rates[1]
    if family == "balanced_accuracy":
        return (rates[0] + rates[1]) / 2
    return rates[0] - rates[1] if len(rates) == 2 else rates[0]


def close(found, expected, size=1.0, tolerance=ROUNDING):
    """Equal but for rounding, of numbers of the given size."""
    return np.isclose(found, expected, rtol=tolerance, atol=tolerance * size).all()


def falls(before, after, tolerance=ROUNDING):
    """Whether a limit falls by more than its last place, and that of what it is made of."""
    return (after < before) & ~np.isclose(after, before, rtol=tolerance, atol=0)


def is_ordered(family, name, side):
    return all((lower <= upper).all() for *_, lower, upper in over_grid(family, name, side))


def stays_in_range(family, name, side):
    low, high = SUPPORT[family]
    return all(
        (lower >= low).all()
        and (upper <= high).all()
        and not np.isnan([lower, upper]).any()
        and (
            np.isfinite(lower).all()
            or (side == UPPER and low == -np.inf)
            or (side == LOWER and family in RATIOS)
        )
        and (np.isfinite(upper).all() or ((side == LOWER or family in RATIOS) and high == np.inf))
        and not (len(counts) == 1 and np.signbit([lower, upper]).any())
        for _, counts, lower, upper in over_grid(family, name, side)
    )


def reaches_the_end_on_its_open_side(family, name, side):
    low, high = SUPPORT[family]
    return all(
        (side != LOWER or (upper == high).all()) and (side != UPPER or (lower == low).all())
        for *_, lower, upper in over_grid(family, name, side)
    )


def has_width(family, name, side):
    """Of two-sided intervals only: at an alpha above one half a one-sided limit may reach an end
    of the range."""
    return side != TWO_SIDED or all(
        (lower < upper).all() for *_, lower, upper in over_grid(family, name, side)
    )


def holds_the_estimate(family, name, side):
    """Of a ratio if it is neither 0 nor infinite nor 0/0."""
    if side != TWO_SIDED:
        return True
    for sizes, counts, lower, upper in over_grid(family, name, side):
        with np.errstate(divide="ignore", invalid="ignore"):
            middle = estimate(family, sizes, counts)
        asked = (middle > 0) & (middle < np.inf) if family in RATIOS else True
        if not (((lower <= middle) & (middle <= upper)) | ~np.asarray(asked)).all():
            return False
    return True


def is_nested_in_alpha(family, name, side):
    tolerance = ROUNDING if is_solved(family, name) else 0.0
    at = [flat_limits(family, name, side, alpha) for alpha in alphas(family, name)]
    lowers, uppers = np.array([pair[0] for pair in at]), np.array([pair[1] for pair in at])
    return not (
        falls(lowers[:-1], lowers[1:], tolerance).any()
        or falls(uppers[1:], uppers[:-1], tolerance).any()
    )


def is_monotone(family, name, side):
    """Rises with the counts of a sample of positive weight, and falls with those of another."""
    tolerance = ROUNDING if len(WEIGHTS[family]) == 2 else 0.0
    for *_, lower, upper in over_grid(family, name, side):
        for limit in (lower, upper):
            for axis, weight in enumerate(WEIGHTS[family]):
                rising = np.sign(weight) * np.moveaxis(limit, axis, 0)
                if falls(rising[:-1], rising[1:], tolerance).any():
                    return False
    return True


def mirrors(family, name, side):
    """Failures for successes: limits negated, taken from 1 or inverted, and exchanged."""
    whole = 0.0 if family == "proportion_difference" else 1.0
    other_way = np.reciprocal if family in RATIOS else lambda limit: whole - limit
    one = len(WEIGHTS[family]) == 1
    tolerance = {"rtol": 0 if one else within(family, name), "atol": within(family, name)}
    if one:
        tolerance["atol"] = MIRRORED
    if family in RATIOS:
        tolerance["atol"] = 0
    for alpha in alphas(family, name):
        mirrored = limits(family, name, MIRROR[side], alpha)
        for cell, other in zip(limits(family, name, side, alpha), mirrored, strict=True):
            (*_, lower, upper), (*_, low, high) = cell, other
            # The counts of every grid are as far from 0 as from n.
            with np.errstate(divide="ignore"):
                if not np.isclose(lower, other_way(np.flip(high)), **tolerance).all():
                    return False
                if not np.isclose(upper, other_way(np.flip(low)), **tolerance).all():
                    return False
    return True


def magnitude(family, sizes, counts):
    """The size of rates: of two the larger one, an event more than seen, as a limit may be a
    small difference."""
    if family in RATIOS:
        return 0.0
    if family == "rate":
        return counts[0].ravel()
    if family != "rate_difference":
        return 1.0
    return np.maximum(*((x + 1) / size for x, size in zip(counts, sizes, strict=True))).ravel()


def swapped(family, name, side, alpha, data):
    """What the limits are by those of the samples in the other order: negated or inverted, and
    exchanged; a balanced accuracy's are kept."""
    kept = family == "balanced_accuracy"
    low, high = CATALOGUE[family][name].limits(
        (*data[2:], *data[:2]), alpha, side if kept else MIRROR[side]
    )
    if kept:
        return low, high
    with np.errstate(divide="ignore"):
        return (1 / high, 1 / low) if family in RATIOS else (-high, -low)


def swaps(family, name, side):
    for alpha in alphas_of_others(family, name):
        for sizes, counts, *found in limits(family, name, side, alpha):
            expected = swapped(family, name, side, alpha, columns(sizes, counts))
            size = magnitude(family, sizes, counts)
            for ours, other in zip(found, expected, strict=True):
                if not close(ours.ravel(), other, size, within(family, name)):
                    return False
    return True


def scales_with_exposure(family, name, side):
    method = CATALOGUE[family][name]
    tolerance = SCALED if family == "rate" else within(family, name)
    for alpha in alphas_of_others(family, name):
        for sizes, counts, *found in limits(family, name, side, alpha):
            for factor in SCALES[family].get(sizes, ()):
                data = columns([size * factor for size in sizes], counts)
                size = magnitude(family, sizes, counts)
                unit = 1.0 if family in RATIOS else factor
                for ours, other in zip(found, method.limits(data, alpha, side), strict=True):
                    if not close(other * unit, ours.ravel(), size, tolerance):
                        return False
    return True


EVERY_FAMILY = {
    "is ordered": is_ordered,
    "stays in range": stays_in_range,
    "reaches the end": reaches_the_end_on_its_open_side,
    "has width": has_width,
    "holds the estimate": holds_the_estimate,
    "is nested in alpha": is_nested_in_alpha,
}
ONE_SAMPLE = {**EVERY_FAMILY, "rises with x": is_monotone}
TWO_SAMPLES = {**EVERY_FAMILY, "is monotone": is_monotone, "swaps": swaps}
PROPERTIES = {
    "proportion": {**ONE_SAMPLE, "mirrors": mirrors},
    "rate": {**ONE_SAMPLE, "scales with exposure": scales_with_exposure},
    "proportion_difference": {**TWO_SAMPLES, "mirrors": mirrors},
    "rate_difference": {**TWO_SAMPLES, "scales": scales_with_exposure},
    "balanced_accuracy": {**TWO_SAMPLES, "mirrors": mirrors},
    "risk_ratio": TWO_SAMPLES,
    "odds_ratio": {**TWO_SAMPLES, "mirrors": mirrors},
    "rate_ratio": {**TWO_SAMPLES, "scales": scales_with_exposure},
}
