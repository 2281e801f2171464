"""Wald intervals of a transformed proportion, transformed back."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, ndtr, ndtri

from harness.base.numerics.arrays import Floats
from harness.methods.method import LimitPair
from harness.methods.proportion.boundary import exact_at_boundary, mirrored, moved_inside


@mirrored
def arcsine(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """sin²(arcsin √p̃ ± z/(2√n)), p̃ = (x + ⅜)/(n + ¾), the angle clipped to [0, π/2].

    z is the upper ``tail`` point of the standard normal. The arcsine of the root has a variance
    of nearly 1/(4n) whatever p is. Its mean coverage is near nominal; next to 0 and 1 there are
    truths at which it misses too often. This is Anscombe's variant, also in DescTools and
    contingencytables; HypothesisTests.jl and MetidaFreq.jl put x/n in place of p̃.

    Anscombe (1948), Biometrika 35, 246–254; Brown, Cai and DasGupta (2001), Stat. Sci. 16,
    101–133, section 4.
    """
    x, n = data
    angle = np.arctan2(np.sqrt(x + 0.375), np.sqrt(n - x + 0.375))
    shift = -float(ndtri(tail)) / (2.0 * np.sqrt(n))
    lower, upper = (np.clip(angle + step, 0.0, np.pi / 2) for step in (-shift, shift))
    return np.sin(lower) ** 2, np.sin(upper) ** 2


@mirrored
def logit(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """logit p = log(x/(n − x)) ± z √(n/(x(n − x))); Clopper-Pearson limits at x = 0 and x = n.

    z is the upper ``tail`` point of the standard normal. Mostly conservative, and long next to 0
    and 1. The limits at the ends, where the logit is infinite, are those of R's binom; DescTools
    has none there.

    Brown, Cai and DasGupta (2001), Stat. Sci. 16, 101–133, section 4.
    """
    x, n = moved_inside(data)
    centre, delta = np.log(x / (n - x)), -float(ndtri(tail)) * np.sqrt(n / x / (n - x))
    return exact_at_boundary(data, tail, expit(centre - delta), expit(centre + delta))


@mirrored
def rindskopf(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """logit p = log((x + ½)/(n − x + ½)) ± z √(1/(x + ½) + 1/(n − x + ½)).

    z is the upper ``tail`` point of the standard normal. Half a success and half a failure give
    it limits at x = 0 and x = n, too, yet x/n lies outside of them there, and truths next to 0 and
    1 are missed with certainty.

    Rindskopf (2000), Am. Stat. 54, 88.
    """
    x, n = data
    hits, rest = x + 0.5, n - x + 0.5
    centre, delta = np.log(hits / rest), -float(ndtri(tail)) * np.sqrt(1 / hits + 1 / rest)
    return expit(centre - delta), expit(centre + delta)


@mirrored
def probit(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """Φ⁻¹(p) = Φ⁻¹(p̂) ± z √(p̂(1 − p̂)/n)/φ(Φ⁻¹(p̂)); Clopper-Pearson limits at x = 0 and x = n.

    z is the upper ``tail`` point of the standard normal, φ its density. Mostly conservative.

    Dorai-Raj, R package binom, binom.probit, with the same limits at the ends.
    """
    x, n = moved_inside(data)
    centre = ndtri(x / n)
    density = np.exp(-centre * centre / 2) / np.sqrt(2.0 * np.pi)
    delta = -float(ndtri(tail)) * np.sqrt(x / n * ((n - x) / n) / n) / density
    return exact_at_boundary(data, tail, ndtr(centre - delta), ndtr(centre + delta))


def cloglog(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """log(−log p) = log(−log p̂) ± z √((1 − p̂)/(np̂))/log p̂; Clopper-Pearson at x = 0 and x = n.

    z is the upper ``tail`` point of the standard normal. Mostly conservative. Successes and
    failures do not play the same part. In R's binom and in survival analysis, where it serves the
    Kaplan-Meier estimate, this is the log of minus the log of p itself; the link of that name in a
    generalised linear model takes 1 − p, and its interval is this one for n − x, mirrored.

    Kalbfleisch and Prentice (1980), The Statistical Analysis of Failure Time Data; Dorai-Raj, R
    package binom, binom.cloglog, with the same limits at the ends.
    """
    x, n = moved_inside(data)
    log_estimate = np.where(2 * x < n, np.log(x / n), np.log1p(-(n - x) / n))
    delta = -float(ndtri(tail)) * np.sqrt((n - x) / n / x) / -log_estimate
    lower, upper = (np.exp(log_estimate * np.exp(step)) for step in (delta, -delta))
    return exact_at_boundary(data, tail, lower, upper)
