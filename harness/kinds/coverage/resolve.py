"""What the values of several keys mean together: the sizes of the scenarios, and the engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from harness.config.values import Size, Trials
from harness.designs.design import AnyTruth
from harness.distributions.sampling.law import Law, on_lattice
from harness.distributions.truths import DiscreteTruth
from harness.families.family import CLOSED_FORM, ENUMERATION, MONTE_CARLO, POSTERIOR, Family


def with_lattice(truth: AnyTruth, law: Law | None) -> AnyTruth:
    """The truth with the double of each M/N, where the law has only those.

    Two values that differ in their rounding are one.
    """
    if law is None or not isinstance(truth, DiscreteTruth):
        return truth
    return DiscreteTruth(tuple(dict.fromkeys(on_lattice(np.array(truth.values), law).tolist())))


def sizes_of(family: Family, sizes: Mapping[str, Sequence[float]], cross: bool) -> tuple[Size, ...]:
    """The sizes of the scenarios, ascending: one size each, or a pair.

    Args:
        family: the family of the config.
        sizes: the sizes of each sample by their keys.
        cross: whether each size of the first sample is combined with each of the second.
    """
    if len(family.sizes) == 1:
        return tuple(sorted(sizes[family.sizes[0]]))
    first, second = (sizes[name] for name in family.sizes)
    return tuple(sorted(pairs(first, second, cross)))


def pairs(first: Sequence[Any], second: Sequence[Any], cross: bool) -> list[tuple[Any, Any]]:
    """Pairs of sizes of equal index; all pairs for ``cross``, or where a list has one size."""
    if cross or 1 in (len(first), len(second)):
        return [(one, other) for one in first for other in second]
    return list(zip(first, second, strict=False))


def engines_of(
    family: Family,
    written: Sequence[str] | None,
    trials: Trials | None,
    truth: AnyTruth | None = None,
    law: Law | None = None,
) -> tuple[str, ...]:
    """The engines that run, in the order of the family; all that can where none is named.

    Args:
        family: the family.
        written: the engines that the config names; None for none.
        trials: None where no trials are made.
        truth: where true values come from; None where it is not valid.
        law: how outcomes arise; None for the family's own law.
    """
    if written is not None:
        return tuple(engine for engine in family.engines if engine in written)
    left_out = {MONTE_CARLO} if trials is None else set()
    if law is not None:
        # A posterior is that of the family's own law, and an integral over truths needs one.
        is_listed = truth is None or truth.is_discrete
        left_out |= {POSTERIOR} if is_listed else {POSTERIOR, ENUMERATION}
    if truth is not None and not family.has_closed_form(truth):
        left_out |= {CLOSED_FORM}
    return tuple(engine for engine in family.engines if engine not in left_out)
