"""Every interval method for one proportion. This file is the list."""

from __future__ import annotations

from harness.methods.bayes import (
    four_criteria,
    jeffreys,
    jeffreys_equal_tailed,
    jeffreys_minimal_length,
    jeffreys_modified,
)
from harness.methods.bootstrap import bootstrap_percentile
from harness.methods.catalogue import category
from harness.methods.catalogue import references as by
from harness.methods.method import TWO_SIDED_ONLY, Method, by_alpha, by_tail
from harness.methods.proportion.closed_form import (
    add_four,
    agresti_coull,
    arcsine,
    cloglog,
    logit,
    probit,
    rindskopf,
    wald,
    wald_cc,
    wald_t,
)
from harness.methods.proportion.exact import (
    blaker,
    chebyshev,
    clopper_pearson,
    feldman_cousins,
    hoeffding,
    likelihood_ratio,
    mid_p,
    sterne,
)
from harness.methods.proportion.finite_population import (
    LARGEST_POPULATION,
    hypergeometric_exact,
    hypergeometric_wang,
)
from harness.methods.proportion.score import (
    scas,
    scas_cc,
    second_order,
    wilson,
    wilson_cc,
    wilson_modified,
)

METHODS: dict[str, Method] = {
    "wald": category.wald("Wald, clipped to [0, 1]", by.LAPLACE, by_tail(wald)),
    "wald_cc": category.wald(
        "Wald with continuity correction", by.NEWCOMBE_ONE + ", method 2", by_tail(wald_cc)
    ),
    "wald_t": category.wald("Wald with Student's quantile", by.STUDENT, by_tail(wald_t)),
    "add_four": category.wald("Add four", by.AGRESTI_COULL, by_tail(add_four)),
    "agresti_coull": category.wald("Agresti-Coull", by.AGRESTI_COULL, by_tail(agresti_coull)),
    "wilson": category.score("Wilson score", by.WILSON, by_tail(wilson)),
    "wilson_cc": category.score(
        "Wilson score with continuity correction",
        by.NEWCOMBE_ONE + ", method 4",
        by_tail(wilson_cc),
    ),
    "wilson_modified": category.score(
        "Wilson, modified next to the ends",
        by.BROWN_2001,
        by_alpha(wilson_modified),
        TWO_SIDED_ONLY,
    ),
    "second_order": category.score("Second-order corrected", by.CAI, by_tail(second_order)),
    "scas": category.score("Skewness-corrected score", by.LAUD, by_tail(scas)),
    "scas_cc": category.score(
        "Skewness-corrected score, continuity-corrected",
        by.LAUD + ", appendix S2",
        by_tail(scas_cc),
    ),
    "clopper_pearson": category.exact(
        "Clopper-Pearson, exact tails", by.CLOPPER_PEARSON, by_tail(clopper_pearson)
    ),
    "mid_p": category.exact(
        "Mid-P, exact tails with half of x",
        by.LANCASTER,
        by_tail(mid_p),
        promise="none",
    ),
    "blaker": category.exact_test(
        "Blaker, exact, by the smaller tail", by.BLAKER, by_alpha(blaker)
    ),
    "sterne": category.exact_test(
        "Sterne, exact, by minimum likelihood", by.STERNE, by_alpha(sterne)
    ),
    "feldman_cousins": category.exact_test(
        "Feldman-Cousins, exact, by likelihood ratio",
        by.FELDMAN_COUSINS + ", for the order",
        by_alpha(feldman_cousins),
    ),
    "likelihood_ratio": category.likelihood(
        "Likelihood ratio", by.WILKS, by_tail(likelihood_ratio)
    ),
    "arcsine": category.transform("Arcsine, Anscombe", by.ANSCOMBE, by_tail(arcsine)),
    "logit": category.transform("Logit, exact at the ends", by.BROWN_2001, by_tail(logit)),
    "rindskopf": category.transform("Logit with x + ½", by.RINDSKOPF, by_tail(rindskopf)),
    "probit": category.transform("Probit, exact at the ends", by.DORAI_RAJ, by_tail(probit)),
    "cloglog": category.transform(
        "Log of −log p, exact at the ends", by.DORAI_RAJ, by_tail(cloglog)
    ),
    "chebyshev": category.inequality(
        "Chebyshev inequality", by.CHEBYSHEV, by_alpha(chebyshev), TWO_SIDED_ONLY
    ),
    "hoeffding": category.inequality("Hoeffding inequality", by.HOEFFDING, by_tail(hoeffding)),
    "jeffreys": category.bayes(
        "Jeffreys, from 0 at x = 0 and to 1 at x = n", by.BROWN_2001, jeffreys, promise="none"
    ),
    "jeffreys_equal_tailed": category.bayes(
        "Jeffreys, equal tails at every x", by.BROWN_2001, jeffreys_equal_tailed
    ),
    "jeffreys_modified": category.bayes(
        "Jeffreys, modified next to the ends",
        by.BROWN_2001,
        by_tail(jeffreys_modified),
        promise="none",
    ),
    "jeffreys_minimal_length": category.bayes(
        "Jeffreys, minimal length", by.BROWN_2001, jeffreys_minimal_length, TWO_SIDED_ONLY
    ),
    **four_criteria("proportion"),
    "bootstrap_percentile": category.bootstrap(
        "Bootstrap percentiles, 999 resamples",
        by.DAVISON_HINKLEY + ", eq. 5.18",
        bootstrap_percentile,
    ),
    "hypergeometric_exact": category.exact_of_finite_population(
        "Finite population, exact tails", by.BUONACCORSI, by_tail(hypergeometric_exact)
    ),
    "hypergeometric_wang": category.exact_of_finite_population(
        "Finite population, exact, shrunk until admissible",
        by.WANG_2015,
        by_alpha(hypergeometric_wang),
        TWO_SIDED_ONLY,
        largest_population=LARGEST_POPULATION,
    ),
}

