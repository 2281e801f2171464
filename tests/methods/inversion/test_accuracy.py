"""The equations of the searched limits, in ball arithmetic at the doubles that are returned."""

import numpy as np
import pytest
from flint import arb, ctx
from scipy.special import ndtri
from scipy.stats import binom, poisson

from harness.methods.catalogue import CATALOGUE
from tests.oracles import balls, beta, gamma
from tests.oracles.accuracy_grid import promised

EXACT_TESTS = ("blaker", "sterne", "feldman_cousins")
ALPHAS = (1e-10, 0.05, 0.9)
SIZES = (1, 10, 1000, 10**6, 10**8)
COUNTS = (0, 1, 2, 7, 100, 10**6)


class Binomial:
    """Tails of x of n; ``limits`` are those of the proportion."""

    def __init__(self, n):
        self.n, self.size = n, n

    def limits(self, name, x, alpha):
        data = np.array([float(x)]), np.array([float(self.n)])
        return [float(limit[0]) for limit in CATALOGUE["proportion"][name].limits(data, alpha)]

    def at_most(self, x, p):
        if x < 0:
            return arb(0)
        return arb(1) if x >= self.n else beta.sf(x + 1, self.n - x, balls.exact(p))

    def at_least(self, x, p):
        if x <= 0:
            return arb(1)
        return arb(0) if x > self.n else beta.cdf(x, self.n - x + 1, balls.exact(p))

    def cost(self, x, p):
        """What half a unit in the last place of p may change a tail that begins near x."""
        a = min(max(x, 1), self.n)
        return float(beta.rounding_cost(a, self.n - a + 1, p))

    def log_pmf(self, y, p):
        return balls.log_binomial(y, self.n - y, balls.exact(p))

    def log_peak(self, y):
        with ctx.workprec(256):
            peak = arb(self.n + 1).lgamma()
            for count in (y, self.n - y):
                peak -= arb(count + 1).lgamma()
                if count > 0:
                    peak += count * (arb(count) / self.n).log()
            return peak

    def law(self, p):
        return binom(self.n, p)


class Poisson:
    """Tails of a count of mean m."""

    size = 10**6

    def limits(self, name, x, alpha):
        data = np.array([float(x)]), np.array([1.0])
        return [float(limit[0]) for limit in CATALOGUE["rate"][name].limits(data, alpha)]

    def at_most(self, x, m):
        return arb(0) if x < 0 else gamma.sf(x + 1, balls.exact(m))

    def at_least(self, x, m):
        return arb(1) if x <= 0 else gamma.cdf(x, balls.exact(m))

    def cost(self, x, m):
        return float(gamma.rounding_cost(max(x, 1), 1.0, m))

    def log_pmf(self, y, m):
        with ctx.workprec(256):
            return y * balls.exact(m).log() - balls.exact(m) - arb(y + 1).lgamma()

    def log_peak(self, y):
        return self.log_pmf(y, float(y)) if y else arb(0)

    def law(self, m):
        return poisson(m)


def cases():
    for n in SIZES:
        for x in sorted({0, 1, n // 10, n // 2, n - 1}):
            yield Binomial(n), x
    for x in COUNTS:
        yield Poisson(), x


def is_end(law, x, limit):
    return limit == 0 or (isinstance(law, Binomial) and limit == 1)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_tails_of_mid_p_hold_half_of_x(alpha):
    for law, x in cases():
        lower, upper = law.limits("mid_p", x, alpha)
        for limit, tail in ((lower, law.at_least), (upper, law.at_most)):
            if is_end(law, x, limit):
                continue
            expected_excess = x + 1 if limit == lower else x - 1
            mass = float((tail(x, limit) + tail(expected_excess, limit)) / 2)
            cost = max(law.cost(x, limit), law.cost(x + 1, limit)) / (alpha / 2)
            assert abs(mass / (alpha / 2) - 1) <= promised(law.size) + cost, (law.size, x, limit)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_likelihood_has_fallen_by_half_z_squared(alpha):
    half_square = float(ndtri(alpha / 2)) ** 2 / 2
    for law, x in cases():
        for limit in law.limits("likelihood_ratio", x, alpha):
            if is_end(law, x, limit):
                continue
            fall = float(law.log_peak(x) - law.log_pmf(x, limit))
            # What half a unit in the last place changes: the derivative is the distance of x/n.
            moved = abs(x - limit * getattr(law, "n", 1)) * 2.0**-53
            cost = moved / min(1.0, 1.0 - limit if isinstance(law, Binomial) else 1.0)
            assert abs(fall / half_square - 1) <= 1e-11 + cost / half_square, (law.size, x, limit)


@pytest.mark.parametrize("name", EXACT_TESTS)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_exact_limits_are_roots_of_the_p_value_or_its_jumps(name, alpha):
    for law, x in cases():
        lower, upper = law.limits(name, x, alpha)
        for limit, near, far, sign in (
            (lower, law.at_least, law.at_most, -1),
            (upper, law.at_most, law.at_least, 1),
        ):
            if not is_end(law, x, limit):
                check_root_or_jump(name, law, x, alpha, limit, near, far, sign)


def check_root_or_jump(name, law, x, alpha, limit, near, far, sign):
    rest = alpha - float(near(x, limit))
    frozen = law.law(limit)
    first = int(frozen.isf(rest) + 1 if sign > 0 else frozen.ppf(rest)) if rest > 0 else x + sign
    slack = promised(law.size) + max(law.cost(x, limit), law.cost(x + 1, limit)) / alpha
    for m in range(first - 3, first + 4):
        if (m - x) * sign < 1 or m < 0:
            continue
        found = float((near(x, limit) + far(m, limit)) / alpha) - 1
        if abs(found) <= slack + law.cost(m, limit) / alpha:
            return
        past = float((near(x, limit) + far(m + sign, limit)) / alpha) - 1
        is_jump = past <= slack and found > 0
        if is_jump and abs(lead(name, law, x, m, limit, near, far)) <= level(law, m - x, limit):
            return
    if abs(float(near(x, limit)) / alpha - 1) <= slack:
        return
    raise AssertionError((law.size, x, limit))


def lead(name, law, x, m, limit, near, far):
    """log of how much more in keeping x is than m."""
    if name == "blaker":
        return float((near(x, limit) / far(m, limit)).log())
    difference = law.log_pmf(x, limit) - law.log_pmf(m, limit)
    if name == "feldman_cousins":
        difference += law.log_peak(m) - law.log_peak(x)
    return float(difference)


def level(law, k, limit):
    """How near to level a tie is at a rounded limit: its lead changes by k in a logit."""
    room = 1.0 - limit if isinstance(law, Binomial) else 1.0
    return 1e-11 + abs(k) * 2.0**-52 / room
