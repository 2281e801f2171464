"""How far out limits lie together, how that changes, and the findings about all tails.

The level is the mean r over the outcomes inside, which hardly depends on n and on alpha, although
the r of single limits of exact tests does: for the methods of the catalogue, at n = 20 … 200 and
alpha = 0.001 … 0.2, the level of one limit at n + 1 differs by at most 0.04 from that at n, and the
level at one alpha by at most 0.03 from the line through those of its neighbours in log alpha. A
level that jumps is that of a quantile that is wrong for some n or for some alpha.

The r of single limits changes slowly from one outcome to the next. Its second difference, times
z/1.96, is at most 0.03 for most methods of the catalogue; for those that are inverted from tests of
both tails at once it is at most 0.22 (Blaker), 0.21 (Sterne) and 0.39 (Feldman-Cousins), at
n = 20 … 200 and alpha = 0.001 … 0.3173. Limits next to the ends of the range do not count, as r
grows without bound there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from scipy.special import ndtr, ndtri

from harness.base.numerics.arrays import Bools, Floats
from harness.checks.conformance.properties import Evaluation, Index
from harness.checks.findings import (
    FAIL,
    PASS,
    REMARK,
    TAILS,
    Finding,
    FindingPlaces,
    Verdict,
    format_cell,
)
from harness.checks.tails.rules import (
    FEWEST,
    Described,
    Fault,
    exceeds_alpha,
    fault_at_least,
    fault_of_end,
    fault_of_r,
    fault_of_swapped,
    fault_of_unlike,
    first_fault,
    is_far_off,
    is_off,
    is_swapped,
    is_unlike_exact,
    is_unlike_mid_p,
    limits_of,
    stays_at_the_end,
)
from harness.checks.tails.tails import (
    LimitName,
    LimitTails,
    tails_of_one_sample,
    tails_of_several_counts,
    upper_quantile,
)
from harness.methods.method import AT_LEAST, NONE, TWO_SIDED, Contract

JUMP_IN_N, JUMP_IN_ALPHA = 0.06, 0.06
"""What a level may differ by from its neighbours'."""
SMALLEST_N, SMALLEST_N_IN_ALPHA = 20, 40
"""The sizes from which on levels are compared."""
FEWEST_OUTCOMES, FEWEST_IN_ALPHA = 10, 20
"""The fewest outcomes that a level is a mean of."""
SMALLEST_ALPHA, LARGEST_ALPHA = 0.0009, 0.201
"""The alphas at which levels of neighbouring n are compared, and changes in alpha are failures."""
MOST_APART, SMALLEST_Z = 0.8, 0.8
"""How much smaller the quantile of the next alpha may be, and how small it may be itself."""
BOUNDS = 0.5, 1.5
"""Every r counts as one within these, so that limits next to the ends of the range, whose r grows
without bound, hardly count."""

FACTOR_TOLERANCE = 0.01
FACTORS = {2.0: ("alpha", "2·alpha"), 0.5: ("alpha/4", "alpha/2")}
"""Factors by which a tail may be off, with what is used for alpha/2 and for one-sided alpha."""
FEWEST_ALPHAS = 3
"""The number of alphas at which the factor must show."""


def level(tails: LimitTails, name: LimitName) -> Floats:
    """The mean r at each alpha over outcomes inside, weighted by √(m − 4), shape (a,).

    Not a number where there are fewer than ten outcomes inside.
    """
    inside = tails.least >= FEWEST
    if inside.sum() < FEWEST_OUTCOMES:
        return np.full(len(tails.alphas), np.nan)
    r = np.nan_to_num(tails.r[name][:, inside], nan=BOUNDS[1])
    weights = np.sqrt(tails.least[inside] - (FEWEST - 1.0))
    return np.asarray(np.average(np.clip(r, *BOUNDS), axis=1, weights=weights))


def jumps_in_size(records: Sequence[LimitTails], verdict: Verdict) -> Iterator[Fault]:
    """Where the level at n + 1 is not that at n, for sizes with all outcomes."""
    pairs: list[tuple[LimitTails, LimitTails]] = []
    for side in dict.fromkeys(tails.side for tails in records):
        of_side = {
            int(tails.outcomes.sizes[0]): tails
            for tails in records
            if tails.side == side and _is_complete(tails)
        }
        ascending = (n for n in sorted(of_side) if n >= SMALLEST_N and n + 1 in of_side)
        pairs += [(of_side[n], of_side[n + 1]) for n in ascending]
    for one, other in pairs:
        n = int(other.outcomes.sizes[0])
        for name in one.names:
            before = dict(zip(one.alphas, level(one, name), strict=True))
            after = dict(zip(other.alphas, level(other, name), strict=True))
            for alpha in sorted(one.alphas, key=lambda alpha: abs(np.log(alpha / 0.05))):
                if alpha not in after or not SMALLEST_ALPHA < alpha < LARGEST_ALPHA:
                    continue
                if abs(after[alpha] - before[alpha]) > JUMP_IN_N:
                    cell = {"n": n, "alpha": alpha}
                    message = (
                        f"the {name} limits change at {format_cell(cell)}: their mean r over x is "
                        f"{after[alpha]:.3g}, and {before[alpha]:.3g} at n = {n - 1}"
                    )
                    numbers = {"found": after[alpha], "expected": before[alpha]}
                    yield Fault(verdict, message, {**cell, **numbers})


