"""The methods to use, for each family: by the rule of ``findings.choice``.

They are what that rule takes at alpha 0.05 in the results of the configs in
``configs/recommendation``.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.families.confusion import BETA
from harness.families.family import Family
from harness.families.judged import KNOWN_JUDGE
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


_NEAREST = (
    "no method misses at most 1.1 times alpha on average and 2.5 times alpha at worst; this one "
    "comes nearest"
)

RECOMMENDED = {
    "proportion": Recommended("minimal_length", "feldman_cousins", lower="mid_p", upper="mid_p"),
    "rate": Recommended("sqrt", "feldman_cousins", lower="scas", upper="scas"),
    "proportion_difference": Recommended(
        "agresti_caffo", "agresti_min_exact", lower="scas", upper="scas"
    ),
    "rate_difference": Recommended("minimal_length", lower="mover_score", upper="balanced_tail"),
    "balanced_accuracy": Recommended(
        "mover_clopper_pearson",
        "exact_union",
        lower="mover_clopper_pearson",
        upper="mover_clopper_pearson",
    ),
    "risk_ratio": Recommended("scas", lower="scas", upper="scas"),
    "odds_ratio": Recommended("score", "baptista_pike", lower="scas", upper="scas"),
    "rate_ratio": Recommended(
        "balanced_tail", "exact_conditional", lower="scas", upper="mover_jeffreys"
    ),
    "paired_difference": Recommended("balanced_width", lower="bonett_price", upper="bonett_price"),
    "paired_ratio": Recommended("bonett_price", lower="scas", upper="scas"),
    "mean": Recommended("student_t", "student_t", lower="student_t", upper="student_t"),
    "bounded_mean": Recommended("gaffke", "betting", lower="gaffke", upper="gaffke"),
    "clustered_proportion": Recommended("korn_graubard", reason=_NEAREST),
    "clustered_mean": Recommended("cr2", reason=_NEAREST, lower="cluster_t", upper="cr2"),
    "clustered_difference": Recommended("cr2", lower="cr2", upper="cr2"),
    "stratified_difference": Recommended("scas"),
    "pass_at": Recommended("gaffke", "betting", lower="gaffke", upper="beta_binomial"),
    "pass_hat": Recommended("gaffke", "betting", lower="beta_binomial", upper="gaffke"),
    "precision": Recommended("minimal_length", "blaker", lower="mid_p", upper="agresti_coull"),
    "recall": Recommended("minimal_length", "blaker", lower="mid_p", upper="agresti_coull"),
    "specificity": Recommended(
        "minimal_length", "feldman_cousins", lower="mid_p", upper="agresti_coull"
    ),
    "npv": Recommended("minimal_length", "feldman_cousins", lower="mid_p", upper="agresti_coull"),
    "jaccard": Recommended("wilson_modified", "blaker", lower="agresti_coull", upper="mid_p"),
    "mcc": Recommended(
        "jeffreys_minimal_length", reason=_NEAREST, lower="jeffreys", upper="jeffreys"
    ),
    "kappa": Recommended(
        "jeffreys_minimal_length", reason=_NEAREST, lower="jeffreys", upper="jeffreys"
    ),
    "informedness": Recommended(
        "mover_wilson", reason=_NEAREST, lower="mover_wilson", upper="mover_wilson"
    ),
    "f_score": Recommended("scas", "blaker", lower="agresti_coull", upper="mid_p"),
    "auc": Recommended("newcombe"),
    "auc_difference": Recommended("delong", reason=_NEAREST),
    "labelled_share": Recommended(
        "post_stratified", lower="post_stratified", upper="post_stratified"
    ),
    "judged_share": Recommended(
        "lang_reiczigel_modified",
        lower="lang_reiczigel_modified",
        upper="lang_reiczigel_modified",
    ),
}
"""By the name of the family."""
OF_ANOTHER_BETA = Recommended("delta_logit", reason=_NEAREST)
"""Of F scores whose β is not 1."""
OF_A_KNOWN_JUDGE = Recommended(
    "wilson", reason="the judge's share of yes is a proportion", lower="mid_p", upper="mid_p"
)


def recommended_of(family: Family) -> Recommended | None:
    """The methods of a family to use; None where none were compared."""
    if BETA in family.settings and family.settings[BETA] != 1:
        return OF_ANOTHER_BETA
    if family.design == KNOWN_JUDGE:
        return OF_A_KNOWN_JUDGE
    return RECOMMENDED.get(family.name)


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
    "bounded_mean": ComputedOver(5, 50),
    "clustered_proportion": ComputedOver(5, 100),
    "clustered_mean": ComputedOver(5, 50),
    "clustered_difference": ComputedOver(5, 50),
    "stratified_difference": ComputedOver(4, 90),
    "pass_at": ComputedOver(10, 30),
    "pass_hat": ComputedOver(10, 30),
    "precision": ComputedOver(20, 100),
    "recall": ComputedOver(20, 100),
    "specificity": ComputedOver(20, 100),
    "npv": ComputedOver(20, 100),
    "jaccard": ComputedOver(20, 100),
    "mcc": ComputedOver(20, 50, least_class=1),
    "kappa": ComputedOver(20, 50, least_class=1),
    "informedness": ComputedOver(20, 100, least_class=1),
    "f_score": ComputedOver(20, 100),
    "auc": ComputedOver(10, 100),
    "auc_difference": ComputedOver(10, 90),
    "labelled_share": ComputedOver(20, 1000),
    "judged_share": ComputedOver(8, 30),
}
"""By the name of the family."""
