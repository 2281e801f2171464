"""p10 - p01 of Dirichlet(u, v, r) cells (p10, p01, rest): density and tails in ball arithmetic."""

from collections.abc import Callable

from flint import arb, ctx

from tests.oracles.balls import exact

BITS = 300


def log_density(u: float, v: float, r: float, t: float) -> arb:
    """The logarithm of the density at t in (0, 1), by Gauss's hypergeometric function.

    With h = (1 - t)/2 the integral over p01 is h^v (1 - t)^(r - 1) t^(u - 1) B(v, r)
    F(1 - u, v; v + r; -h/t), times the constant of the Dirichlet distribution.
    """
    with ctx.workprec(BITS):
        a, b, c, x = (exact(value) for value in (u, v, r, t))
        half = (1 - x) / 2
        constant = (a + b + c).lgamma() - a.lgamma() - (b + c).lgamma()
        series = (-half / x).hypgeom_2f1(1 - a, b, b + c)
        powers = b * half.log() + (c - 1) * (1 - x).log() + (a - 1) * x.log()
        return constant + powers + series.log()


def above(u: int, v: float, r: float, t: float) -> arb:
    """Pr(p10 - p01 > t) for t in [0, 1) and a whole u.

    Given the other two of three independent gamma variables, the tail of the one of shape u is a
    Poisson sum, of which the generating function is known: with x = (1 + t)/2 it is
    (1 - x)^v (1 - t)^r times the sum of the coefficients of s^j, j < u, in
    (1 - x s)^(-v) (1 - t s)^(-r).
    """
    with ctx.workprec(BITS):
        b, c, y = exact(v), exact(r), exact(t)
        x = (1 + y) / 2
        before, term, total = arb(0), arb(1), arb(1)
        for j in range(u - 1):
            # (1 - xs)(1 - ys) F' = [v x (1 - ys) + r y (1 - xs)] F
            following = (j * (x + y) + b * x + c * y) * term
            following -= x * y * (j - 1 + b + c) * before
            before, term = term, following / (j + 1)
            total += term
        return (1 - x) ** b * (1 - y) ** c * total


def above_by_quadrature(u: float, v: float, r: float, t: float) -> arb:
    """Pr(p10 - p01 > t) for t in [0, 1): the integral over S of f(S) Pr(B > (1 + t/S)/2)."""
    with ctx.workprec(BITS // 2):
        a, b, c, x = (exact(value) for value in (u, v, r, t))
        constant = (a + b + c).lgamma() - (a + b).lgamma() - c.lgamma()

        def integrand(logit: arb) -> arb:
            p, q = 1 / (1 + (-logit).exp()), 1 / (1 + logit.exp())
            s = x + (1 - x) * p
            beyond = ((1 - x) * p / s / 2).beta_lower(b, a, regularized=True)
            log_weight = constant + (a + b - 1) * s.log() + (c - 1) * ((1 - x) * q).log()
            return log_weight.exp() * beyond * (1 - x) * p * q

        return integral(integrand)


def integral(integrand: Callable[[arb], arb]) -> arb:
    """The double exponential rule on the real line, with steps that are halved until it holds."""
    step, before = arb(1) / 8, arb(0)
    for _ in range(8):
        total = arb(0)
        for sign in (1, -1):
            for j in range(0 if sign > 0 else 1, 10**5):
                y = step * (sign * j)
                value = integrand(2 * y.sinh()) * 2 * y.cosh()
                total += value
                if j * step > 1 and value.abs_upper() < total.abs_lower() * arb(10) ** -25:
                    break
        total *= step
        if (total - before).abs_upper() < total.abs_lower() * arb(10) ** -16:
            return total
        step, before = step / 2, total
    raise AssertionError("the rule does not converge")
