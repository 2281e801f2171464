"""The mean of the effects of k studies in the random-effects model.

Data: effects yᵢ ~ N(mu, tau2 + vᵢ) with known variances vᵢ = 0.25 χ²₁ given 0.009 ≤ vᵢ ≤ 0.6, the
set-up of Brockwell and Gordon (2001), Statistics in Medicine 20:825. IntHout, Ioannidis and Borm
(2014), BMC Medical Research Methodology 14:25, compare the two methods in studies of unequal sizes.
"""

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

SMALLEST, LARGEST = 0.009, 0.6
"""Limits of the variance of a study."""


def draw(rng, k, tau2, mu):
    """Return the effects and their variances, each of shape (k,)."""
    # χ²₁ is the square of a normal number, here of one between the roots of the limits.
    between = ndtr(np.sqrt([SMALLEST / 0.25, LARGEST / 0.25]))
    variances = 0.25 * ndtri(rng.uniform(*between, size=k)) ** 2
    return rng.normal(mu, np.sqrt(tau2 + variances)), variances


def dersimonian_laird(data, alpha):
    """The weighted mean with the moment estimate of tau2 and a normal quantile.

    With aᵢ = 1/vᵢ, m = Σ aᵢ yᵢ / Σ aᵢ and Q = Σ aᵢ (yᵢ − m)²,

        tau2 = max(0, (Q − (k − 1)) / (Σ aᵢ − Σ aᵢ² / Σ aᵢ)),

    wᵢ = 1 / (tau2 + vᵢ), estimate Σ wᵢ yᵢ / Σ wᵢ and se² = 1 / Σ wᵢ.

    DerSimonian and Laird (1986), Controlled Clinical Trials 7:177.
    """
    effects, variances = data
    weights = _weights(effects, variances)
    estimate, se = _mean(effects, weights), np.sqrt(1 / weights.sum())
    half = -ndtri(alpha / 2) * se
    return {"estimate": estimate, "se": se, "lower": estimate - half, "upper": estimate + half}


def hartung_knapp(data, alpha):
    """The same mean with an estimated variance and Student's t.

    se² = Σ wᵢ (yᵢ − estimate)² / ((k − 1) Σ wᵢ), and k − 1 degrees of freedom.

    Hartung and Knapp (2001), Statistics in Medicine 20:1771.
    """
    effects, variances = data
    weights, df = _weights(effects, variances), len(effects) - 1
    estimate = _mean(effects, weights)
    se = np.sqrt(weights @ (effects - estimate) ** 2 / df / weights.sum())
    half = -stdtrit(df, alpha / 2) * se
    return {
        "estimate": estimate,
        "se": se,
        "lower": estimate - half,
        "upper": estimate + half,
        "df": df,
    }


def _weights(effects, variances):
    """The reciprocals of tau2 + vᵢ, with the estimate of tau2 by DerSimonian and Laird."""
    fixed = 1 / variances
    q = fixed @ (effects - _mean(effects, fixed)) ** 2
    excess = q - (len(effects) - 1)
    tau2 = max(0.0, excess / (fixed.sum() - fixed @ fixed / fixed.sum()))
    return 1 / (tau2 + variances)


def _mean(values, weights):
    return weights @ values / weights.sum()
