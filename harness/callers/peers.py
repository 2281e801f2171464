"""Every interval of another package that can be checked by name, each a function f(x, n, alpha)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.callers.calls import ANYTHING, Function, FunctionError, describe
from harness.methods.method import APPROXIMATE, AT_LEAST, CONSERVATIVE, Contract

Interval = Callable[[Floats, Floats | None, float], tuple[float, float]]
"""The limits of a mean, from scores, the cluster of each or None, and alpha."""

EVALUATION_PEERS: dict[str, dict[str, tuple[str, ...]]] = {
    "inspect_ai": {
        "proportion": ("ci", "ci_wilson"),
        "mean": ("ci",),
        "clustered_proportion": ("ci", "ci_wilson"),
        "clustered_mean": ("ci",),
    },
    "evalstats": {
        "proportion": ("mean_ci",),
        "mean": ("mean_ci",),
        "bounded_mean": ("mean_ci",),
        "paired_difference": ("compare",),
        "labelled_share": ("judge_debias_mean_ci",),
    },
    "evalconfidence": {
        "proportion": ("standard_error",),
        "mean": ("standard_error",),
        "clustered_proportion": ("standard_error",),
        "proportion_difference": ("compare",),
        "paired_difference": ("compare",),
        "clustered_difference": ("compare",),
    },
    "ppi_py": {
        "proportion": ("classical_mean_ci",),
        "mean": ("classical_mean_ci",),
        "labelled_share": ("ppi_mean_ci",),
    },
    "judgy": {"judged_share": ("estimate_success_rate",)},
}
"""Package, family, and the package's own names of functions."""


def _of_scores(family: str, interval: Interval) -> Function:
    """Return an interval of scores as a function of the data of a family."""

    def of_values(values: Any, alpha: float) -> tuple[float, float]:
        return interval(_one_list(values), None, alpha)

    def of_clustered_values(values: Any, cluster: Any, alpha: float) -> tuple[float, float]:
        return interval(_one_list(values), np.asarray(cluster, dtype=float), alpha)

    def of_count(x: int, n: int, alpha: float) -> tuple[float, float]:
        return interval(_repeated([1.0, 0.0], [x, n - x]), None, alpha)

    def of_clusters(x: Any, n: Any, alpha: float) -> tuple[float, float]:
        right, size = np.asarray(x), np.asarray(n)
        scores = _repeated(np.tile([1.0, 0.0], len(size)), np.column_stack((right, size - right)))
        return interval(scores, _repeated(np.arange(len(size)), size), alpha)

    forms: dict[str, Function] = {
        "proportion": of_count,
        "clustered_proportion": of_clusters,
        "clustered_mean": of_clustered_values,
    }
    return forms.get(family, of_values)


def _one_list(values: Any) -> Floats:
    """The numbers of a list; several lists at once are refused."""
    if np.ndim(values) > 1:
        raise TypeError("one list at a time")
    return np.asarray(values, dtype=float)


def _repeated(values: Any, counts: Any) -> Floats:
    return np.repeat(np.asarray(values, dtype=float), np.ravel(counts).astype(int))


def of_inspect_ai(family: str, name: str) -> Function:
    """A cluster is named in the metadata of a score."""
    from inspect_ai import scorer

    metric = {"ci": scorer.ci, "ci_wilson": scorer.ci_wilson}[name]

    # Making a sample takes longer than the interval of some hundred.
    @lru_cache(maxsize=4096)
    def sample(score: float, cluster: float) -> scorer.SampleScore:
        return scorer.SampleScore(
            score=scorer.Score(value=score), sample_metadata={"cluster": cluster}
        )

    def interval(scores: Floats, clusters: Floats | None, alpha: float) -> tuple[float, float]:
        by = None if clusters is None else "cluster"
        names = np.zeros(len(scores)) if clusters is None else clusters
        samples = list(map(sample, scores.tolist(), names.tolist()))
        limits: Any = metric(level=1.0 - alpha, cluster=by)(samples)
        return float(limits["lower"]), float(limits["upper"])

    return _of_scores(family, interval)


def of_evalstats(family: str, name: str) -> Function:
    """Warnings about what is guessed of the scores are left out."""
    import evalstats
    import pandas

    def interval(scores: Floats, clusters: Floats | None, alpha: float) -> tuple[float, float]:
        ends = (0.0, 1.0) if family == "bounded_mean" else None
        with warnings.catch_warnings(action="ignore"):
            limits = evalstats.mean_ci(scores, alpha=alpha, score_range=ends, rng=0)
        return float(limits.ci_low), float(limits.ci_high)

    def compare(
        both: int, first_only: int, second_only: int, neither: int, alpha: float
    ) -> tuple[float, float]:
        first, second = _pairs(both, first_only, second_only, neither)
        items = list(range(len(first)))
        rows = pandas.DataFrame(
            {
                "model": np.repeat(["first", "second"], len(first)),
                "item": items + items,
                "score": np.concatenate((first, second)),
            }
        )
        with warnings.catch_warnings(action="ignore"):
            comparison = evalstats.compare(
                evalstats.load_from(rows), factors="model", alpha=alpha, omnibus=False
            )
        (pair,) = comparison.to_dict()["pairwise"]
        return float(pair["ci_low"]), float(pair["ci_high"])

    def of_labels(table: Any, verdicts: Any, alpha: float) -> tuple[float, float]:
        labels, answers, others = _labelled(table, verdicts)
        unknown = np.full(len(others), np.nan)
        with warnings.catch_warnings(action="ignore"):
            limits = evalstats.judge_debias_mean_ci(
                np.concatenate((answers, others)),
                np.concatenate((labels, unknown)),
                alpha=alpha,
                rng=0,
            )
        return float(limits.ci_low), float(limits.ci_high)

    forms: dict[str, Function] = {"compare": compare, "judge_debias_mean_ci": of_labels}
    return forms.get(name) or _of_scores(family, interval)


