"""Every interval of another package that can be checked by name. This file is the list."""

from __future__ import annotations

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
    },
    "scipy": {"proportion": ("exact", "wilson", "wilsoncc")},
    "astropy": {
        "proportion": ("wald", "wilson", "jeffreys", "flat"),
        "rate": (
            "root_n",
            "root_n_0",
            "pearson",
            "sherpagehrels",
            "frequentist_confidence",
        ),
    },
}
"""Package, family, and the package's own names with underscores for hyphens."""


def module_of(package: str, family: str) -> str:
    """The module whose functions of these names are the intervals."""
    return f"{__package__}.{package}_{family}"
