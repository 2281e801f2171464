"""Limits of one side that rise with the first count, and those that do not: ``steady_from``."""

import numpy as np
import pytest

from harness.families.catalogue import FAMILIES
from harness.methods.catalogue import CATALOGUE, methods_for
from harness.methods.method import LOWER, UPPER

ALPHAS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.3)
ROUNDING = 1e-9
"""Relative and absolute; a limit falls by more than this, or it is taken to stay."""
NAMES = sorted(
    {name for name in CATALOGUE for method in CATALOGUE[name].values() if method.steady_from > 0}
    | {"rate"}
)


def lines(family, few):
    """All outcomes of some sizes, one array for each line on which the first count rises."""
    if family.as_pairs is not None:
        for cases in (0, 5, 9) if few else range(31):
            x = np.arange(cases + 1.0)
            yield family.as_pairs.table_of(x, np.full(x.size, float(cases)))
        return
    if family.shares_size:
        for n in (3, 7) if few else (1, 2, 3, 4, 5, 7, 10, 13, 16, 20):
            for second in range(n + 1):
                for both in range(n - second + 1):
                    x = np.arange(n - second - both + 1.0)
                    held = np.full(x.size, float(both)), np.full(x.size, float(second))
                    yield held[0], x, held[1], x[::-1]
        return
    is_count = family.model.SIZE_IS_COUNT
    sizes = ((1, 5, 9) if few else (1, 2, 3, 5, 8, 11, 15, 20)) if is_count else (0.5, 1.0, 4.0)
    if family.samples == 1 and is_count:
        sizes = range(1, 31)
    for n1 in sizes:
        x = np.arange(n1 + 1.0 if is_count else 20.0)
        first = x, np.full(x.size, float(n1))
        if family.samples == 1:
            yield first
            continue
        for n2 in sizes:
            for x2 in range(n2 + 1 if is_count else 20):
                yield *first, np.full(x.size, float(x2)), np.full(x.size, float(n2))


def falls(method, alpha, few=False):
    """Whether a limit of one side falls anywhere as the first count rises."""
    parts = list(lines(method.family, few))
    line = np.repeat(np.arange(len(parts)), [part[0].size for part in parts])
    data = tuple(np.concatenate(column) for column in zip(*parts, strict=True))
    for side in (LOWER, UPPER):
        limit = method.limits(data, alpha, side)[0 if side == LOWER else 1]
        before, after = limit[:-1], limit[1:]
        with np.errstate(invalid="ignore"):
            lower = after < before - ROUNDING * np.maximum(np.abs(before), 1.0)
        lower |= np.isinf(before) & np.isfinite(after)
        if side == LOWER:
            lower &= before > -np.inf
        if (lower & (line[:-1] == line[1:])).any():
            return True
    return False


def with_sides(name):
    methods = methods_for(FAMILIES[name])
    return {key: each for key, each in methods.items() if LOWER in each.sides}


@pytest.mark.parametrize(
    ("family", "method"),
    [
        ("proportion", "logit"),
        ("paired_difference", "agresti_min"),
        ("proportion_difference", "mee"),
        ("risk_ratio", "price_bonett"),
    ],
)
def test_limits_rise_from_the_listed_alpha_on(family, method):
    record = methods_for(FAMILIES[family])[method]
    assert not any(falls(record, alpha) for alpha in ALPHAS if alpha >= record.steady_from)
    below = [alpha for alpha in ALPHAS if alpha < record.steady_from]
    assert not below or falls(record, below[-1])


@pytest.mark.slow
@pytest.mark.parametrize("family", NAMES)
def test_limits_of_every_method_rise_from_the_listed_alpha_on(family):
    for name, method in with_sides(family).items():
        if not method.deterministic:
            continue
        few = method.largest_size is not None or method.decides is not None
        alphas = (0.025, 0.3) if few else ALPHAS
        fell = [alpha for alpha in alphas if falls(method, alpha, few)]
        assert all(alpha < method.steady_from for alpha in fell), name
