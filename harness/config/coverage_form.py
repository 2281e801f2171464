"""The form of a config of coverage: which interval methods, on what data, judged how."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from harness.config.constraints import Word
from harness.config.form import Form, Key, entry
from harness.config.level_entry import Alphas
from harness.config.method_entry import method_entry
from harness.config.outcome_entry import OF_TWO_SAMPLES, OUTCOMES, GroupEntry
from harness.config.pair_truth_entry import PAIRS, pair_key
from harness.config.prior_entry import prior_key
from harness.config.rate_truth_entry import RateTruth, required
from harness.config.shared_keys import COVERAGE, first_keys, last_keys
from harness.config.size_entry import SIZES
from harness.config.trial_entry import TrialsEntry
from harness.config.truth_entry import ProportionTruth, Uniform
from harness.families.catalogue import FAMILIES
from harness.families.family import ENUMERATION, MONTE_CARLO, POSTERIOR, Family

ENGINES = (MONTE_CARLO, POSTERIOR, ENUMERATION)
CROSS = "cross"

Engines = Annotated[list[Annotated[str, Word("an engine", ENGINES)]], Field(min_length=1)]
Reference = Annotated[str, Word("a reference", ("prior", "truth"))]


def coverage(family: Family) -> Form:
    """The keys for a family."""
    keys = {
        **first_keys(COVERAGE, family.name, tuple(FAMILIES)),
        **_sizes(family),
        "alpha": entry(Alphas, "Nominal probability of a miss: one, or a list.", 0.05),
        "methods": _methods(family),
        "truth": _truth(family),
        "trials": entry(TrialsEntry | None, "How many Monte Carlo trials.", None),
        **_outcomes(family),
        "engines": entry(
            Engines | None, "Left out, all three; without trials, posterior and enumeration.", None
        ),
        "reference_prior": prior_key(family, "of the posterior engine"),
        **last_keys(),
    }
    return Form(COVERAGE, family, f"Coverage of intervals for {family.title}", keys)


def _sizes(family: Family) -> dict[str, Key]:
    size, levels = SIZES[family.model.SIZE], "one, a list, or {log_grid: {start, stop, count}}."
    if family.samples == 1:
        return {family.sizes[0]: entry(size, f"Sizes: {levels}")}
    first, second = family.sizes
    return {
        first: entry(size, f"Sizes of the first sample: {levels}"),
        second: entry(size, f"Sizes of the second sample, paired with {first}: {levels}"),
        CROSS: entry(bool, f"Whether every {first} goes with every {second}.", False),
    }


def _methods(family: Family) -> Key:
    each: Any = method_entry(family)
    return entry(
        Annotated[list[each], Field(min_length=1)],
        "A catalogue name, {name, side, prior, label}, {path, function, label} or "
        "{module, function, label}.",
    )


def _truth(family: Family) -> Key:
    about = "Where the true parameter comes from."
    if family.samples == 2:
        return pair_key(family, PAIRS)
    if family.model.NAME == "rate":
        return entry(Annotated[RateTruth, required("{uniform: [0, 10]}")], about)
    return entry(ProportionTruth, about, Uniform(uniform=[0, 1]))


def _outcomes(family: Family) -> dict[str, Key]:
    outcomes = OUTCOMES.get(family.name, OF_TWO_SAMPLES)
    keys = {
        "outcomes": entry(outcomes.kind, f"What posterior covers: {outcomes.words}.", "all"),
        "reference": entry(
            Reference,
            "What posterior judges under: the reference prior, or the truth's own distribution.",
            "prior",
        ),
    }
    if family.samples == 1:
        about = "Neighbouring outcomes in one cell: {width}, or {width, last}."
        keys["group"] = entry(GroupEntry | None, about, None)
    return keys
