"""The part of the manifest about a precision asked for: how each size reached it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from harness.designs.monte_carlo import INTERVAL_ALPHA
from harness.designs.precision import PROBABILITY, Aim, half_width
from harness.designs.scenario import sizes_by_name
from harness.families.catalogue import family_of
from harness.tables.blocks import total_counts
from harness.tables.scenario_result import ScenarioResult

_BY_LOOKS, _FROM_ALPHA = "looks", "exact_alpha"
_BIAS = (
    "biased by stopping, for alpha below 1/2 towards 0, since estimates that are too small by "
    "chance stop earlier: at alpha 0.01 with a half-width of 0.005 and 18 looks by -2.9 %"
)
_MOST_LISTED = 5


def precision(results: Sequence[ScenarioResult]) -> dict[str, Any] | None:
    """The precision asked for and how each size reached it; None where none was asked for.

    Of the trials of a size, ``stopped_by`` says whether their number was fixed from exact alphas or
    found at looks, and ``half_width`` is that of the widest interval of its columns.
    """
    aims = [(result, result.aim) for result in results if result.aim is not None]
    if not aims:
        return None
    aim = max((aim for _, aim in aims), key=lambda aim: len(aim.looks))
    sizes = [_of_size(*each) for each in aims]
    rules = {_BY_LOOKS: _looks_rule(aim), _FROM_ALPHA: _exact_rule()}
    chosen = {each["stopped_by"] for each in sizes}
    return {
        "half_width": aim.half_width,
        "max": aim.most,
        **{name: rule for name, rule in rules.items() if name in chosen},
        "sizes": sizes,
    }


def _looks_rule(aim: Aim) -> dict[str, Any]:
    count = len(aim.looks)
    return {
        "trials": list(aim.looks),
        "interval": f"Clopper-Pearson at alpha {INTERVAL_ALPHA:g}/{count}",
        "p_values": f"multiplied by {count}",
        "estimates": _BIAS,
    }


def _exact_rule() -> dict[str, Any]:
    return {
        "trials": "the fewest whose interval is narrow enough with a probability of at least "
        f"{PROBABILITY}, for the exact alpha of each column",
        "interval": f"minimal length at alpha {INTERVAL_ALPHA:g}",
    }


def _of_size(result: ScenarioResult, aim: Aim) -> dict[str, Any]:
    """How the trials of one size ended."""
    kinds = [each for each in (result, result.stochastic) if each is not None]
    counted = [total_counts(each.tally.by_outcome) for each in kinds if each.tally is not None]
    misses = np.concatenate([counts.missed[:, 0] for counts in counted])
    trials = int(counted[0].trials[0])
    widest = float(half_width(misses, np.full_like(misses, trials), len(aim.looks)).max())
    look = {"look": aim.looks.index(trials) + 1} if aim.looks else {}
    return {
        **sizes_by_name(result.scenario),
        "trials": trials,
        "stopped_by": _BY_LOOKS if aim.looks else _FROM_ALPHA,
        **look,
        "half_width": widest,
        "reached": widest <= aim.half_width,
    }


def missed_precision(manifest: Mapping[str, Any]) -> str:
    """A sentence about the sizes whose intervals are wider than asked for; empty without any."""
    content = manifest.get("precision", {"sizes": []})
    wide = [each for each in content["sizes"] if not each["reached"]]
    if not wide:
        return ""
    names = family_of(manifest["experiment"]["family"]).sizes
    listed = [" and ".join(f"{name} = {each[name]:.15g}" for name in names) for each in wide]
    more = f" and {len(listed) - _MOST_LISTED} more" if len(listed) > _MOST_LISTED else ""
    widest = max(each["half_width"] for each in wide)
    return (
        f"Intervals are wider than ± {content['half_width']:g} at "
        f"{', '.join(listed[:_MOST_LISTED])}{more}, up to ± {widest:.2g}, "
        f"with max: {content['max']:,} trials"
    )