def _is_complete(tails: LimitTails) -> bool:
    """Whether the outcomes are those of one count of successes, and all of them."""
    return tails.least.shape == (tails.outcomes.sizes[0] + 1,)


def jumps_in_alpha(records: Sequence[LimitTails], verdict: Verdict) -> Iterator[Fault]:
    """Where the level at one alpha is not between those at its neighbours."""
    for tails, name in limits_of(records):
        size = tails.outcomes.sizes[0]
        if size < SMALLEST_N_IN_ALPHA and _is_complete(tails):
            continue
        if (tails.least >= FEWEST).sum() < FEWEST_IN_ALPHA:
            continue
        levels, logs, z = level(tails, name), np.log(tails.alphas), tails.z.ravel()
        by_distance: dict[float, Fault] = {}
        for place, alpha in enumerate(tails.alphas):
            if not 0 < place < len(logs) - 1 or not SMALLEST_ALPHA < alpha < LARGEST_ALPHA:
                continue
            around = [place - 1, place + 1]
            if z[place] - z[place + 1] > MOST_APART or z[place + 1] < SMALLEST_Z:
                continue
            between = float(np.interp(logs[place], logs[around], levels[around]))
            here = float(levels[place])
            if abs(here - between) > JUMP_IN_ALPHA:
                # The alpha whose limits have this level.
                tail = float(ndtr(-here * z[place]))
                used = tail * (2.0 if tails.is_two_sided else 1.0)
                where = f"{tails.outcomes.size_text}, alpha = {alpha:g}"
                message = (
                    f"the {name} limits at {where} are about those of alpha = {used:.3g}: their "
                    f"mean r over the outcomes is {here:.3g}, and {between:.3g} between those "
                    f"at alpha = {tails.alphas[place - 1]:g} and {tails.alphas[place + 1]:g}"
                )
                cell = {**tails.outcomes.size_cell, "alpha": alpha}
                fault = Fault(verdict, message, {**cell, "found": here, "expected": between})
                by_distance[abs(here - between)] = fault
        # The levels at the alphas beside it are then off the line as well.
        if by_distance:
            yield by_distance[max(by_distance)]


def lost_factors(records: Sequence[LimitTails], verdict: Verdict) -> Iterator[Fault]:
    """Where the median tail is off by a factor of two, for both limits and at several alphas."""
    for tails in records:
        inside = tails.least >= 2.0 * FEWEST
        if inside.sum() < FEWEST_OUTCOMES or _judged(tails).sum() < FEWEST_ALPHAS:
            continue
        for factor, (used_for_half, used_for_all) in FACTORS.items():
            agree = _has_factor(tails, inside, factor)
            if agree.sum() < FEWEST_ALPHAS:
                continue
            right, used = ("alpha", used_for_all)
            if tails.is_two_sided:
                right, used = ("alpha/2", used_for_half)
            distances = np.where(agree, np.abs(np.log(np.array(tails.alphas) / 0.05)), np.inf)
            place = int(distances.argmin())
            alpha, expected = tails.alphas[place], tails.expected[place]
            message = (
                f"{used} is used where {right} belongs: the median tail of the "
                f"{' and '.join(tails.names)} limits at {tails.outcomes.size_text}, "
                f"alpha = {alpha:g} is {factor * expected:.3g}, {expected:.3g} expected"
            )
            cell = {**tails.outcomes.size_cell, "alpha": alpha, "factor": factor}
            yield Fault(verdict, message, cell)
            return


def _judged(tails: LimitTails) -> Bools:
    """The alphas at which the median r is that of a factor, shape (a,)."""
    return (np.array(tails.alphas) > 0.00999) & (np.array(tails.alphas) < LARGEST_ALPHA)


def _has_factor(tails: LimitTails, inside: Bools, factor: float) -> Bools:
    """At which alphas the median r of each limit is that of a tail off by the factor, shape (a,).

    The tail is that with half of the outcome's own probability, or that with all of it.
    """
    expected = tails.expected
    judged = _judged(tails)
    wanted = upper_quantile(factor * expected) / upper_quantile(expected)
    agree = np.zeros(judged.size, np.bool_)
    whole = {name: upper_quantile(tails.tail[name]) / tails.z for name in tails.names}
    for values in ({name: tails.r[name] for name in tails.names}, whole):
        near = judged.copy()
        for name in tails.names:
            r = np.nan_to_num(values[name][:, inside], nan=BOUNDS[1])
            near &= np.abs(np.median(r, axis=1) / wanted - 1.0) < FACTOR_TOLERANCE
        agree |= near
    return agree


