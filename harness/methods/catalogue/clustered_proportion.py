"""Every interval method for a proportion whose cases come in clusters. This file is the list."""

from __future__ import annotations

from harness.methods.catalogue import category
from harness.methods.catalogue import references as by
from harness.methods.clustered import (
    cluster_bootstrap,
    cluster_t,
    cluster_wald,
    rao_scott,
    saha_scas,
    saha_wilson,
    wilson,
)
from harness.methods.method import Method, by_tail

METHODS: dict[str, Method] = {
    "wilson": category.score(
        "Wilson score, as if cases were independent", by.WILSON, by_tail(wilson)
    ),
    "saha_wilson": category.score(
        "Wilson score with the correlation in clusters", by.SAHA, by_tail(saha_wilson)
    ),
    "saha_scas": category.score(
        "Skewness-corrected score with the correlation in clusters", by.SHORT, by_tail(saha_scas)
    ),
    "rao_scott": category.score(
        "Wilson score of the effective size", by.RAO_SCOTT, by_tail(rao_scott)
    ),
    "cluster_wald": category.wald(
        "Wald with the clustered standard error", by.MILLER_EVALS, by_tail(cluster_wald)
    ),
    "cluster_t": category.wald(
        "Student's t with the clustered standard error", by.CAMERON_MILLER, by_tail(cluster_t)
    ),
    "cluster_bootstrap": category.bootstrap(
        "Bootstrap percentiles of clusters, 999 resamples",
        by.FIELD_WELSH,
        cluster_bootstrap,
    ),
}

_MOVES = {"rises with x": "with a success more the clusters may be more alike, or less"}
_NO_VARIANCE = {"has width": "of no width where all clusters have one proportion"}
_DRAWN = "each outcome and alpha has resamples of its own"

EXCEPTIONS: dict[str, dict[str, str]] = {
    "saha_wilson": {
        **_MOVES,
        "has width": "of no width where all clusters have nearly one proportion between 0 and 1",
    },
    "saha_scas": {
        **_MOVES,
        "is nested in alpha": "the correction changes its sign at z = 1, and is large at a small ξ",
        "holds the estimate": "at a small ξ or a large alpha both may lie on one side of X/N",
    },
    "rao_scott": {
        **_MOVES,
        "has width": "of no width where all clusters have one proportion between 0 and 1",
    },
    "cluster_wald": {**_MOVES, "has width": f"{_NO_VARIANCE['has width']}, and of one cluster"},
    "cluster_t": {**_MOVES, **_NO_VARIANCE},
    "cluster_bootstrap": {
        "rises with x": _DRAWN,
        "is nested in alpha": _DRAWN,
        "mirrors": "the limits of n − x mirror those of x in distribution, not draw by draw",
        "has width": f"{_NO_VARIANCE['has width']}, and of one cluster",
        "holds the estimate": "at a large alpha both limits may lie on one side of X/N",
    },
}

ALIASES: dict[str, str] = {}
