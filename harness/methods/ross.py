"""Methods 1 to 4 of Ross (2003): the four criteria over the posterior of any family."""

from __future__ import annotations

from functools import partial

from harness import criteria
from harness.families.catalogue import family_of
from harness.methods.bayes import over_beta, over_posterior
from harness.methods.method import ONE_SIDED, TWO_SIDED_ONLY, Method

_PAPER = "Ross (2003), Comput. Biol. Med. 33, 509–531, "
_MODE = "at a large alpha it lies about the mode, which is not the difference or mean of two modes"
_WIDENS = "at a small alpha another event may widen it on both sides by more than it moves it"


def four_criteria(family: str) -> dict[str, Method]:
    """One-sided, minimal length, balanced width and balanced tails, with a flat prior by default.

    The paper leaves the minimal length of differences to future work.
    """
    over = over_beta if family == "proportion" else partial(over_posterior, family)
    flat = family_of(family).model.FLAT_PRIOR
    shortest = "method 2" if family_of(family).samples == 1 else "section 7"
    bayes = partial(Method, kin="Bayes", promise="mean", default_prior=flat)
    two = family_of(family).samples == 2
    return {
        "one_sided": bayes(
            "Bayesian one-sided limit", _PAPER + "method 1", over(criteria.one_sided), ONE_SIDED
        ),
        "minimal_length": bayes(
            "Bayesian minimal length",
            _PAPER + shortest,
            over(criteria.minimal_length),
            TWO_SIDED_ONLY,
            exceptions={"holds the estimate": _MODE} if two else {},
        ),
        "balanced_width": bayes(
            "Bayesian balanced width",
            _PAPER + "method 3",
            over(criteria.balanced_width),
            TWO_SIDED_ONLY,
            exceptions={"is monotone": _WIDENS} if two else {},
        ),
        "balanced_tail": bayes(
            "Bayesian balanced tails",
            _PAPER + "method 4",
            over(criteria.balanced_tail),
            exceptions={
                "holds the estimate": "next to an end of the range both limits may lie on one side"
            },
        ),
    }
