"""Every interval method for data that are lists: runs, clusters, strata and scores."""

from __future__ import annotations

from functools import partial

from harness.families.family import Family
from harness.families.tasks import OF_FAILURES, K
from harness.methods import auc, bounded, clustered_mean, labelled, pass_at
from harness.methods.catalogue import category as of
from harness.methods.catalogue import references as by
from harness.methods.clustered import (
    cluster_bootstrap,
    cluster_logit,
    cluster_t,
    cluster_wald,
    effective_wilson,
    korn_graubard,
    rao_scott,
    saha_scas,
    saha_wilson,
    wilson,
)
from harness.methods.mean import (
    about_the_mean,
    bootstrap_percentile,
    bootstrap_t,
    student_t,
    z_population,
    z_sample,
)
from harness.methods.method import (
    ANSWERED,
    CONSERVATIVE,
    Method,
    StandardErrors,
    TailFormula,
    documented,
)
from harness.methods.stratified import mantel_haenszel, miettinen_nurminen, newcombe, sato, scas

_EQUAL_VALUES = {"has width": "of no width where all values are equal"}


def _about_the_mean(title: str, reference: str, standard_errors: StandardErrors) -> Method:
    """The method whose limits lie so many standard errors from the mean."""
    formula = documented(partial(about_the_mean, standard_errors), standard_errors)
    return of.wald(
        title, reference, formula, standard_errors=standard_errors, exceptions=_EQUAL_VALUES
    )


_bootstrap = partial(of.bootstrap, needs_values=True)
_DRAWN = {
    "is nested in alpha": "each outcome and alpha has resamples of its own",
    "mirrors": "the limits of the negative values mirror in distribution, not draw by draw",
    "holds the estimate": "at a large alpha both limits may lie on one side of the mean",
}

MEAN: dict[str, Method] = {
    "z_population": _about_the_mean(
        "Normal quantile, population standard deviation", by.LAPLACE, z_population
    ),
    "z_sample": _about_the_mean("Normal quantile, sample standard deviation", by.LAPLACE, z_sample),
    "student_t": _about_the_mean("Student's t", by.STUDENT, student_t),
    "bootstrap_percentile": _bootstrap(
        "Bootstrap percentiles, 999 resamples",
        by.DAVISON_HINKLEY + ", eq. 5.18",
        bootstrap_percentile,
        exceptions={**_EQUAL_VALUES, **_DRAWN},
    ),
    "bootstrap_t": _bootstrap(
        "Studentized bootstrap, 999 resamples",
        by.EFRON_TIBSHIRANI + ", section 12.5",
        bootstrap_t,
        exceptions={**_DRAWN, "has width": "of no width where all values are equal and at k = 2"},
    ),
}


def _of_lower(lower: bounded.LowerLimit) -> TailFormula:
    """The formula of both limits by that of the lower one."""
    return documented(partial(bounded.both_limits, lower), lower)


_IN_ORDER = {"keeps order": "each bet is made from the values before it"}


def bounded_mean_methods(family: Family) -> dict[str, Method]:
    """The methods of the mean of values in the range of the family by name."""
    low, high = family.support

    def scaled(formula: TailFormula) -> TailFormula:
        return documented(partial(bounded.in_range, formula, low, high), formula)

    resampled = documented(partial(bounded.bootstrap_t, low, high), bounded.bootstrap_t)
    return {
        "gaffke": Method(
            "Gaffke's bound",
            f"{by.GAFFKE}; {by.LEARNED_MILLER}",
            scaled(_of_lower(bounded.gaffke)),
            category="exact",
            keeps=CONSERVATIVE,
        ),
        "student_t": of.wald(
            "Student's t, cut at the range",
            by.STUDENT,
            scaled(bounded.student_t),
            exceptions=_EQUAL_VALUES,
        ),
        "bootstrap_t": _bootstrap(
            "Studentized bootstrap, 999 resamples, cut at the range",
            by.EFRON_TIBSHIRANI + ", section 12.5",
            resampled,
            exceptions=MEAN["bootstrap_t"].exceptions,
        ),
        "hoeffding": of.inequality(
            "Hoeffding's bound by relative entropy",
            by.HOEFFDING + ", Theorem 1",
            scaled(_of_lower(bounded.hoeffding)),
        ),
        "empirical_bernstein": of.inequality(
            "Empirical Bernstein bound", by.MAURER_PONTIL, scaled(bounded.empirical_bernstein)
        ),
        "betting": of.inequality(
            "Bets on the mean",
            by.WAUDBY_SMITH,
            scaled(_of_lower(bounded.betting)),
            exceptions=_IN_ORDER,
        ),
    }


