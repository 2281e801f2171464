"""From which one-sided alpha on limits of one side rise with the first count: ``steady_from``.

Of methods whose limits fall somewhere; a first success widens many of them by more than it moves
them. ``tests/methods/test_steady.py`` finds the numbers.
"""

from __future__ import annotations

_NEVER = 1.0

STEADY_FROM: dict[str, dict[str, float]] = {
    "proportion": {
        "wald_cc": 0.001,
        "second_order": 0.05,
        "logit": 0.01,
        "rindskopf": 0.05,
        "probit": 0.001,
        "cloglog": 0.01,
    },
    "paired_difference": {
        "wald": _NEVER,
        "wald_cc": _NEVER,
        "wald_cc_fagerland": _NEVER,
        "agresti_min": 0.05,
        "bonett_price": 0.025,
        "newcombe": 0.025,
        "newcombe_uncorrected": _NEVER,
        "mover_jeffreys": 0.05,
        "scas": 0.005,
    },
    "paired_ratio": {
        "wald_log": _NEVER,
        "bonett_price": 0.001,
        "mover_wilson": _NEVER,
        "mover_jeffreys": 0.005,
    },
    "proportion_difference": {
        "wald": _NEVER,
        "wald_cc": _NEVER,
        "agresti_caffo": 0.001,
        "newcombe_cc": 0.001,
        "scas": 0.005,
        "gart_nam": 0.01,
        "fagan": 0.001,
    },
    "rate_difference": {"wald": _NEVER},
    "balanced_accuracy": {"wald": _NEVER, "mover_clopper_pearson": 0.001},
    "risk_ratio": {
        "katz": _NEVER,
        "walter": _NEVER,
        "price_bonett": 0.1,
        "koopman": 0.001,
        "miettinen_nurminen": 0.001,
        "scas": 0.005,
        "mover_wilson": 0.001,
    },
    "odds_ratio": {
        "woolf": _NEVER,
        "gart": 0.025,
        "agresti_smoothed": _NEVER,
        "score": 0.001,
        "miettinen_nurminen": 0.001,
        "scas": 0.025,
        "mover_wilson": _NEVER,
    },
    "rate_ratio": {"wald_log": _NEVER, "wald_log_half": 0.05, "score": 0.001, "mover_score": 0.001},
}
"""The alphas by the names of family and method; 1 where limits fall at every alpha."""

_OF_CASES = STEADY_FROM["proportion"]
"""The alphas of a share of some cases of a confusion table, whose methods a proportion has."""
STEADY_FROM |= dict.fromkeys(("precision", "recall", "specificity", "npv"), _OF_CASES)
STEADY_FROM |= dict.fromkeys(("jaccard", "f_score"), _OF_CASES | {"delta_logit": _NEVER})
