"""Every interval of another package that can be checked by name, each a function f(x, n, alpha)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.callers.calls import ANYTHING, Function, FunctionError, describe
from harness.callers.evaluation_peers import (
    EVALUATION_PEERS,
    of_evalconfidence,
    of_evalstats,
    of_inspect_ai,
    of_judgy,
    of_ppi_py,
)
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
        "kappa": ("cohens_kappa",),
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
    "confidenceinterval": {
        "proportion": ("accuracy_score", "f1_score"),
        "precision": ("precision_score",),
        "recall": ("tpr_score",),
        "specificity": ("tnr_score",),
        "npv": ("npv_score",),
        "f_score": ("f1_score",),
        "auc": ("roc_auc_score",),
    },
    **EVALUATION_PEERS,
}
"""Package, family, and the package's own names with underscores for hyphens."""


@dataclass(frozen=True)
class Peer:
    """An interval of another package, which is imported where the interval is called."""

    package: str
    family: str
    name: str
    """One of ``PEERS``."""

    path = None
    """It is in no file of the user's."""

    @property
    def function(self) -> str:
        """The name by which messages and keys have the function."""
        return f"{self.package}:{self.family}:{self.name}"

    def __str__(self) -> str:
        return f"{__name__}:{self.function}"

    def load(self) -> Function:
        """Return the function, of the data and alpha.

        Raises:
            FunctionError: its package cannot be imported.
        """
        try:
            return _OF_PACKAGES[self.package](self.family, self.name)
        except ANYTHING as fault:
            raise FunctionError(f"{__name__} cannot be loaded: {describe(fault)}") from None


CONTRACTS: dict[Peer, Contract] = {
    Peer("statsmodels", "proportion", "beta"): AT_LEAST,
    Peer("statsmodels", "proportion", "binom_test"): AT_LEAST,
    Peer("statsmodels", "rate", "exact_c"): AT_LEAST,
    Peer("statsmodels", "rate", "sqrt_a"): APPROXIMATE,
    Peer("statsmodels", "rate", "sqrt_centcc"): CONSERVATIVE,
    Peer("scipy", "proportion", "exact"): AT_LEAST,
    Peer("scipy", "proportion", "wilsoncc"): CONSERVATIVE,
    Peer("astropy", "rate", "frequentist_confidence"): AT_LEAST,
}
"""The contracts that intervals are held to by what their packages say of them; others are held to
nominal."""


def _of_statsmodels(family: str, name: str) -> Function:
    """``cohens_kappa`` has the limits of alpha = 0.05 alone, and any other is refused here."""
    from statsmodels.stats import inter_rater, proportion, rates

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

    def cohens_kappa(tp: int, fp: int, fn: int, tn: int, alpha: float) -> tuple[float, float]:
        if abs(alpha - _ALPHA_OF_KAPPA) > _EXACT:
            raise ValueError(f"cohens_kappa has limits at alpha = 0.05 alone, found {alpha:g}")
        found = inter_rater.cohens_kappa(np.array([[tp, fp], [fn, tn]], dtype=float))
        return float(found.kappa_low), float(found.kappa_upp)

    if family == "kappa":
        return cohens_kappa
    if compared is None:
        return one_rate if family == "rate" else one_proportion
    return two_samples


_ALPHA_OF_KAPPA, _EXACT = 0.05, 1e-12

_COMPARED = {
    "proportion_difference": "diff",
    "risk_ratio": "ratio",
    "odds_ratio": "odds-ratio",
    "rate_difference": "diff",
    "rate_ratio": "ratio",
}
"""What statsmodels calls the comparison of two samples."""


def _of_scipy(family: str, name: Any) -> Function:
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


def _of_astropy(family: str, name: str) -> Function:
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


def _of_confidenceinterval(family: str, name: str) -> Function:
    """The package takes labels, or labels and scores, and is given them for the counts of cases.

    A proportion is that of right predictions. ``f1_score`` of a proportion has the package's own
    default, the micro average, which is that proportion.
    """
    import confidenceinterval

    options = _OPTIONS.get((family, name), {})

    def limits(truth: Any, predicted: Any, alpha: float) -> tuple[float, float]:
        _, (low, high) = getattr(confidenceinterval, name)(truth, predicted, 1.0 - alpha, **options)
        return float(low), float(high)

    def of_table(tp: int, fp: int, fn: int, tn: int, alpha: float) -> tuple[float, float]:
        cells = np.array([tp, fp, fn, tn], dtype=int)
        truth, predicted = (np.repeat(each, cells) for each in ([1, 0, 1, 0], [1, 1, 0, 0]))
        return limits(truth, predicted, alpha)

    def of_accuracy(x: int, n: int, alpha: float) -> tuple[float, float]:
        return of_table(x, n - x, 0, 0, alpha)

    def of_scores(positives: Any, negatives: Any, alpha: float) -> tuple[float, float]:
        truth = np.repeat([1, 0], [len(positives), len(negatives)])
        return limits(truth, np.concatenate((positives, negatives)), alpha)

    return {"proportion": of_accuracy, "auc": of_scores}.get(family, of_table)


_OPTIONS: dict[tuple[str, str], dict[str, str]] = {
    ("precision", "precision_score"): {"average": "binary", "method": "wilson"},
    ("f_score", "f1_score"): {"average": "binary"},
}
"""What functions of confidenceinterval are called with, where that is not their default."""

_OF_PACKAGES = {
    "statsmodels": _of_statsmodels,
    "scipy": _of_scipy,
    "astropy": _of_astropy,
    "confidenceinterval": _of_confidenceinterval,
    "inspect_ai": of_inspect_ai,
    "evalstats": of_evalstats,
    "evalconfidence": of_evalconfidence,
    "ppi_py": of_ppi_py,
    "judgy": of_judgy,
}
