"""Hold the tails of all limits to a contract, and the limits to each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from harness.checks.conformance.properties import Evaluation
from harness.checks.findings import FAIL, PASS, REMARK, TAILS, Finding, FindingPlaces, Verdict
from harness.checks.tails.levels import (
    fault_of_neighbours,
    is_apart,
    is_rough,
    jumps_in_alpha,
    jumps_in_size,
    lost_factors,
    repeated,
    second_differences,
)
from harness.checks.tails.rules import (
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
from harness.checks.tails.tails import LimitTails, tails_of_one_sample, tails_of_several_counts
from harness.methods.method import AT_LEAST, NONE, TWO_SIDED, Contract


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