_MOVES = {"rises with x": "with a success more the clusters may be more alike, or less"}
_NO_VARIANCE = {"has width": "of no width where all clusters have one proportion"}
_DRAWN_OF_CLUSTERED_PROPORTION = "each outcome and alpha has resamples of its own"
_NEARLY_ALIKE = "of no width where all clusters have nearly one proportion between 0 and 1"
_SIGN_CHANGES = "the correction changes its sign at z = 1, and is large at a small ξ"

CLUSTERED_PROPORTION: dict[str, Method] = {
    "wilson": of.score("Wilson score, as if cases were independent", by.WILSON, wilson),
    "saha_wilson": of.score(
        "Wilson score with the correlation in clusters",
        by.SAHA,
        saha_wilson,
        exceptions={**_MOVES, "has width": _NEARLY_ALIKE},
    ),
    "saha_scas": of.score(
        "Skewness-corrected score with the correlation in clusters",
        by.SHORT,
        saha_scas,
        exceptions={
            **_MOVES,
            "is nested in alpha": _SIGN_CHANGES,
            "holds the estimate": "at a small ξ or a large alpha both may lie on one side of X/N",
        },
    ),
    "rao_scott": of.score(
        "Wilson score with the design effect, Student's t",
        by.RAO_SCOTT,
        rao_scott,
        exceptions={
            **_MOVES,
            "has width": "of no width where all clusters have one proportion between 0 and 1",
        },
    ),
    "effective_wilson": of.score(
        "Wilson score of the effective size", by.FRANCO, effective_wilson, exceptions=_MOVES
    ),
    "korn_graubard": Method(
        "Clopper-Pearson of the effective size",
        by.KORN_GRAUBARD,
        korn_graubard,
        category="exact",
        exceptions=_MOVES,
    ),
    "cluster_wald": of.wald(
        "Wald with the clustered standard error",
        by.MILLER_EVALS,
        cluster_wald,
        exceptions={**_MOVES, "has width": f"{_NO_VARIANCE['has width']}, and of one cluster"},
    ),
    "cluster_t": of.wald(
        "Student's t with the clustered standard error",
        by.CAMERON_MILLER,
        cluster_t,
        exceptions={**_MOVES, **_NO_VARIANCE},
    ),
    "cluster_logit": of.transform(
        "Logit with the clustered standard error, Student's t",
        by.KORN_GRAUBARD,
        cluster_logit,
        exceptions=_MOVES,
    ),
    "cluster_bootstrap": of.bootstrap(
        "Bootstrap percentiles of clusters, 999 resamples",
        by.FIELD_WELSH,
        cluster_bootstrap,
        exceptions={
            "rises with x": _DRAWN_OF_CLUSTERED_PROPORTION,
            "is nested in alpha": _DRAWN_OF_CLUSTERED_PROPORTION,
            "mirrors": "the limits of n − x mirror those of x in distribution, not draw by draw",
            "has width": f"{_NO_VARIANCE['has width']}, and of one cluster",
            "holds the estimate": "at a large alpha both limits may lie on one side of X/N",
        },
    ),
}


_ONE_MEAN = {"has width": "of no width where all clusters have one mean"}