def repeated(records: Sequence[LimitTails], verdict: Verdict) -> Iterator[Fault]:
    """Where all limits inside are the same at two alphas."""
    for tails, name in limits_of(records):
        inside = tails.least >= FEWEST
        if inside.sum() < FEWEST_OUTCOMES:
            continue
        limits = tails.limit(name)[:, inside]
        has_tail = tails.has_tail(name)[:, inside]
        for place, (one, other) in enumerate(pairwise(tails.alphas)):
            used = has_tail[place] & has_tail[place + 1]
            if other < 1.5 * one or not used.any():
                continue
            same = np.abs(limits[place] - limits[place + 1]) <= 1e-12 * np.abs(limits[place])
            if same[used].all():
                message = (
                    f"the {name} limits at {tails.outcomes.size_text} are the same at alpha = "
                    f"{one:g} as at alpha = {other:g}"
                )
                yield Fault(verdict, message, {**tails.outcomes.size_cell, "alpha": one})


FAILURE, REMARK_ABOVE = 0.5, 0.05
"""Second differences of r·z/1.96 beyond which there is a failure, and a remark."""
JUDGED_ALPHAS = 0.005, 0.32
"""The alphas at which it is compared: at smaller ones limits are often next to the ends."""
SMALLEST_N_BESIDE, FEWEST_BESIDE = 20.0, 3.0
"""The sizes, and the counts of successes or failures, from which on r is compared."""
USUAL = 0.6, 1.3
"""The r that both neighbours have where a limit is compared with them."""
_USUAL_Z = float(-ndtri(0.025))


def second_differences(tails: LimitTails, name: LimitName) -> Floats:
    """The absolute second difference of r·z/1.96 along each count, the largest of them.

    Not a number where an outcome has no neighbours in the grid, or no usual ones; shape of the
    limits.
    """
    r, largest = tails.r[name], np.full(tails.lower.shape, np.nan)
    outcomes = tails.outcomes
    if len(outcomes.shape) != len(outcomes.counts):
        return largest
    alphas = tails.by_alpha(tails.alphas)
    judged = (alphas > JUDGED_ALPHAS[0]) & (alphas < JUDGED_ALPHAS[1])
    scale = np.where(judged, tails.z / _USUAL_Z, np.nan)
    for axis, (counts, size) in enumerate(zip(outcomes.counts, outcomes.sizes, strict=True)):
        if counts.size < 3 or (
            np.isfinite(outcomes.largest_counts[axis]) and size < SMALLEST_N_BESIDE
        ):
            continue
        moved = np.moveaxis(r, axis + 1, -1)
        before, here, after = moved[..., :-2], moved[..., 1:-1], moved[..., 2:]
        with np.errstate(invalid="ignore"):
            usual = (before > USUAL[0]) & (before < USUAL[1])
            usual &= (after > USUAL[0]) & (after < USUAL[1])
            differences = np.where(usual, np.abs(before - 2.0 * here + after), np.nan)
        inside = (np.diff(counts)[:-1] == 1) & (np.diff(counts)[1:] == 1)
        middle = counts[1:-1]
        inside &= (middle >= FEWEST_BESIDE) & (
            middle <= outcomes.largest_counts[axis] - FEWEST_BESIDE
        )
        # The other count may be next to an end of the range too.
        least = np.moveaxis(tails.least, axis, -1)[..., 1:-1]
        differences = np.where(inside & (least >= FEWEST_BESIDE), differences, np.nan)
        padded = np.full(moved.shape, np.nan)
        padded[..., 1:-1] = differences
        largest = np.fmax(largest, np.moveaxis(padded, -1, axis + 1))
    return np.asarray(largest * scale)


def is_apart(tails: LimitTails, name: LimitName) -> Bools:
    """Where the second difference is larger than for any sound method."""
    return np.nan_to_num(second_differences(tails, name)) > FAILURE


def is_rough(tails: LimitTails, name: LimitName) -> Bools:
    """Where the second difference is larger than for most sound methods."""
    return np.nan_to_num(second_differences(tails, name)) > REMARK_ABOVE


def fault_of_neighbours(tails: LimitTails, name: LimitName, index: Index) -> Described:
    """The fault of a limit that is not between those beside it."""
    difference, r = float(second_differences(tails, name)[index]), float(tails.r[name][index])
    clause = (
        "does not lie between those of the outcomes beside it: in normal "
        f"quantiles, its tail is {r:.3g} times that of alpha/2, {difference:.2g} off what they have"
    )
    return clause, {"found": difference, "r": r}