def _labelled(table: Any, verdicts: Any) -> tuple[Floats, Floats, Floats]:
    """The labels and verdicts of labelled cases, and the verdicts of the others."""
    cells = _one_list(table)
    labels, answers = _repeated([1, 1, 0, 0], cells), _repeated([1, 0, 1, 0], cells)
    return labels, answers, _repeated([1, 0], verdicts)


def _pairs(both: int, first_only: int, second_only: int, neither: int) -> tuple[Floats, Floats]:
    """The scores of two systems on the cases of a table of pairs."""
    cells = [both, first_only, second_only, neither]
    return _repeated([1, 1, 0, 0], cells), _repeated([1, 0, 1, 0], cells)


def of_evalconfidence(family: str, name: str) -> Function:
    import evalconfidence

    def results(model: str, scores: Floats, clusters: Floats | None = None) -> list[Any]:
        names = [None] * len(scores) if clusters is None else [str(label) for label in clusters]
        return [
            evalconfidence.ItemResult(str(item), model, score, cluster_id=cluster)
            for item, (score, cluster) in enumerate(zip(scores.tolist(), names, strict=True))
        ]

    def interval(scores: Floats, clusters: Floats | None, alpha: float) -> tuple[float, float]:
        low, high = evalconfidence.standard_error(results("a", scores, clusters), alpha=alpha).ci
        return float(low), float(high)

    def difference(
        first: Floats, second: Floats, paired: bool, alpha: float, clusters: Floats | None = None
    ) -> tuple[float, float]:
        low, high = evalconfidence.compare(
            results("first", first, clusters),
            results("second", second, clusters),
            paired=paired,
            alpha=alpha,
        ).ci_diff
        return float(low), float(high)

    def of_clusters(first: Any, second: Any, cluster: Any, alpha: float) -> tuple[float, float]:
        scores = _one_list(first), np.asarray(second, dtype=float)
        return difference(*scores, True, alpha, np.asarray(cluster))

    def of_samples(x1: int, n1: int, x2: int, n2: int, alpha: float) -> tuple[float, float]:
        first, second = (_repeated([1, 0], [x, n - x]) for x, n in ((x1, n1), (x2, n2)))
        return difference(first, second, False, alpha)

    def of_pairs(
        both: int, first_only: int, second_only: int, neither: int, alpha: float
    ) -> tuple[float, float]:
        return difference(*_pairs(both, first_only, second_only, neither), True, alpha)

    if name == "compare":
        forms: dict[str, Function] = {
            "paired_difference": of_pairs,
            "clustered_difference": of_clusters,
        }
        return forms.get(family, of_samples)
    return _of_scores(family, interval)


def of_ppi_py(family: str, name: str) -> Function:
    from ppi_py import baselines, ppi_mean_ci

    def of_labels(table: Any, verdicts: Any, alpha: float) -> tuple[float, float]:
        low, high = ppi_mean_ci(*_labelled(table, verdicts), alpha=alpha)
        return float(np.ravel(low)[0]), float(np.ravel(high)[0])

    def interval(scores: Floats, clusters: Floats | None, alpha: float) -> tuple[float, float]:
        low, high = baselines.classical_mean_ci(scores, alpha=alpha)
        return float(low), float(high)

    if name == "ppi_mean_ci":
        return of_labels
    return _of_scores(family, interval)


_RESAMPLES = 500
"""In place of 20,000 of the package, which take seconds."""


def of_judgy(family: str, name: str) -> Function:
    """Its resamples come from NumPy's global generator, which is set to a seed and put back."""
    from judgy import estimate_success_rate

    def interval(
        x: int,
        n: int,
        positives_right: int,
        positives: int,
        negatives_right: int,
        negatives: int,
        alpha: float,
    ) -> tuple[float, float]:
        wrong = positives - positives_right, negatives - negatives_right
        labels = _repeated([1, 0], [positives, negatives])
        answers = _repeated([1, 0, 1, 0], [positives_right, wrong[0], wrong[1], negatives_right])
        before = np.random.get_state()  # noqa: NPY002
        np.random.seed(0)  # noqa: NPY002
        try:
            _, low, high = estimate_success_rate(
                labels,
                answers,
                _repeated([1, 0], [x, n - x]),
                bootstrap_iterations=_RESAMPLES,
                confidence_level=1 - alpha,
            )
        finally:
            np.random.set_state(before)  # noqa: NPY002
        return float(low), float(high)

    return interval


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
        kappa = inter_rater.cohens_kappa(np.array([[tp, fp], [fn, tn]], dtype=float))
        return float(kappa.kappa_low), float(kappa.kappa_upp)

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
        ratio: Any
        if family == "risk_ratio":
            ratio = contingency.relative_risk(x1, n1, x2, n2)
        else:
            ratio = contingency.odds_ratio([[x1, n1 - x1], [x2, n2 - x2]], kind=name)
        low, high = ratio.confidence_interval(1.0 - alpha)
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
        truth, predicted = (np.repeat(labels, cells) for labels in ([1, 0, 1, 0], [1, 1, 0, 0]))
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
