"""How far a posterior reaches beyond the limits on average, in closed form."""

from __future__ import annotations

import numpy as np

from harness.numerics.arrays import Floats
from harness.posteriors.beta import Beta
from harness.posteriors.gamma import Gamma
from harness.posteriors.truncated import Truncated

AnyPosterior = Beta | Gamma | Truncated


def beyond(posterior: AnyPosterior, lower: Floats, upper: Floats) -> Floats:
    """E[(L − θ)⁺] + E[(θ − U)⁺] for each outcome, shape (m,).

    The density f of a Beta or a Gamma satisfies (Vf)′ = (μ − θ)f with its mean μ and
    V = θ(1 − θ)/(a + b), or θ/b. Integrated from an end c of the range, that gives

        E[(L − θ)⁺] = (L − μ)F(L) + V(L)f(L) − V(c)f(c)

    and likewise above. It also holds for a part of the range, with μ still the mean of the whole:
    only there is V not 0 at the ends.
    """
    whole = posterior.whole if isinstance(posterior, Truncated) else posterior
    mean = whole.a / (whole.a + whole.b) if isinstance(whole, Beta) else whole.a / whole.b
    low, high = posterior.support
    bottom, top = np.clip(lower, low, high), np.clip(upper, low, high)
    first, last = np.full_like(lower, low), np.full_like(upper, high)
    below = (lower - mean) * posterior.cdf(bottom)
    below += _flow(posterior, whole, bottom) - _flow(posterior, whole, first)
    above = (mean - upper) * posterior.sf(top)
    above += _flow(posterior, whole, top) - _flow(posterior, whole, last)
    return np.asarray(np.maximum(below, 0.0) + np.maximum(above, 0.0))


def _flow(posterior: AnyPosterior, whole: Beta | Gamma, theta: Floats) -> Floats:
    """V(θ)f(θ); 0 at the ends of the whole range, where the density may be infinite."""
    if isinstance(whole, Beta):
        spread = theta * (1.0 - theta) / (whole.a + whole.b)
    else:
        spread = np.where(theta < np.inf, theta, 0.0) / whole.b
    inside = spread > 0
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(inside, spread * np.exp(posterior.logpdf(theta)), 0.0)
