"""Every interval method by family. This file is the list."""

from __future__ import annotations

from dataclasses import replace

from harness import criteria
from harness.errors import InputError
from harness.methods.bayes import jeffreys, of_proportion
from harness.methods.exact import clopper_pearson
from harness.methods.method import ALL_SIDES, LOWER, TWO_SIDED, UPPER, Method, by_tail
from harness.methods.score import wilson
from harness.methods.wald import wald

_FLAT = (1.0, 1.0)
_ROSS = "Ross (2003), Comput. Biol. Med. 33, 509–531, method "


def _named(methods: dict[str, Method]) -> dict[str, Method]:
    return {name: replace(method, name=name) for name, method in methods.items()}


PROPORTION = _named(
    {
        "wald": Method(
            "Wald, clipped to [0, 1]",
            "Laplace (1812), Théorie analytique des probabilités",
            by_tail(wald),
            ALL_SIDES,
            exceptions={"has width": "of no width at x = 0 and x = n"},
        ),
        "wilson": Method(
            "Wilson score",
            "Wilson (1927), J. Am. Stat. Assoc. 22, 209–212",
            by_tail(wilson),
            ALL_SIDES,
        ),
        "clopper_pearson": Method(
            "Clopper-Pearson, exact tails",
            "Clopper and Pearson (1934), Biometrika 26, 404–413",
            by_tail(clopper_pearson),
            ALL_SIDES,
        ),
        "jeffreys": Method(
            "Jeffreys, balanced tails",
            "Brown, Cai and DasGupta (2001), Stat. Sci. 16, 101–133",
            jeffreys,
            ALL_SIDES,
            exceptions={
                "holds the estimate": "at x = 0 and x = n both limits lie inside the range"
            },
        ),
        "one_sided": Method(
            "Bayesian one-sided limit",
            _ROSS + "1",
            of_proportion(criteria.one_sided),
            (LOWER, UPPER),
            _FLAT,
        ),
        "minimal_length": Method(
            "Bayesian minimal length",
            _ROSS + "2",
            of_proportion(criteria.minimal_length),
            (TWO_SIDED,),
            _FLAT,
        ),
        "balanced_width": Method(
            "Bayesian balanced width",
            _ROSS + "3",
            of_proportion(criteria.balanced_width),
            (TWO_SIDED,),
            _FLAT,
        ),
        "balanced_tail": Method(
            "Bayesian balanced tails",
            _ROSS + "4",
            of_proportion(criteria.balanced_tail),
            ALL_SIDES,
            _FLAT,
            exceptions={
                "holds the estimate": "next to an end of the range both limits may lie on one side"
            },
        ),
    }
)

CATALOGUE = {"proportion": PROPORTION}

ALIASES = {"proportion": {"exact_tail": "clopper_pearson"}}


def find(family: str, name: str) -> Method:
    """The method of that name or alias.

    Raises:
        InputError: there is no such method in the family.
    """
    methods = CATALOGUE[family]
    known = ALIASES[family].get(name, name)
    if known not in methods:
        raise InputError(f"method should be one of {', '.join(methods)}, found {name!r}")
    return methods[known]
