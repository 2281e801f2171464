"""Every interval method for one proportion and for one rate. This file is the list."""

from __future__ import annotations

from harness.families import catalogue as families
from harness.methods.bayes import (
    four_criteria,
    jeffreys,
    jeffreys_equal_tailed,
    jeffreys_equal_tailed_rate,
    jeffreys_minimal_length,
    jeffreys_modified,
    jeffreys_rate,
)
from harness.methods.bootstrap import bootstrap_percentile
from harness.methods.catalogue import category as of
from harness.methods.catalogue import references as by
from harness.methods.method import APPROXIMATE, CONSERVATIVE, NOMINAL, TWO_SIDED_ONLY, Method
from harness.methods.proportion import (
    add_four,
    agresti_coull,
    arcsine,
    blaker,
    chebyshev,
    cloglog,
    clopper_pearson,
    feldman_cousins,
    hoeffding,
    likelihood_ratio,
    logit,
    mid_p,
    probit,
    rindskopf,
    sterne,
    wald,
    wald_cc,
    wald_t,
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
from harness.methods.proportion.stopping import (
    beta_binomial_mixture,
    bonferroni_looks,
    mle_order,
    stagewise,
    stagewise_mid_p,
)
from harness.methods.rate import blaker as rate_blaker
from harness.methods.rate import byar, garwood, score, score_cc, square_root
from harness.methods.rate import feldman_cousins as rate_feldman_cousins
from harness.methods.rate import likelihood_ratio as rate_likelihood_ratio
from harness.methods.rate import mid_p as rate_mid_p
from harness.methods.rate import scas as rate_scas
from harness.methods.rate import sterne as rate_sterne
from harness.methods.rate import wald as rate_wald

_ONE_SIDE = {"holds the estimate": "at a large alpha both limits may lie on one side of x/n"}
_STEEP = {"rises with x": "at a small alpha a limit falls next to 0 and 1, as the deviation grows"}
_NO_WIDTH = {"has width": "of no width at x = 0 and x = n"}
_DRAWN = "each outcome and alpha has resamples of its own"
_INSIDE = {"holds the estimate": "at x = 0 and x = n both limits lie inside the range"}
_RADICAND = "at a small alpha the radicand falls to 0 before the end is reached"
_FEW_LEFT = {
    "has width": "of no width where few M are left, as of a population that is drawn whole"
}
_DRAWN_WHOLE = "where nearly all cases are drawn, x/n may lie between the M/N left"
_DRAWN_OR_LARGE = "where nearly all cases are drawn or alpha is large, x/n is outside"

PROPORTION: dict[str, Method] = {
    "wald": of.wald("Wald, clipped to [0, 1]", by.LAPLACE, wald, exceptions=_NO_WIDTH),
    "wald_cc": of.wald(
        "Wald with continuity correction",
        by.NEWCOMBE_ONE + ", method 2",
        wald_cc,
        exceptions={
            "rises with x": "at a one-sided alpha near 1 the limit at n − 1 passes the one at n"
        },
        steady_from=0.001,
    ),
    "wald_t": of.wald("Wald with Student's quantile", by.STUDENT, wald_t, exceptions=_NO_WIDTH),
    "add_four": of.wald(
        "Add four", by.AGRESTI_COULL, add_four, keeps=APPROXIMATE, exceptions=_ONE_SIDE
    ),
    "agresti_coull": of.wald("Agresti-Coull", by.AGRESTI_COULL, agresti_coull, keeps=NOMINAL),
    "wilson": of.score("Wilson score", by.WILSON, wilson, keeps=NOMINAL),
    "wilson_cc": of.score(
        "Wilson score with continuity correction",
        by.NEWCOMBE_ONE + ", method 4",
        wilson_cc,
        keeps=CONSERVATIVE,
    ),
    "wilson_modified": of.score(
        "Wilson, modified next to the ends", by.BROWN_2001, wilson_modified, keeps=NOMINAL
    ),
    "second_order": of.score(
        "Second-order corrected",
        by.CAI,
        second_order,
        exceptions={
            "rises with x": "at a small alpha γ₁V grows faster than the centre",
            "is nested in alpha": _RADICAND,
            **_INSIDE,
        },
        steady_from=0.05,
    ),
    "scas": of.score(
        "Skewness-corrected score", by.LAUD, scas, keeps=APPROXIMATE, exceptions=_ONE_SIDE
    ),
    "scas_cc": of.score(
        "Skewness-corrected score, continuity-corrected",
        by.LAUD + ", appendix S2",
        scas_cc,
        keeps=CONSERVATIVE,
    ),
    "clopper_pearson": of.exact(
        "Clopper-Pearson, exact tails", by.CLOPPER_PEARSON, clopper_pearson, aliases=("exact_tail",)
    ),
    "mid_p": of.mid_p(
        "Mid-P, exact tails with half of x",
        by.LANCASTER,
        mid_p,
        keeps=APPROXIMATE,
        exceptions=_ONE_SIDE,
    ),
    "blaker": of.exact("Blaker, exact, by the smaller tail", by.BLAKER, blaker),
    "sterne": of.exact("Sterne, exact, by minimum likelihood", by.STERNE, sterne),
    "feldman_cousins": of.exact(
        "Feldman-Cousins, exact, by likelihood ratio",
        by.FELDMAN_COUSINS + ", for the order",
        feldman_cousins,
    ),
    "likelihood_ratio": of.likelihood(
        "Likelihood ratio", by.WILKS, likelihood_ratio, keeps=APPROXIMATE
    ),
    "arcsine": of.transform(
        "Arcsine, Anscombe", by.ANSCOMBE, arcsine, keeps=APPROXIMATE, exceptions=_ONE_SIDE
    ),
    "logit": of.transform(
        "Logit, exact at the ends",
        by.BROWN_2001,
        logit,
        keeps=APPROXIMATE,
        exceptions=_STEEP,
        steady_from=0.01,
    ),
    "rindskopf": of.transform(
        "Logit with x + ½",
        by.RINDSKOPF,
        rindskopf,
        keeps=NOMINAL,
        exceptions={**_STEEP, **_INSIDE},
        steady_from=0.05,
    ),
    "probit": of.transform(
        "Probit, exact at the ends",
        by.DORAI_RAJ,
        probit,
        keeps=APPROXIMATE,
        exceptions=_STEEP,
        steady_from=0.001,
    ),
    "cloglog": of.transform(
        "Log of −log p, exact at the ends",
        by.DORAI_RAJ,
        cloglog,
        keeps=APPROXIMATE,
        exceptions={**_STEEP, "mirrors": "log(−log p) is not the negative of log(−log(1 − p))"},
        steady_from=0.01,
    ),
    "chebyshev": of.inequality("Chebyshev inequality", by.CHEBYSHEV, chebyshev),
    "hoeffding": of.inequality("Hoeffding inequality", by.HOEFFDING, hoeffding),
    "jeffreys": of.bayes(
        "Jeffreys, from 0 at x = 0 and to 1 at x = n",
        by.BROWN_2001,
        jeffreys,
        promise="none",
        keeps=NOMINAL,
        exceptions=_ONE_SIDE,
    ),
    "jeffreys_equal_tailed": of.bayes(
        "Jeffreys, equal tails at every x",
        by.BROWN_2001,
        jeffreys_equal_tailed,
        keeps=NOMINAL,
        exceptions=_INSIDE,
    ),
    "jeffreys_modified": of.bayes(
        "Jeffreys, modified next to the ends",
        by.BROWN_2001,
        jeffreys_modified,
        promise="none",
        keeps=APPROXIMATE,
    ),
    "jeffreys_minimal_length": of.bayes(
        "Jeffreys, minimal length",
        by.BROWN_2001,
        jeffreys_minimal_length,
        exceptions={
            "holds the estimate": "at a large alpha it lies about the mode (x − ½)/(n − 1)"
        },
    ),
    **four_criteria(families.PROPORTION),
    "bootstrap_percentile": of.bootstrap(
        "Bootstrap percentiles, 999 resamples",
        by.DAVISON_HINKLEY + ", eq. 5.18",
        bootstrap_percentile,
        exceptions={
            "rises with x": _DRAWN,
            "is nested in alpha": _DRAWN,
            "mirrors": "the limits of n − x mirror those of x in distribution, not draw by draw",
            **_NO_WIDTH,
            "holds the estimate": "at a large alpha both limits may lie on one side of x/n",
        },
    ),
    "hypergeometric_exact": of.exact_of_finite_population(
        "Finite population, exact tails",
        by.BUONACCORSI,
        hypergeometric_exact,
        exceptions={**_FEW_LEFT, "holds the estimate": _DRAWN_WHOLE},
    ),
    "hypergeometric_wang": of.exact_of_finite_population(
        "Finite population, exact, shrunk until admissible",
        by.WANG_2015,
        hypergeometric_wang,
        largest_population=LARGEST_POPULATION,
        exceptions={
            **_FEW_LEFT,
            "is nested in alpha": "how far one limit moves leaves less or more for the next",
            "holds the estimate": _DRAWN_OR_LARGE,
        },
    ),
    "beta_binomial_mixture": of.anytime(
        "Beta-binomial mixture, whenever trials stop",
        by.ROBBINS,
        beta_binomial_mixture,
        sides=TWO_SIDED_ONLY,
        default_prior=(0.5, 0.5),
    ),
    "stagewise": of.exact_of_stopping(
        "Stage-wise order, exact tails", by.JENNISON_TURNBULL, stagewise
    ),
    "stagewise_mid_p": of.exact_of_stopping(
        "Stage-wise order, mid-P tails", by.JENNISON_TURNBULL, stagewise_mid_p, promise="none"
    ),
    "mle_order": of.exact_of_stopping(
        "Order of the estimates, exact tails", by.ARMITAGE, mle_order
    ),
    "bonferroni_looks": of.exact_of_stopping(
        "Bonferroni over the looks, Clopper-Pearson", by.DUNN, bonferroni_looks
    ),
}


_ONE_SIDE_OF_X = {
    "holds the estimate": "at a large alpha both limits may lie on one side of x/exposure"
}

RATE: dict[str, Method] = {
    "wald": of.wald(
        "Wald, clipped at 0",
        by.ROSS + ", for rates, method 6",
        rate_wald,
        exceptions={"has width": "of no width at x = 0"},
    ),
    "score": of.score("Score", by.BROWN_2003, score, keeps=NOMINAL),
    "score_cc": of.score(
        "Score, continuity corrected", by.BRESLOW_DAY, score_cc, keeps=CONSERVATIVE
    ),
    "sqrt": of.transform("Square root, Anscombe", by.ANSCOMBE, square_root, keeps=APPROXIMATE),
    "byar": of.transform("Byar, x below and x + 1 above", by.BRESLOW_DAY, byar, keeps=CONSERVATIVE),
    "garwood": of.exact("Garwood, exact tails", by.GARWOOD, garwood, aliases=("exact_tail",)),
    "jeffreys": of.bayes(
        "Jeffreys, from 0 at x = 0",
        by.BROWN_2003,
        jeffreys_rate,
        promise="none",
        keeps=NOMINAL,
        exceptions=_ONE_SIDE_OF_X,
    ),
    "jeffreys_equal_tailed": of.bayes(
        "Jeffreys, equal tails at every x",
        by.BROWN_2003,
        jeffreys_equal_tailed_rate,
        keeps=NOMINAL,
        exceptions={"holds the estimate": "at x = 0 the lower limit is above 0"},
    ),
    **four_criteria(families.RATE),
    "mid_p": of.mid_p(
        "Mid-P, exact tails with half of x",
        by.LANCASTER,
        rate_mid_p,
        keeps=NOMINAL,
        exceptions=_ONE_SIDE_OF_X,
    ),
    "blaker": of.exact("Blaker, exact, by the smaller tail", by.BLAKER, rate_blaker),
    "sterne": of.exact("Sterne, exact, by minimum likelihood", by.CROW_GARDNER, rate_sterne),
    "feldman_cousins": of.exact(
        "Feldman-Cousins, exact, by likelihood ratio", by.FELDMAN_COUSINS, rate_feldman_cousins
    ),
    "likelihood_ratio": of.likelihood(
        "Likelihood ratio", by.WILKS, rate_likelihood_ratio, keeps=APPROXIMATE
    ),
    "scas": of.score(
        "Skewness-corrected score", by.LAUD, rate_scas, keeps=NOMINAL, exceptions=_ONE_SIDE_OF_X
    ),
}
