"""The methods to use, for each family: by the rule of ``findings.choice``.

They are what that rule takes at alpha 0.05 in the results of the configs in
``configs/recommendation``.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.methods.method import LOWER, TWO_SIDED, UPPER


@dataclass(frozen=True)
class Recommended:
    """The methods of a family to use."""

    use: str
    """The shortest of those that miss at most 1.1 times alpha on average under each of several
    truths, and at most 2.5 times alpha at worst; the default."""
    never_above: str | None = None
    """The shortest of those of which it is proven that they never miss more often than alpha; None
    where there is none."""
    reason: str = ""
    """Why ``use`` is the default where no method qualifies."""
    lower: str = ""
    """The default of a lower limit, by the same rule; empty where none was compared."""
    upper: str = ""
    """The same of an upper limit."""

    def of_side(self, side: str) -> str:
        """The default of a side; empty where none was compared."""
        return {TWO_SIDED: self.use, LOWER: self.lower, UPPER: self.upper}[side]


RECOMMENDED = {
    "proportion": Recommended("minimal_length", "blaker"),
    "rate": Recommended("jeffreys", "feldman_cousins"),
    "proportion_difference": Recommended("gart_nam", "agresti_min_exact"),
    "rate_difference": Recommended("score"),
    "balanced_accuracy": Recommended("balanced_width", "exact_union"),
    "risk_ratio": Recommended("mover_wilson"),
    "odds_ratio": Recommended("mover_wilson", "baptista_pike"),
    "rate_ratio": Recommended("mover_jeffreys", "exact_conditional"),
    "paired_difference": Recommended("balanced_width"),
    "paired_ratio": Recommended(
        "bonett_price",
        None,
        "no method is within a tenth of alpha on average at 20 pairs; the worst case of this one "
        "is the best",
        lower="scas",
        upper="scas",
    ),
    "mean": Recommended("student_t", "student_t"),
    "clustered_proportion": Recommended(
        "korn_graubard",
        None,
        "no method is within a tenth of alpha on average at 10 clusters or fewer, nor at most "
        "alpha in every case; the worst case of this one is the best",
    ),
    "stratified_difference": Recommended("miettinen_nurminen"),
    "precision": Recommended("minimal_length", "sterne"),
    "recall": Recommended("minimal_length", "sterne"),
    "specificity": Recommended("minimal_length", "sterne"),
    "npv": Recommended("minimal_length", "sterne"),
    "jaccard": Recommended("wilson", "sterne"),
    "mcc": Recommended("jeffreys"),
    "kappa": Recommended("jeffreys"),
    "informedness": Recommended("mover_wilson"),
    "f_score": Recommended("wilson", "blaker"),
    "auc": Recommended(
        "newcombe",
        None,
        "no method is within a tenth of alpha on average at every size; the worst case of this one "
        "is the best",
    ),
    "auc_difference": Recommended("delong"),
}
"""By the name of the family."""


@dataclass(frozen=True)
class ComputedOver:
    """What the results are of which ``RECOMMENDED`` is taken: a config in its own words."""

    least: float
    """The smallest size of a sample: cases, exposure, runs, clusters, or cases of a stratum."""
    most: float
    """The largest one."""
    least_class: float | None = None
    """The fewest cases that are expected in a class, where the config lists prevalences."""


COMPUTED_OVER = {
    "proportion": ComputedOver(10, 500),
    "rate": ComputedOver(1, 100),
    "proportion_difference": ComputedOver(10, 40),
    "rate_difference": ComputedOver(1, 5),
    "balanced_accuracy": ComputedOver(10, 40),
    "risk_ratio": ComputedOver(10, 40),
    "odds_ratio": ComputedOver(10, 40),
    "rate_ratio": ComputedOver(1, 5),
    "paired_difference": ComputedOver(10, 40),
    "paired_ratio": ComputedOver(20, 100),
    "mean": ComputedOver(2, 20),
    "clustered_proportion": ComputedOver(5, 100),
    "stratified_difference": ComputedOver(4, 90),
    "precision": ComputedOver(20, 100),
    "recall": ComputedOver(20, 100),
    "specificity": ComputedOver(20, 100),
    "npv": ComputedOver(20, 100),
    "jaccard": ComputedOver(20, 100),
    "mcc": ComputedOver(20, 100, least_class=1),
    "kappa": ComputedOver(20, 100, least_class=1),
    "informedness": ComputedOver(50, 200, least_class=2.5),
    "f_score": ComputedOver(20, 100),
    "auc": ComputedOver(10, 100),
    "auc_difference": ComputedOver(20, 200),
}
"""By the name of the family."""