CLUSTERED_MEAN: dict[str, Method] = {
    "cluster_z": of.wald(
        "Normal quantile with the clustered standard error",
        by.LIANG_ZEGER,
        clustered_mean.cluster_z,
        exceptions=_ONE_MEAN,
    ),
    "cluster_t": of.wald(
        "Student's t with the clustered standard error",
        by.CAMERON_MILLER,
        clustered_mean.cluster_t,
        exceptions=_ONE_MEAN,
    ),
    "cr2": of.wald(
        "Bias-reduced variance, Satterthwaite's degrees of freedom",
        by.BELL_MCCAFFREY,
        clustered_mean.cr2,
        exceptions=_ONE_MEAN,
    ),
    "wild_bootstrap_t": of.bootstrap(
        "Wild cluster bootstrap-t, inverted",
        by.CAMERON_GELBACH_MILLER,
        clustered_mean.wild_bootstrap_t,
        exceptions={
            **_ONE_MEAN,
            ANSWERED: "of so few clusters, or so few resamples, no p-value is as small",
            "is nested in alpha": "above 12 clusters each outcome and alpha has signs of its own",
            "mirrors": "above 12 clusters the limits mirror in distribution, not draw by draw",
            "keeps order": "signs are drawn by the places of clusters",
        },
    ),
}
"""The methods of a mean, and of a mean difference."""


_ABOUT_CORRECTED = "at alpha near 1 it lies about an estimate corrected for skewness"

STRATIFIED_DIFFERENCE: dict[str, Method] = {
    "miettinen_nurminen": of.score(
        "Miettinen-Nurminen score", by.MIETTINEN_NURMINEN, miettinen_nurminen
    ),
    "scas": of.score(
        "Skewness-corrected score",
        by.LAUD,
        scas,
        exceptions={"holds the estimate": _ABOUT_CORRECTED},
    ),
    "sato": of.wald(
        "Mantel-Haenszel with Sato's variance",
        by.SATO,
        sato,
        exceptions={"has width": "of no width where the samples have all or none in every stratum"},
    ),
    "mantel_haenszel": of.wald(
        "Mantel-Haenszel, Wald",
        by.GREENLAND_ROBINS,
        mantel_haenszel,
        exceptions={"has width": "of no width where each x is 0 or n in every stratum"},
    ),
    "newcombe": of.mover("Newcombe, hybrid score", by.YAN_SU, newcombe),
}


_ONE_VALUE = "of no width where all tasks have one value"


def methods_of_tasks(family: Family) -> dict[str, Method]:
    """The methods of pass@k or pass^k, with the k of the family, by name."""
    fitted = partial(pass_at.beta_binomial, family.settings[K], OF_FAILURES[family.public_name])
    return {
        "gaffke": Method(
            "Gaffke's bound of the tasks' values",
            f"{by.GAFFKE}; {by.LEARNED_MILLER}",
            _of_lower(bounded.gaffke),
            category="exact",
            keeps=CONSERVATIVE,
        ),
        "student_t": of.wald(
            "Student's t over tasks, cut at 0 and 1",
            by.STUDENT,
            bounded.student_t,
            exceptions={"has width": _ONE_VALUE},
        ),
        "bootstrap_t": of.bootstrap(
            "Studentized bootstrap of tasks, 999 resamples, cut at 0 and 1",
            by.EFRON_TIBSHIRANI + ", section 12.5",
            pass_at.bootstrap_t,
            exceptions={**_DRAWN, "has width": f"{_ONE_VALUE}, and of two tasks"},
        ),
        "beta_binomial": of.likelihood(
            "Beta-binomial model, delta method on the logit scale",
            by.GRIFFITHS,
            documented(fitted, pass_at.beta_binomial),
            exceptions={
                "has width": "of no width where all samples are right, or none is",
                "holds the estimate": "it lies about that of the beta-binomial model",
            },
        ),
        "betting": of.inequality(
            "Bets on the mean of the tasks' values",
            by.WAUDBY_SMITH,
            _of_lower(bounded.betting),
            exceptions=_IN_ORDER,
        ),
    }


