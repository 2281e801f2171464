"""Every interval of another package that can be checked by name. This file is the list."""

from __future__ import annotations

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

CONTRACTS: dict[str, dict[str, dict[str, Contract]]] = {
    "statsmodels": {
        "proportion": {"beta": AT_LEAST, "binom_test": AT_LEAST},
        "rate": {"exact_c": AT_LEAST, "sqrt_a": APPROXIMATE, "sqrt_centcc": CONSERVATIVE},
    },
    "scipy": {"proportion": {"exact": AT_LEAST, "wilsoncc": CONSERVATIVE}},
    "astropy": {"rate": {"frequentist_confidence": AT_LEAST}},
}
"""The contracts that intervals are held to by what their packages say of them; others to nominal.
"""


def module_of(package: str, family: str) -> str:
    """The module whose functions of these names are the intervals."""
    return f"{__package__}.{package}_{family}"


def contract_of(package: str, family: str, name: str) -> Contract | None:
    """The contract of an interval, by its name with underscores; None for the usual one."""
    return CONTRACTS.get(package, {}).get(family, {}).get(name)