_ONE_SIDE = {"holds the estimate": "at a large alpha both limits may lie on one side of x/n"}
_STEEP = {"rises with x": "at a small alpha a limit falls next to 0 and 1, as the deviation grows"}
_NO_WIDTH = {"has width": "of no width at x = 0 and x = n"}
_DRAWN = "each outcome and alpha has resamples of its own"
_INSIDE = {"holds the estimate": "at x = 0 and x = n both limits lie inside the range"}

EXCEPTIONS: dict[str, dict[str, str]] = {
    "wald": _NO_WIDTH,
    "wald_cc": {
        "rises with x": "at a one-sided alpha near 1 the limit at n − 1 passes the one at n"
    },
    "wald_t": _NO_WIDTH,
    "add_four": _ONE_SIDE,
    "second_order": {
        "rises with x": "at a small alpha γ₁V grows faster than the centre",
        "is nested in alpha": "at a small alpha the radicand falls to 0 before the end is reached",
        **_INSIDE,
    },
    "mid_p": _ONE_SIDE,
    "scas": _ONE_SIDE,
    "arcsine": _ONE_SIDE,
    "logit": _STEEP,
    "rindskopf": {**_STEEP, **_INSIDE},
    "probit": _STEEP,
    "cloglog": {**_STEEP, "mirrors": "log(−log p) is not the negative of log(−log(1 − p))"},
    "jeffreys": _ONE_SIDE,
    "jeffreys_equal_tailed": _INSIDE,
    "bootstrap_percentile": {
        "rises with x": _DRAWN,
        "is nested in alpha": _DRAWN,
        "mirrors": "the limits of n − x mirror those of x in distribution, not draw by draw",
        **_NO_WIDTH,
        "holds the estimate": "at a large alpha both limits may lie on one side of x/n",
    },
    "hypergeometric_exact": {
        "has width": "of no width where few M are left, as of a population that is drawn whole",
        "holds the estimate": "where nearly all cases are drawn, x/n may lie between the M/N left",
    },
    "hypergeometric_wang": {
        "has width": "of no width where few M are left, as of a population that is drawn whole",
        "is nested in alpha": "how far one limit moves leaves less or more for the next",
        "holds the estimate": "where nearly all cases are drawn or alpha is large, x/n is outside",
    },
    "jeffreys_minimal_length": {
        "holds the estimate": "at a large alpha it lies about the mode (x − ½)/(n − 1)"
    },
}

ALIASES = {"exact_tail": "clopper_pearson"}
