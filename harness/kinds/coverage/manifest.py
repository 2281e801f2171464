"""The manifest: everything about a run that is the same each time it is repeated."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product
from operator import itemgetter
from typing import Any

import numpy as np

from harness.agreement import LEVEL, DrawsAgreement, MethodAgreement
from harness.base.numerics.arrays import Floats
from harness.callers.source import Source
from harness.designs.design import Scenario
from harness.designs.engines.solver import solver_of
from harness.designs.engines.verification import TOLERANCE
from harness.designs.limits import Column
from harness.designs.precision import (
    INTERVAL_ALPHA,
    PROBABILITY,
    Aim,
    fraction_interval,
    half_width,
    standard_error,
)
from harness.designs.results import WorstCase
from harness.kinds.coverage.scenario_result import EngineAgreement, ScenarioResult, by_column
from harness.methods.remarks import Remark
from harness.runner.storage import manifest_of
from harness.tables.columns import TableKind

_BY_LOOKS, _FROM_ALPHA = "looks", "exact_alpha"
_BIAS = (
    "biased by stopping, for alpha below 1/2 towards 0, since estimates that are too small by "
    "chance stop earlier: at alpha 0.01 with a half-width of 0.005 and 18 looks by -2.9 %"
)


def manifest(
    document: Mapping[str, Any],
    kind: TableKind,
    sources: Mapping[str, str],
    results: Sequence[ScenarioResult],
    agreement: EngineAgreement,
    methods: Mapping[str, Source],
) -> dict[str, Any]:
    """Return the content of manifest.json.

    Args:
        document: the resolved config.
        kind: what decides the columns of the tables.
        sources: the digest of each file that holds a user function, by the label of its method.
        results: of every scenario, by ascending size.
        agreement: how Monte Carlo agrees with the exact values.
        methods: by their labels, as they were asked.
    """
    trials = {
        _size_text(result.scenario): int(result.tally.by_outcome.trials.sum())
        for result in results
        if result.tally is not None
    }
    scored: dict[str, Any] = {}
    if results:
        scenario = results[0].scenario
        scored.update(scenario.design.scored(scenario))
        if scored:
            # It is an estimand of one law, with this value.
            scored["value"] = float(scenario.listed_truths()[1][0])
    not_enumerated = [
        _size_text(result.scenario)
        for result in results
        if solver_of(result.scenario).possible_count() > result.scenario.design.most_enumerated
    ]
    # The calls of each method that were repeated in a new process.
    repeated = [
        {"method": label, "calls": len(source.repeated), "first": source.repeated[0]}
        for label, source in methods.items()
        if source.repeated
    ]
    # What a run does not have is None, and left out.
    content = {
        "trials": {"total": sum(trials.values()), "by_size": trials},
        "overall": overall(results, kind.may_fail),
        "precision": precision(results),
        "failures": failures(results) if kind.may_fail else None,
        "remarks": remarks(results) or None,
        "repeated": repeated or None,
        "scored_against": scored or None,
        "agreement": _agreement(agreement, results),
        "assumptions": _assumptions(results) or None,
        "identity": _identity(results),
        "worst_cases": worst_cases(results),
        "not_enumerated": not_enumerated or None,
    }
    written = {name: value for name, value in content.items() if value is not None}
    return manifest_of(document, sources, written)


def _assumptions(results: Sequence[ScenarioResult]) -> list[dict[str, Any]]:
    """What exact values rest on that a truth need not have, with the methods that have them."""
    resting: dict[str, dict[str, None]] = {}
    for part in _parts(results):
        exact = part.enumerated
        if exact is not None and exact.assumes is not None:
            labels = (part.columns[row].method for row in exact.known)
            resting.setdefault(exact.assumes, {}).update(dict.fromkeys(labels))
    return [{"assumes": assumes, "methods": list(labels)} for assumes, labels in resting.items()]


def _parts(results: Sequence[ScenarioResult]) -> Iterator[ScenarioResult]:
    """The results of each scenario, and those of its columns whose limits are computed by trial."""
    for result in results:
        yield result
        if result.stochastic is not None:
            yield result.stochastic


def overall(results: Sequence[ScenarioResult], may_fail: bool) -> list[dict[str, Any]]:
    """Monte Carlo misses over all sizes, for each method and alpha.

    Unless methods may fail, sizes at which one has no interval in any trial are left out.

    The errors are None where the trials of a size stopped at a look, which none of them allows for.
    """
    stopped = any(result.looks for result in results)
    rows = []
    for of_column in by_column(results):
        counted = [
            (result.tally.by_outcome.total(), row)
            for result, row in of_column
            if result.tally is not None
        ]
        counted = [
            (counts, row)
            for counts, row in counted
            if may_fail or counts.failed[row, 0] < counts.trials[0]
        ]
        if not counted:
            continue
        trials = np.sum([counts.trials for counts, _ in counted], axis=0)
        misses = np.sum([counts.missed[row] for counts, row in counted], axis=0)
        error = float(standard_error(misses, trials)[0])
        column = of_column[0][0].columns[of_column[0][1]]
        rows.append(
            {
                "method": column.method,
                "alpha": column.alpha,
                "trials": int(trials[0]),
                "misses": int(misses[0]),
                "actual_alpha": float(misses[0] / trials[0]),
                "std_error": None if math.isnan(error) or stopped else error,
            }
        )
    misses, trials = (
        np.array([row[name] for row in rows], np.int64) for name in ("misses", "trials")
    )
    if stopped:
        return [{**row, "ci_lower": None, "ci_upper": None} for row in rows]
    lower, upper = fraction_interval(misses, trials)
    return [
        {**row, "ci_lower": low, "ci_upper": high}
        for row, low, high in zip(rows, lower.tolist(), upper.tolist(), strict=True)
    ]


def _size_text(scenario: Scenario) -> str:
    """The sizes of all samples, without their names."""
    return ", ".join(f"{size:.15g}" for size in scenario.sizes)


def _agreement(agreement: EngineAgreement, results: Sequence[ScenarioResult]) -> dict[str, Any]:
    methods, draws = agreement.methods, agreement.draws
    tested: list[MethodAgreement | DrawsAgreement] = [*methods, *([] if draws is None else [draws])]
    drawn = results[0].stochastic if results else None
    exact_rows = drawn.enumerated.known if drawn and drawn.enumerated is not None else ()
    unknown = enumerate(drawn.columns if drawn else ())
    labels = dict.fromkeys(column.method for row, column in unknown if row not in exact_rows)

    def p_values(found: MethodAgreement | DrawsAgreement) -> dict[str, Any]:
        at = {} if found.scenario is None else results[found.scenario].scenario.named_sizes
        return {
            "smallest_p": found.smallest_p,
            "smallest_p_adjusted": found.smallest_p_adjusted,
            "at": at,
        }

    def of_method(found: MethodAgreement) -> dict[str, Any]:
        expected = found.expected_missing
        return {
            "method": found.method,
            "cells": found.cells,
            "tests": found.tests,
            **p_values(found),
            "intervals_missing": found.intervals_missing,
            "expected_missing": None if expected is None else round(expected, 3),
        }

    return {
        "checked": bool(methods),
        **({"not_checked": list(labels)} if labels else {}),
        "agrees": all(comparison.agrees for comparison in tested) if tested else None,
        "level": LEVEL,
        "tests": sum(comparison.tests for comparison in tested),
        "draws": draws and {"tests": draws.tests, "agree": draws.agrees, **p_values(draws)},
        "methods": [of_method(method) for method in methods],
    }


def _identity(results: Sequence[ScenarioResult]) -> dict[str, Any]:
    """How the published numbers of the exact engines meet a second computation of them."""
    sizes = []
    grouped: dict[tuple[str, str, str], list[Floats]] = {}
    for result in results:
        if result.solution is not None and result.solution.comparisons:
            sizes.append(_of_samples(result.scenario.sizes))
            for comparison in result.solution.comparisons:
                key = comparison.published, comparison.against, comparison.of
                grouped.setdefault(key, []).append(comparison.discrepancy)
    entries: list[dict[str, Any]] = []
    bounds: list[float] = []
    for (published, against, of), discrepancies in sorted(grouped.items(), key=itemgetter(0)):
        largest = max(float(discrepancy.max(initial=0.0)) for discrepancy in discrepancies)
        within = [bool((discrepancy <= TOLERANCE).all()) for discrepancy in discrepancies]
        below = _power_of_ten_above(largest)
        bounds.append(below)
        entries.append(
            {
                "published": published,
                "against": against,
                "of": of,
                "holds": all(within),
                "largest_discrepancy_below": below,
            }
        )
    return {
        "holds": all(entry["holds"] for entry in entries) if entries else None,
        "tolerance": TOLERANCE,
        "largest_discrepancy_below": max(bounds, default=None),
        "comparisons": entries,
        "sizes": sizes,
    }


def _power_of_ten_above(discrepancy: float) -> float:
    """The next power of ten: rounding noise differs between machines, its magnitude does not."""
    if not discrepancy < math.inf:
        return math.inf
    return float(f"1e{max(math.floor(math.log10(max(discrepancy, 1e-16))) + 1, -14)}")


def worst_cases(results: Sequence[ScenarioResult]) -> list[dict[str, Any]]:
    """The worst case of each method, alpha and size: where it is, and how it was found.

    It is one over the range ``over`` of the truths. An infinite range is searched without the
    probability ``mass_left_out``. Where the worst case over all values of the parameter is exact,
    it follows as ``anywhere`` if it is another one.
    """
    entries = []
    for row, result in product(range(len(results[0].columns) if results else 0), results):
        if result.enumerated is None:
            continue
        worst, anywhere = result.enumerated.worst[row], result.enumerated.worst_anywhere[row]
        if worst is None:
            continue
        column, scenario = result.columns[row], result.scenario
        spans = [list(span) for span in solver_of(scenario).hull()]
        left_out = [sample.truth.mass_left_out for sample in scenario.samples()]
        entry = {**_column_at(column, scenario), **_place(worst), "over": _of_samples(spans)}
        if any(left_out):
            entry["mass_left_out"] = _of_samples(left_out)
        if worst.found_by is not None:
            entry["found_by"] = worst.found_by
        if worst.searched is not None:
            entry |= {"searched": worst.searched, "on_net": worst.on_net}
        if anywhere is not None and anywhere != worst:
            entry["anywhere"] = _place(anywhere)
        entries.append(entry)
    return entries


def _column_at(column: Column | Remark, scenario: Scenario) -> dict[str, Any]:
    """The method and the alpha of an entry, and its sizes."""
    return {"method": column.method, "alpha": column.alpha, **scenario.named_sizes}


def _place(worst: WorstCase) -> dict[str, Any]:
    """A worst case with its truth, and the side from which the truth is approached."""
    return {"worst_alpha": worst.alpha, "truth": _of_samples(worst.truths), "side": worst.side}


def _of_samples(values: Sequence[Any]) -> Any:
    """The value of a single sample, or the list of the values of several."""
    return values[0] if len(values) == 1 else list(values)


def failures(results: Sequence[ScenarioResult]) -> list[dict[str, Any]]:
    """The failures of each method at each alpha and size, with the reason of the first one.

    They are counted in outcomes, and in trials for a method that draws its limits.
    """
    entries = []
    for result, row in chain.from_iterable(by_column(results)):
        if row not in result.failures:
            continue
        reasons, limits = result.failures[row], result.limits
        if row < limits.lower.shape[0]:
            unit, failed, total = "outcomes", limits.failed[row].sum(), limits.outcomes.size
        else:
            assert result.tally is not None
            counts = result.tally.by_outcome
            unit, failed, total = "trials", counts.failed[row].sum(), counts.trials.sum()
        entries.append(
            {
                **_column_at(result.columns[row], result.scenario),
                f"failed_{unit}": int(failed),
                unit: int(total),
                "not_called": reasons.not_called,
                "first": reasons.first,
            }
        )
    return entries


def remarks(results: Sequence[ScenarioResult]) -> list[dict[str, Any]]:
    """The remarks about the limits of each method at each alpha and size."""
    return [
        {
            **_column_at(remark, result.scenario),
            "remark": remark.kind,
            "outcomes": remark.found,
            "outcomes_asked": remark.asked,
            "first": remark.first,
        }
        for result in results
        for remark in result.remarks
    ]


def precision(results: Sequence[ScenarioResult]) -> dict[str, Any] | None:
    """The precision asked for and how each size reached it; None where none was asked for.

    Of the trials of a size, ``stopped_by`` says whether their number was fixed from exact alphas or
    found at looks, and ``half_width`` is that of the widest interval of its columns.
    """
    aims = [(result, result.aim) for result in results if result.aim is not None]
    if not aims:
        return None
    aim = max((aim for _, aim in aims), key=lambda aim: len(aim.looks))
    sizes = [_of_size(result, aimed) for result, aimed in aims]
    count = len(aim.looks)
    looks_rule = {
        "trials": list(aim.looks),
        "interval": f"Clopper-Pearson at alpha {INTERVAL_ALPHA:g}/{count}",
        "p_values": f"multiplied by {count}",
        "estimates": _BIAS,
    }
    rules = {_BY_LOOKS: looks_rule, _FROM_ALPHA: _EXACT_RULE}
    chosen = {size["stopped_by"] for size in sizes}
    return {
        "half_width": aim.half_width,
        "max": aim.most,
        **{name: rule for name, rule in rules.items() if name in chosen},
        "sizes": sizes,
    }


_EXACT_RULE = {
    "trials": "the fewest whose interval is narrow enough with a probability of at least "
    f"{PROBABILITY}, for the exact alpha of each column",
    "interval": f"minimal length at alpha {INTERVAL_ALPHA:g}",
}


def _of_size(result: ScenarioResult, aim: Aim) -> dict[str, Any]:
    """How the trials of one size ended."""
    tallies = [part.tally for part in _parts([result]) if part.tally is not None]
    counted = [tally.by_outcome.total() for tally in tallies]
    misses = np.concatenate([counts.missed[:, 0] for counts in counted])
    trials = int(counted[0].trials[0])
    widest = float(half_width(misses, np.full_like(misses, trials), len(aim.looks)).max())
    look = {"look": aim.looks.index(trials) + 1} if aim.looks else {}
    return {
        **result.scenario.named_sizes,
        "trials": trials,
        "stopped_by": _BY_LOOKS if aim.looks else _FROM_ALPHA,
        **look,
        "half_width": widest,
        "reached": widest <= aim.half_width,
    }
