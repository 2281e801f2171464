"""The contracts that methods keep whose ``promise`` implies none, as their exact numbers show.

Each is the strongest one that holds at the sizes and alphas of a check; a method that stands in no
list keeps none of them. ``tests/checks/test_declared_contracts.py`` computes the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.methods.method import APPROXIMATE, CONSERVATIVE, NOMINAL, Contract

_KEEPING: Mapping[str, Mapping[Contract, Sequence[str]]] = {
    "proportion": {
        NOMINAL: (
            "agresti_coull",
            "wilson",
            "wilson_modified",
            "rindskopf",
            "jeffreys",
            "jeffreys_equal_tailed",
        ),
        CONSERVATIVE: ("wilson_cc", "scas_cc"),
        APPROXIMATE: (
            "add_four",
            "scas",
            "mid_p",
            "likelihood_ratio",
            "arcsine",
            "logit",
            "probit",
            "cloglog",
            "jeffreys_modified",
        ),
    },
    "rate": {
        NOMINAL: ("score", "jeffreys", "jeffreys_equal_tailed", "mid_p", "scas"),
        CONSERVATIVE: ("score_cc", "byar"),
        APPROXIMATE: ("sqrt", "likelihood_ratio"),
    },
    "proportion_difference": {
        NOMINAL: ("agresti_caffo", "mover_jeffreys", "mee"),
        CONSERVATIVE: ("fagan",),
        APPROXIMATE: ("miettinen_nurminen", "scas", "gart_nam"),
    },
}

CONTRACTS: Mapping[str, Mapping[str, Contract]] = {
    family: {name: contract for contract, names in keeping.items() for name in names}
    for family, keeping in _KEEPING.items()
}
"""The contract of each method that has one here, by family."""
