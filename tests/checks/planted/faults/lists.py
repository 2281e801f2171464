"""Faults of intervals for lists: repeated runs, clusters and strata."""

from __future__ import annotations

from tests.checks.planted.fault import LEVEL, SoundMethod, table

STUDENT_T = SoundMethod("student_t", "mean", "nominal")
CLUSTERED_T = SoundMethod("clustered_t", "clustered_proportion", "nominal")
STRATIFIED = SoundMethod("stratified_difference", "stratified_difference", "nominal")

STUDENT_T_FAULTS = table(
    STUDENT_T,
    {
        "no root of k": (" / np.sqrt(k)", "", LEVEL),
        "one-sided quantile": ("alpha / 2", "min(alpha, 0.499)", rf"{LEVEL}|factor of two"),
        "the first run left out": (
            "values.mean(axis=-1),",
            "values[..., 1:].mean(axis=-1),",
            r"order",
        ),
        "sd of the first three": ("values.std(", "values[..., :3].std(", rf"order|{LEVEL}"),
    },
)

CLUSTERED_T_FAULTS = table(
    CLUSTERED_T,
    {
        "the mean of the clusters' proportions": (
            "p = x.sum(axis=-1) / total",
            "p = (x / np.maximum(n, 1)).mean(axis=-1)",
            r"holds the estimate|mirrors",
        ),
        "no limits in the range": (
            "np.clip(p - delta, 0, 1), np.clip(p + delta, 0, 1)",
            "p - delta, p + delta",
            r"stays in range",
        ),
    },
)

STRATIFIED_FAULTS = table(
    STRATIFIED,
    {
        "one-sided quantile": ("alpha / 2", "min(alpha, 0.499)", rf"{LEVEL}|factor of two"),
        "weights not squared": ("(share**2 *", "(share *", LEVEL),
        "the first sample's variance alone": (" + p2 * (1 - p2) / n2", "", rf"{LEVEL}|has width"),
    },
)

FAULTS = (*STUDENT_T_FAULTS, *CLUSTERED_T_FAULTS, *STRATIFIED_FAULTS)
