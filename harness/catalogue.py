"""Names to objects, once, where names are given: families with their settings, and designs.

Designs come with the exact engines, and stopping rules with theirs. Both are loaded when they are
first asked for, since one interval needs neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.base.arguments import quoted, validate_choice, validate_whole
from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Positions
from harness.base.text import enumerated
from harness.distributions.sampling.law import NUMPY, Law
from harness.families.catalogue import FAMILIES
from harness.families.confusion import BETA, f_score
from harness.families.data import numbers
from harness.families.family import STOPPING, Family
from harness.families.judged import (
    JUDGED_SHARE,
    SENSITIVITY,
    SHARE,
    SPECIFICITY,
    known_judge,
)
from harness.families.lists import MEAN, RANGE, bounded_mean
from harness.families.tasks import LARGEST_K, K, of_tasks
from harness.methods.catalogue import add_methods
from harness.methods.method import Method

if TYPE_CHECKING:
    from harness.designs.design import Design, Scenario

LARGEST_BETA = 100.0
_RATES = {SENSITIVITY, SPECIFICITY}


def with_settings(name: Any, given: MutableMapping[str, Any], alpha: object = None) -> Family:
    """Return the family of that name with the settings among what is given, taken out of it.

    Args:
        name: of a family.
        given: what is known beside it, as the keys of a config.
        alpha: of the intervals; None for the alpha that is given, or 0.05.

    Raises:
        InputError: there is no such family, or a setting is out of range.

    >>> with_settings("f_score", {"beta": 2, "tp": 41}).name
    'f_score(beta=2)'
    """
    family = FAMILIES[validate_choice("family", name, FAMILIES, ())]
    if given.get(STOPPING) is not None:
        from harness.designs.stopping.family import stopped_proportion
        from harness.designs.stopping.open_rule import open_rule

        if not family.may_stop:
            raise InputError(f"{STOPPING} is for the family proportion, found {name}")
        nominal = given.get("alpha", 0.05) if alpha is None else alpha
        return stopped_proportion(open_rule(given.pop(STOPPING), nominal))
    if family is JUDGED_SHARE and _has_known_rates(given):
        return with_rates(family, {rate: given.pop(rate, None) for rate in _RATES})
    if RANGE in given:
        return _in_range(family, given.pop(RANGE))
    if K in family.settings and K in given:
        k = given.pop(K)
        validate_whole(K, k, 1)
        if k > LARGEST_K:
            raise InputError(f"{K} should be a whole number from 1 to {LARGEST_K:,}, found {k}")
        return of_tasks(family.public_name, int(k))
    if BETA not in family.settings or BETA not in given:
        return family
    beta = given.pop(BETA)
    is_number = isinstance(beta, int | float) and not isinstance(beta, bool)
    if not is_number or not 1.0 / LARGEST_BETA <= beta <= LARGEST_BETA:
        raise InputError(f"beta should be a number from 0.01 to 100, found {quoted(beta)}")
    return f_score(float(beta))


def _has_known_rates(given: Mapping[str, Any]) -> bool:
    """Whether rates are known: without labels, and beside a size where a true share is given.

    Without a size they are the true rates of a question how many labels suffice.
    """
    if not _RATES & set(given) or set(JUDGED_SHARE.sizes[1:]) & set(given):
        return False
    return SHARE not in given or JUDGED_SHARE.sizes[0] in given


def with_rates(family: Family, rates: Mapping[str, Any]) -> Family:
    """Return the family of a share by a judge with known error rates.

    Args:
        family: without settings.
        rates: the sensitivity and the specificity by name; the family itself where both are None.

    Raises:
        InputError: it is another family, one of both is None, or they are no such rates.
    """
    given = {name: rate for name, rate in rates.items() if rate is not None}
    if not given:
        return family
    if family is not JUDGED_SHARE:
        raise InputError(f"{enumerated(given)} of a check is for judged_share, found {family.name}")
    if len(given) < len(_RATES):
        raise InputError(f"{JUDGED_SHARE.name} needs both {SENSITIVITY} and {SPECIFICITY}")
    return known_judge(**given)


def _in_range(family: Family, ends: Any) -> Family:
    """The family of the mean of values between these ends."""
    if family.name not in (MEAN.name, bounded_mean().name):
        raise InputError(f"{RANGE} is for the families mean and bounded_mean, found {family.name}")
    span = numbers(RANGE, ends, "two numbers")
    if span.shape != (2,) or not np.isfinite(span).all() or span[0] >= span[1]:
        raise InputError(
            f"{RANGE} should be two numbers, the smaller one first, found {quoted(ends)}"
        )
    return bounded_mean(*span.tolist())


def family_in(given: Any) -> Family:
    """Return the family of a document, a row or a table of one run, with its settings.

    Args:
        given: a mapping with the family's name and settings, or a data frame with such rows.
    """
    row = given if isinstance(given, Mapping) else given.row(0, named=True)
    return with_settings(row["family"], dict(row))


def design_for(family: Family) -> Design:
    """Return the design of a family."""
    from harness.designs.catalogue import DESIGNS

    return DESIGNS[family.design]


def scenario_for(
    family: Family,
    size: Any,
    truth: Any,
    *,
    draws: str = NUMPY,
    law: Law | None = None,
    with_both: bool = True,
) -> Scenario:
    """Return a scenario of a family with the family's design; the arguments are those of both."""
    from harness.designs.design import Scenario

    law = family.law if law is None else law
    return Scenario(design_for(family), family, size, truth, draws, law, with_both)


def listed_scenarios(
    family: Family,
    sizes: Sequence[float],
    truths: Sequence[Floats],
    law: Law | None = None,
    with_both: bool = True,
) -> Iterator[tuple[Scenario, Positions, Positions]]:
    """Yield scenarios of one size that list given truths.

    Args:
        family: what is estimated.
        sizes: the size of each sample.
        truths: the true values of each sample or cell, one array of shape (t,) for each.
        law: of one sample: how its count arises; None for the family's own law.
        with_both: as of ``Scenario``.

    Yields:
        A scenario, the positions of the truths in the arrays that it lists, and the position of
        each of them among the scenario's ``listed_truths``.
    """
    design = design_for(family)
    for truth, positions, index in design.listed_truth.listing(truths):
        size = design.size_of(sizes)
        yield scenario_for(family, size, truth, law=law, with_both=with_both), positions, index


def register(design: Design, families: Mapping[Family, Mapping[str, Method]]) -> None:
    """Add a design to those that there are, with its families and their methods.

    The families can then be used as those of the package: by ``run``, ``interval``, ``coverage``,
    ``check`` and the report, in this process and in those of its workers.

    Args:
        design: how the data arise. ``designs.engines.solver.Solver`` serves as ``exact`` where its
            ``outcomes`` have ``probabilities``.
        families: what is estimated, with ``design.name`` as design, and the methods of each by
            their names; the first one is the default.
    """
    from harness.designs.catalogue import DESIGNS

    DESIGNS[design.name] = design
    for family, methods in families.items():
        FAMILIES[family.name] = family
        add_methods(family, methods)