def tails_of(evaluations: Sequence[Evaluation]) -> list[LimitTails]:
    """The tails of the limits of each size and side; none for a family without them.

    Args:
        evaluations: limits of one method, by size and side.
    """
    records = []
    for evaluation in evaluations:
        family = evaluation.family
        if family.has_counts_of_samples or family.has_line:
            of_one = family.has_single_count
            tails = tails_of_one_sample if of_one else tails_of_several_counts
            records.append(tails(evaluation))
    return records


TAIL_PROBABILITIES = "tail probabilities"
NEIGHBOURS = "neighbours agree"
TAIL_CHECKS = (TAIL_PROBABILITIES, NEIGHBOURS)

_SMALLER = "a smaller fault at one outcome is found by a stored baseline"
_SEVERITY = 900.0


def check_tails(
    records: Sequence[LimitTails], contract: Contract, uneven: bool = False
) -> list[Finding]:
    """Check the tail that each limit leaves.

    - tail probabilities: under at-least no limit leaves more than alpha; under another contract r
      is near 1 inside the range. No factor of two is lost, no side mistaken for the other, no alpha
      taken for another one, no limit alone solves another equation than those of the other
      outcomes, and no limit of thousands of counts is the end of the range.
    - neighbours agree: r hardly changes from one outcome to the next, nor its mean from n to n + 1.

    Under the contract none whatever is found is a remark.

    Args:
        records: the tails of all limits, by size and side.
        contract: what the method is held to.
        uneven: whether one tail of a limit may by design have hardly any of alpha, as next to the
            ends of the range an interval with limits at equal distances of the estimate.

    Returns:
        A finding for each of the two; none where there are no tails.
    """
    if not records:
        return []
    usual = FAIL if contract != NONE and not uneven else REMARK
    count, largest = 0, 0.0
    for tails, name in limits_of(records):
        count += int(tails.has_tail(name).sum())
        differences = second_differences(tails, name)
        largest = max(largest, float(differences[~np.isnan(differences)].max(initial=0.0)))
    words = (
        f"each tail, in normal quantiles, is within {largest:.2g} of what those beside it have; "
        f"{_SMALLER}"
    )
    faults = _tail_faults(records, contract, usual)
    of_neighbours = [
        *_first_of(jumps_in_size(records, usual)),
        *first_fault(records, is_apart, fault_of_neighbours, usual),
        *first_fault(records, is_rough, fault_of_neighbours, REMARK),
    ]
    return [
        _finding(TAIL_PROBABILITIES, [*faults], f"as they should be at {count} limits"),
        _finding(NEIGHBOURS, of_neighbours, words),
    ]


def _tail_faults(
    records: Sequence[LimitTails], contract: Contract, usual: Verdict
) -> Iterator[Fault]:
    """What is wrong with tails, what names a cause first."""
    yield from first_fault(records, is_swapped, fault_of_swapped, usual)
    for fault in lost_factors(records, usual):
        # Two-sided limits of half the alpha are safe, and may be meant for several intervals.
        is_safe = contract == AT_LEAST and fault.cell["factor"] == 0.5
        if not (is_safe and records[0].side == TWO_SIDED):
            yield fault
    yield from _first_of(repeated(records, usual))
    yield from _first_of(jumps_in_alpha(records, usual))
    if contract == AT_LEAST:
        yield from first_fault(records, exceeds_alpha, fault_at_least, FAIL)
    else:
        yield from first_fault(records, is_far_off, fault_of_r, usual)
        yield from first_fault(records, is_off, fault_of_r, REMARK)
    yield from first_fault(records, is_unlike_exact, fault_of_unlike, usual)
    yield from first_fault(records, is_unlike_mid_p, fault_of_r, usual)
    yield from first_fault(records, stays_at_the_end, fault_of_end, usual)


def _first_of(faults: Iterator[Fault]) -> Iterator[Fault]:
    """The first of the faults, with the number of them."""
    met = list(faults)
    if met:
        yield replace(met[0], count=len(met))


def _finding(name: str, faults: Sequence[Fault], passed: str) -> Finding:
    """The finding of the gravest fault, the others of its verdict in short."""
    chosen = [fault for fault in faults if fault.is_failure] or faults
    if not chosen:
        return Finding(name, TAILS, PASS, passed, {})
    first = chosen[0]
    more = f" (and {first.count - 1} more)" if first.count > 1 else ""
    text = "; ".join([first.message + more, *(fault.message for fault in chosen[1:2])])
    if name == NEIGHBOURS and not first.is_failure:
        text += f"; {_SMALLER}"
    severity = _SEVERITY if first.is_failure else 0.0
    places = FindingPlaces.joined([fault.places for fault in chosen])
    return Finding(name, TAILS, first.verdict, text, first.cell, severity, places)
