"""Intervals of a clustered proportion from the clustered standard error."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri, stdtrit

from harness.methods.clustered.clusters import Clusters
from harness.methods.method import LimitPair
from harness.numerics.arrays import Floats


def cluster_wald(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """p̂ ± z √v, v = C/((C − 1)N²) Σ(xᵢ − nᵢp̂)², clipped to [0, 1], with p̂ = X/N.

    √v is the clustered standard error that tools for the evaluation of language models print, and
    z the upper ``tail`` point of the standard normal. The factor C/(C − 1) is that of Inspect
    (``stderr`` with ``cluster``) and of the cluster-robust covariance of statsmodels; the paper
    that the tools refer to, Miller (2024), has none. Of no width where v = 0: with all successes or
    all failures, where all clusters have one proportion, and at C = 1, as these tools print it.
    Too short for few clusters, since z takes no account of the error of v.

    Miller (2024), Adding error bars to evals, arXiv 2411.00640; Liang and Zeger
    (1986), Biometrika 73, 13–22.
    """
    clusters = Clusters(*data)
    return _about_estimate(clusters, np.full_like(clusters.count, -float(ndtri(tail))))


def cluster_t(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """p̂ ± t √v, v = C/((C − 1)N²) Σ(xᵢ − nᵢp̂)², clipped to [0, 1], with p̂ = X/N.

    ``cluster_wald`` with the upper ``tail`` point t of Student's distribution with C − 1 degrees of
    freedom. Of no width with all successes or all failures, and where all clusters have one
    proportion; the whole range at C = 1.

    Cameron and Miller (2015), J. Hum. Resour. 50, 317–372, section VI.
    """
    clusters = Clusters(*data)
    freedom = np.maximum(clusters.count - 1.0, 1.0)
    quantile = -np.asarray(stdtrit(freedom, tail), np.float64)
    return clusters.limits_of_several(_about_estimate(clusters, quantile))


def _about_estimate(clusters: Clusters, quantile: Floats) -> LimitPair:
    x, n = clusters.totals
    delta = quantile * np.sqrt(clusters.variance)
    return np.clip(x / n - delta, 0.0, 1.0), np.clip(x / n + delta, 0.0, 1.0)
