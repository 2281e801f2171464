"""Every interval of another package that can be checked by name, each a function f(x, n, alpha).

The process of an interval asks this module for it by `function_name`; its package is imported then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from harness.methods.method import APPROXIMATE, AT_LEAST, CONSERVATIVE, Contract

PEERS: dict[str, dict[str, tuple[str, ...]]] = {
    "statsmodels": {
        "proportion": ("normal", "agresti_coull", "beta", "wilson", "jeffreys", "binom_test"),
        "rate": (
            "exact_c",
            "score",
            "wald",
            "waldccv",
            "midp_c",
            "jeffreys",
            "sqrt",
            "sqrt_a",
            "sqrt_v",
            "sqrt_centcc",
        ),
        "proportion_difference": ("wald", "agresti_caffo", "newcomb", "score"),
        "risk_ratio": ("log", "log_adjusted", "score"),
        "odds_ratio": ("logit", "logit_adjusted", "logit_smoothed", "score"),
        "rate_difference": ("wald", "waldccv", "score", "mover"),
        "rate_ratio": ("waldcc", "wald_log", "score", "score_log", "sqrtcc", "mover"),
    },
    "scipy": {
        "proportion": ("exact", "wilson", "wilsoncc"),
        "risk_ratio": ("katz",),
        "odds_ratio": ("conditional", "sample"),
    },
    "astropy": {
        "proportion": ("wald", "wilson", "jeffreys", "flat"),
        "rate": (
            "root_n",
            "root_n_0",
            "pearson",
            "sherpagehrels",
            "frequentist_confidence",
            "kraft_burrows_nousek",
        ),
    },
}
"""Package, family, and the package's own names with underscores for hyphens."""

CONTRACTS: dict[str, Contract] = {
    "statsmodels:proportion:beta": AT_LEAST,
    "statsmodels:proportion:binom_test": AT_LEAST,
    "statsmodels:rate:exact_c": AT_LEAST,
    "statsmodels:rate:sqrt_a": APPROXIMATE,
    "statsmodels:rate:sqrt_centcc": CONSERVATIVE,
    "scipy:proportion:exact": AT_LEAST,
    "scipy:proportion:wilsoncc": CONSERVATIVE,
    "astropy:rate:frequentist_confidence": AT_LEAST,
}
"""The contracts that intervals are held to by what their packages say of them, by the names of
their functions; others are held to nominal."""


def function_name(package: str, family: str, name: str) -> str:
    """The name by which this module has the function of an interval."""
    return f"{package}:{family}:{name}"


def __getattr__(attribute: str) -> Callable[..., Any]:
    """The function of an interval, whose package is imported here."""
    package, _, rest = attribute.partition(":")
    family, _, name = rest.partition(":")
    if name not in PEERS.get(package, {}).get(family, ()):
        raise AttributeError(attribute)
    return _OF_PACKAGES[package](family, name)


def _of_statsmodels(family: str, name: str) -> Callable[..., Any]:
    from statsmodels.stats import proportion, rates

    method, compared = name.replace("_", "-"), _COMPARED.get(family)
    of_two = proportion.confint_proportions_2indep
    if family.startswith("rate"):
        of_two = rates.confint_poisson_2indep

    def one_proportion(x: Any, n: int, alpha: float) -> Any:
        return proportion.proportion_confint(x, n, alpha, name)

    def one_rate(x: Any, exposure: float, alpha: float) -> Any:
        return rates.confint_poisson(x, exposure, method, alpha)

    def two_samples(x1: Any, size1: float, x2: Any, size2: float, alpha: float) -> Any:
        return of_two(x1, size1, x2, size2, method, compared, alpha)

    if compared is None:
        return one_rate if family == "rate" else one_proportion
    return two_samples


_COMPARED = {
    "proportion_difference": "diff",
    "risk_ratio": "ratio",
    "odds_ratio": "odds-ratio",
    "rate_difference": "diff",
    "rate_ratio": "ratio",
}
"""What statsmodels calls the comparison of two samples."""


def _of_scipy(family: str, name: Any) -> Callable[..., Any]:
    from scipy.stats import binomtest, contingency

    def one_proportion(x: int, n: int, alpha: float) -> tuple[float, float]:
        low, high = binomtest(x, n).proportion_ci(1.0 - alpha, name)
        return float(low), float(high)

    def two_proportions(x1: int, n1: int, x2: int, n2: int, alpha: float) -> tuple[float, float]:
        found: Any
        if family == "risk_ratio":
            found = contingency.relative_risk(x1, n1, x2, n2)
        else:
            found = contingency.odds_ratio([[x1, n1 - x1], [x2, n2 - x2]], kind=name)
        low, high = found.confidence_interval(1.0 - alpha)
        return float(low), float(high)

    return one_proportion if family == "proportion" else two_proportions


# So far from one standard deviation lies what is written as 0.317 or 0.3173.
_ROUNDED = 1e-3


def _of_astropy(family: str, name: str) -> Callable[..., Any]:
    """All intervals for a rate but ``frequentist_confidence`` and ``kraft_burrows_nousek`` are made
    for one standard deviation alone, alpha = 0.3173, and refuse any other. The latter is for a
    count with a known background, and is asked with one of 0, where it is an interval of a rate.
    """
    from astropy import stats
    from scipy.special import ndtri

    method = name.replace("_", "-")

    def one_proportion(x: Any, n: int, alpha: float) -> Any:
        return stats.binom_conf_interval(x, n, 1.0 - alpha, method)

    def one_rate(x: Any, exposure: float, alpha: float) -> Any:
        sigma = -float(ndtri(alpha / 2))
        if abs(sigma - 1.0) < _ROUNDED:
            sigma = 1.0
        return np.asarray(stats.poisson_conf_interval(x, method, sigma)) / exposure

    def kraft_burrows_nousek(x: int, exposure: float, alpha: float) -> tuple[float, float]:
        low, high = stats.poisson_conf_interval(
            int(x), method, background=0.0, confidence_level=1.0 - alpha
        )
        return float(low) / exposure, float(high) / exposure

    if family == "proportion":
        return one_proportion
    return kraft_burrows_nousek if name == "kraft_burrows_nousek" else one_rate


_OF_PACKAGES = {"statsmodels": _of_statsmodels, "scipy": _of_scipy, "astropy": _of_astropy}
