"""Every interval method for the difference of two proportions over strata. This is the list."""

from __future__ import annotations

from functools import partial

from harness.methods.catalogue import category
from harness.methods.catalogue import references as by
from harness.methods.method import Method, by_tail
from harness.methods.stratified import mantel_haenszel, miettinen_nurminen, newcombe, sato, scas

_tails = partial(by_tail, support=(-1.0, 1.0))

METHODS: dict[str, Method] = {
    "miettinen_nurminen": category.score(
        "Miettinen-Nurminen score", by.MIETTINEN_NURMINEN, _tails(miettinen_nurminen)
    ),
    "scas": category.score("Skewness-corrected score", by.LAUD, _tails(scas)),
    "sato": category.wald("Mantel-Haenszel with Sato's variance", by.SATO, _tails(sato)),
    "mantel_haenszel": category.wald(
        "Mantel-Haenszel, Wald", by.GREENLAND_ROBINS, _tails(mantel_haenszel)
    ),
    "newcombe": category.mover("Newcombe, hybrid score", by.YAN_SU, _tails(newcombe)),
}

EXCEPTIONS: dict[str, dict[str, str]] = {
    "scas": {
        "holds the estimate": "at alpha near 1 it lies about an estimate corrected for skewness",
    },
    "sato": {"has width": "of no width where the samples have all or none in every stratum"},
    "mantel_haenszel": {"has width": "of no width where each x is 0 or n in every stratum"},
}

ALIASES: dict[str, str] = {}
