"""The families by name: everything that can be estimated."""

from __future__ import annotations

import copyreg
import re
from collections.abc import Mapping, MutableMapping
from functools import cache
from typing import Any

from harness.base.arguments import quoted, validate_choice
from harness.base.errors import InputError
from harness.distributions.posteriors.difference import (
    difference_of_proportions,
    difference_of_rates,
    mean_of_proportions,
)
from harness.distributions.posteriors.paired import paired_difference_posterior
from harness.distributions.posteriors.ratio import (
    odds_ratio_of_proportions,
    ratio_of_proportions,
    ratio_of_rates,
)
from harness.families import combination, proportion, rate
from harness.families.confusion import BETA, CONFUSION_FAMILIES, f_score
from harness.families.family import ENUMERATION, POSTERIOR, Family
from harness.families.lists import CLUSTERED_PROPORTION, MEAN, STRATIFIED_DIFFERENCE
from harness.families.paired import OF_DIFFERENCE, OF_RATIO, family_of_pairs
from harness.families.samples import family_of_samples
from harness.families.scores import AUC, AUC_DIFFERENCE
from harness.families.stopped import STOPPING, StoppedFamily, rule_text, stopped_family

PROPORTION = family_of_samples("proportion", "a proportion: x of n", "p", proportion)
RATE = family_of_samples("rate", "a rate: x events in an exposure", "rate", rate)
PAIRED_DIFFERENCE = family_of_pairs(
    "paired_difference",
    "the difference of two proportions on the same cases: a table of pairs",
    "p1 − p2",
    OF_DIFFERENCE,
    (POSTERIOR, ENUMERATION),
    paired_difference_posterior,
)
PAIRED_RATIO = family_of_pairs(
    "paired_ratio",
    "the ratio of two proportions on the same cases: a table of pairs",
    "p1/p2",
    OF_RATIO,
    (ENUMERATION,),
)
PROPORTION_DIFFERENCE = family_of_samples(
    "proportion_difference",
    "the difference of two proportions: x1 of n1 less x2 of n2",
    "p1 − p2",
    proportion,
    combination.weighted_sum(1.0, -1.0),
    difference_of_proportions,
    same_cases=PAIRED_DIFFERENCE,
)
RATE_DIFFERENCE = family_of_samples(
    "rate_difference",
    "the difference of two rates: x1 in exposure1 less x2 in exposure2",
    "rate1 − rate2",
    rate,
    combination.weighted_sum(1.0, -1.0),
    difference_of_rates,
)
BALANCED_ACCURACY = family_of_samples(
    "balanced_accuracy",
    "a balanced accuracy: the mean of x1 of n1 positives and x2 of n2 negatives right",
    "(p1 + p2)/2",
    proportion,
    combination.weighted_sum(0.5, 0.5),
    mean_of_proportions,
)
RISK_RATIO = family_of_samples(
    "risk_ratio",
    "the ratio of two proportions: x1 of n1 over x2 of n2",
    "p1/p2",
    proportion,
    combination.RATIO,
    ratio_of_proportions,
    same_cases=PAIRED_RATIO,
)
ODDS_RATIO = family_of_samples(
    "odds_ratio",
    "the ratio of two odds: p1/(1 − p1) over p2/(1 − p2), from x1 of n1 and x2 of n2",
    "odds ratio",
    proportion,
    combination.ODDS_RATIO,
    odds_ratio_of_proportions,
)
RATE_RATIO = family_of_samples(
    "rate_ratio",
    "the ratio of two rates: x1 in exposure1 over x2 in exposure2",
    "rate1/rate2",
    rate,
    combination.RATIO,
    ratio_of_rates,
)

FAMILIES = {
    family.name: family
    for family in (
        PROPORTION,
        RATE,
        PROPORTION_DIFFERENCE,
        RATE_DIFFERENCE,
        BALANCED_ACCURACY,
        RISK_RATIO,
        ODDS_RATIO,
        RATE_RATIO,
        PAIRED_DIFFERENCE,
        PAIRED_RATIO,
        MEAN,
        CLUSTERED_PROPORTION,
        STRATIFIED_DIFFERENCE,
        *CONFUSION_FAMILIES,
        AUC,
        AUC_DIFFERENCE,
    )
}


def family_of(name: str) -> Family:
    """Return the family with that name, which may have settings in brackets."""
    return FAMILIES[name] if name in FAMILIES else _unlisted(name)


def _pickled(family: Family) -> Any:
    """Return how a family is pickled: by its name where it has one here, else by its content."""
    try:
        known = family_of(family.name)
    except KeyError:
        known = None
    return (family_of, (family.name,)) if known is family else family.__reduce_ex__(2)


copyreg.pickle(Family, _pickled)
copyreg.pickle(StoppedFamily, _pickled)


@cache
def _unlisted(name: str) -> Family:
    """Return the family with settings, or the one of pairs that a table is seen as.

    Raises:
        KeyError: there is none.
    """
    table = name.removesuffix(" as pairs")
    if table != name:
        as_pairs = family_of(table).as_pairs
        if as_pairs is not None:
            return as_pairs.family
    family, _, setting = name.removesuffix(")").partition("(")
    if family == "proportion" and setting.startswith(f"{STOPPING}="):
        return stopped_family(FAMILIES[family], setting.removeprefix(f"{STOPPING}="))
    found = re.fullmatch(r"f_score\(beta=(\S+)\)", name)
    if found is None:
        raise KeyError(name)
    return f_score(float(found[1]))


LARGEST_BETA = 100.0


def with_settings(name: Any, given: MutableMapping[str, Any], alpha: object = None) -> Family:
    """Return the family of that name with the settings among what is given, taken out of it.

    Args:
        name: of a family, perhaps with settings in brackets.
        given: what is known beside it, as the keys of a config.
        alpha: of the intervals; None for the alpha that is given, or 0.05.

    Raises:
        InputError: there is no such family, or a setting is out of range.

    >>> with_settings("f_score", {"beta": 2, "tp": 41}).name
    'f_score(beta=2)'
    """
    if isinstance(name, str) and "(" in name:
        return family_of(name)
    family = family_of(validate_choice("family", name, FAMILIES, ()))
    if given.get(STOPPING) is not None:
        if name != "proportion":
            raise InputError(f"{STOPPING} is for the family proportion, found {name}")
        nominal = given.get("alpha", 0.05) if alpha is None else alpha
        return family_of(f"{name}({STOPPING}={rule_text(given.pop(STOPPING), nominal)})")
    if BETA not in family.settings or BETA not in given:
        return family
    beta = given.pop(BETA)
    is_number = isinstance(beta, int | float) and not isinstance(beta, bool)
    if not is_number or not 1.0 / LARGEST_BETA <= beta <= LARGEST_BETA:
        raise InputError(f"beta should be a number from 0.01 to 100, found {quoted(beta)}")
    return family if beta == 1 else f_score(float(beta))


def family_in(given: Any) -> Family:
    """Return the family of a document, a row or a table of one run, with its settings.

    Args:
        given: a mapping with the family's name and settings, or a data frame with such rows.
    """
    row = given if isinstance(given, Mapping) else given.row(0, named=True)
    return with_settings(row["family"], dict(row))