_AT_THE_ENDS = "of no width where the area is 0 or 1"
_NO_SPREAD = f"{_AT_THE_ENDS}, and where all scores are equal"
_DRAWN_OF_SCORES = {
    "is nested in alpha": "each outcome and alpha has resamples of its own",
    "mirrors": "the limits of negated scores mirror in distribution, not draw by draw",
    "keeps order": "resamples are drawn by the places of cases",
    "holds the estimate": "at a large alpha both limits may lie on one side of the estimate",
}

AUC: dict[str, Method] = {
    "hanley_mcneil": of.wald(
        "Hanley-McNeil, exponential variance",
        by.HANLEY_MCNEIL,
        auc.hanley_mcneil,
        exceptions={
            "has width": _AT_THE_ENDS,
            "mirrors": "its variance tells positives from negatives, of which there may be "
            "different numbers",
        },
    ),
    "delong": of.wald("DeLong", by.DELONG, auc.delong, exceptions={"has width": _NO_SPREAD}),
    "delong_logit": of.wald(
        "DeLong on the logit scale",
        by.QIN_HOTILOVAC,
        auc.delong_logit,
        exceptions={"has width": "of no width where all scores are equal"},
    ),
    "newcombe": of.score("Newcombe, method 5", by.NEWCOMBE_AUC + ", method 5", auc.newcombe),
    "bootstrap_percentile": of.bootstrap(
        "Bootstrap percentiles of cases, 999 resamples",
        by.EFRON_TIBSHIRANI + ", chapter 13",
        auc.bootstrap_percentile,
        exceptions={"has width": _NO_SPREAD, **_DRAWN_OF_SCORES},
    ),
}

_ALIKE = "of no width where both scores order the cases alike, or both areas are 0 or 1"

AUC_DIFFERENCE: dict[str, Method] = {
    "delong": of.wald(
        "DeLong, paired", by.DELONG, auc.delong_difference, exceptions={"has width": _ALIKE}
    ),
    "bootstrap_percentile": of.bootstrap(
        "Bootstrap percentiles of cases, 999 resamples",
        by.EFRON_TIBSHIRANI + ", chapter 13",
        auc.bootstrap_percentile,
        exceptions={"has width": _ALIKE, **_DRAWN_OF_SCORES},
    ),
}


_AGREES = "of no width where the judge agrees with all labels and its other verdicts are alike"
_ABOUT_ANOTHER = "it lies about an estimate of its own"

LABELLED_SHARE: dict[str, Method] = {
    "post_stratified": Method(
        "Posterior of the shares right among yes and no, Jeffreys' priors",
        by.LITTLE,
        labelled.post_stratified,
        category="Bayes",
        exceptions={
            "holds the estimate": "where all labelled cases are right, or all are wrong, and at a "
            "large alpha, both limits may lie on one side of it"
        },
    ),
    "labels_only": of.score(
        "Wilson score of the labelled cases alone",
        by.WILSON,
        labelled.labels_only,
        exceptions={"holds the estimate": _ABOUT_ANOTHER},
    ),
    "ppi": of.wald(
        "Prediction-powered",
        by.ANGELOPOULOS,
        labelled.ppi,
        remark_on_data=labelled.remark_on_disagreements,
        exceptions={"has width": _AGREES, "holds the estimate": _ABOUT_ANOTHER},
    ),
    "ppi_plus": of.wald(
        "Prediction-powered with power tuning, PPI++",
        by.ANGELOPOULOS_DUCHI,
        labelled.ppi_plus,
        remark_on_data=labelled.remark_on_disagreements,
        exceptions={
            "has width": "of no width where all labels are alike",
            "holds the estimate": _ABOUT_ANOTHER,
        },
    ),
}
