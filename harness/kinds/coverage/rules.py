"""Rules that relate the keys of a coverage experiment."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from harness.base.errors import ConfigIssue, InputError, KeyPath
from harness.base.models import repeated
from harness.base.plain_data import describe, flow
from harness.catalogue import design_for
from harness.config.models.sizes import paired
from harness.config.shared_keys import (
    CROSS,
    Issues,
    Rule,
    Sizes,
    ValidKeys,
    levels_are_distinct,
    mean_counts_are_small,
    reads,
    seed_is_given,
)
from harness.config.values import MethodSpec, Trials
from harness.designs.design import AnyTruth
from harness.distributions.list_truths import RunTruth, StratumTruth
from harness.distributions.sampling.law import NUMPY, THINNED, Law, population_and_title
from harness.distributions.truths import DiscreteTruth, PairTruth, Truth
from harness.families.catalogue import FAMILIES
from harness.families.family import (
    CLOSED_FORM,
    ENUMERATION,
    MONTE_CARLO,
    POSTERIOR,
    Family,
)
from harness.methods.catalogue import methods_of
from harness.methods.method import Method

MOST_PAIRS = 10_000

Outcomes = int | tuple[int, ...] | None


@reads("sizes", "cross")
def _sizes_are_paired(config: ValidKeys) -> Issues:
    sizes: Sizes = config["sizes"]
    cross: bool = config["cross"]
    if not set(config.family.sizes) <= set(sizes):
        return
    one, *others = config.family.sizes
    counts = {name: len(sizes[name]) for name in config.family.sizes}
    if cross:
        pairs = math.prod(counts.values())
        if pairs > MOST_PAIRS:
            message = f"expected at most {MOST_PAIRS} pairs of sizes, found {pairs}"
            yield ConfigIssue((CROSS,), message)
        return
    first = next((name for name, count in counts.items() if count > 1), one)
    for other in others:
        if counts[other] not in (1, counts[first]):
            yield ConfigIssue(
                (other,),
                f"expected as many sizes as {first} has ({counts[first]}), or one, or cross: true "
                f"for all pairs, found {counts[other]}",
            )
            return
    rows = paired([sizes[name] for name in config.family.sizes], cross=False)
    for _, again in repeated(rows):
        repeated_row = ", ".join(f"{size:.15g}" for size in rows[again])
        yield ConfigIssue(
            (others[-1],), f"expected each pair of sizes once, found [{repeated_row}] again"
        )
        return


@reads("methods")
def _labels_are_distinct(config: ValidKeys) -> Issues:
    # A method that is not valid has no label, and None would be repeated.
    labels = [i if method is None else method.label for i, method in enumerate(config["methods"])]
    for first, again in repeated(labels):
        yield ConfigIssue(
            ("methods", again, "label"),
            f"expected a unique label, found {labels[again]!r}, which methods[{first}] has",
        )


def _of_the_catalogue(config: ValidKeys) -> Iterator[tuple[int, Method]]:
    """The methods of the family's catalogue with their places in the list."""
    methods: Sequence[MethodSpec | None] = config["methods"]
    for i, spec in enumerate(methods):
        method = None if spec is None else methods_of(config.family).get(spec.name or "")
        if method is not None:
            yield i, method


@reads("sizes", "methods")
def _methods_take_the_sizes(config: ValidKeys) -> Issues:
    largest = {name: max(listed) for name, listed in config["sizes"].items()}
    for i, method in _of_the_catalogue(config):
        advice = method.size_advice(largest)
        if advice:
            yield ConfigIssue(("methods", i), advice)


@reads("methods", "sampling")
def _methods_have_their_population(config: ValidKeys) -> Issues:
    for i, method in _of_the_catalogue(config):
        try:
            method.validate_sampling(*population_and_title(config["sampling"]))
        except InputError as fault:
            yield ConfigIssue(("methods", i), str(fault))


@reads("truth", "trials")
def _trials_per_truth_have_discrete_truths(config: ValidKeys) -> Issues:
    trials: Trials | None = config["trials"]
    if trials is not None and trials.kind == "per_truth" and not config["truth"].is_discrete:
        others = " or ".join(["per_outcome"] * config.family.has_finitely_many + ["per_size"])
        yield ConfigIssue(
            ("trials", "per_truth"),
            f"expected {others}, found per_truth, which needs a truth that is a "
            "grid or a list of values",
        )


@reads("trials")
def _trials_per_outcome_have_finitely_many(config: ValidKeys) -> Issues:
    trials: Trials | None = config["trials"]
    counted = config.family.has_finitely_many
    if trials is not None and trials.kind == "per_outcome" and not counted:
        bounded = ", ".join(name for name, family in FAMILIES.items() if family.has_finitely_many)
        yield ConfigIssue(
            ("trials", "per_outcome"),
            "expected per_size or per_truth, found per_outcome, which needs a family with "
            f"finitely many outcomes ({bounded})",
        )


@reads("engines", "trials")
def _monte_carlo_has_trials(config: ValidKeys) -> Issues:
    if MONTE_CARLO in config["engines"] and config["trials"] is None:
        yield ConfigIssue(
            ("engines", config.raw["engines"].index(MONTE_CARLO)),
            "expected trials (per_outcome, per_size, per_truth or half_width) with monte_carlo, "
            "found none",
        )


@reads("engines", "seed")
def _monte_carlo_has_seed(config: ValidKeys) -> Issues:
    if MONTE_CARLO in config["engines"]:
        yield from seed_is_given(config["seed"], MONTE_CARLO)


@reads("sizes", "truth", "sampling")
def _sizes_and_truths_fit_the_law(config: ValidKeys) -> Issues:
    """The sizes and the listed truths that the law has, the first wrong one of each."""
    truth: Truth | PairTruth = config["truth"]
    sampling: Law | None = config["sampling"]
    if sampling is None:
        return
    for name, listed in config["sizes"].items():
        yield from itertools.islice(_refused(sampling.validate_size, listed, (name,)), 1)
    if isinstance(truth, DiscreteTruth):
        yield from itertools.islice(_refused(sampling.validate_truth, truth.values, ("truth",)), 1)
    elif sampling.lattice is not None:
        yield ConfigIssue(
            ("truth",),
            f"expected a list of values M/{sampling.lattice} for a sample {sampling.title}, found "
            f"{next(iter(truth.content()))}",
        )


def _refused(validate: Callable[[float], None], values: Sequence[float], path: KeyPath) -> Issues:
    for value in values:
        try:
            validate(value)
        except InputError as fault:
            yield ConfigIssue(path, str(fault))


@reads("engines", "truth", "sampling")
def _engines_fit_the_law(config: ValidKeys) -> Issues:
    """A posterior is that of the family's own law; others have exact values at listed truths."""
    engines: Sequence[str] = config["engines"]
    sampling: Law | None = config["sampling"]
    if sampling is None:
        return
    if not engines:
        yield ConfigIssue(
            ("trials",),
            "expected trials (per_outcome, per_size or half_width), found none: under a "
            f"distribution of truths {MONTE_CARLO} is the only engine for {sampling.title}",
        )
    if POSTERIOR in engines:
        yield ConfigIssue(
            ("engines", config.raw["engines"].index(POSTERIOR)),
            f"expected {MONTE_CARLO} or {ENUMERATION} with {sampling.title}, found {POSTERIOR}, "
            f"which holds for {config.family.own_law} outcomes",
        )
    if ENUMERATION in engines and not config["truth"].is_discrete:
        yield ConfigIssue(
            ("truth",),
            f"expected a grid or a list of values with {ENUMERATION}, which has no exact values "
            f"under a distribution for {sampling.title}, found {describe(config.raw.get('truth'))}",
        )


@reads("sizes", "outcomes")
def _outcomes_can_occur(config: ValidKeys) -> Issues:
    """Each listed outcome occurs at each size."""
    sizes: Sizes = config["sizes"]
    outcomes: Outcomes = config["outcomes"]
    (name, *_) = config.family.sizes
    if not isinstance(outcomes, tuple) or name not in sizes:
        return
    smallest = min(sizes[name])
    largest = config.family.model.SAMPLING.largest_outcome(smallest)
    for i, x in enumerate(outcomes):
        if x > largest:
            yield ConfigIssue(
                ("outcomes", "values", i),
                f"expected an outcome of at most {smallest}, the smallest {name}, found {x}",
            )


@reads("group", "outcomes")
def _groups_have_all_outcomes(config: ValidKeys) -> Issues:
    if config["group"] is not None and config["outcomes"] is not None:
        outcomes = describe(config.raw["outcomes"])
        yield ConfigIssue(("group",), f"expected outcomes: all with groups, found {outcomes}")


@reads("engines", "truth")
def _enumeration_has_exact_values(config: ValidKeys) -> Issues:
    if (
        ENUMERATION in config["engines"]
        and not config["truth"].is_discrete
        and POSTERIOR not in config.family.engines
    ):
        yield ConfigIssue(
            ("truth",),
            f"expected a list of tables with enumeration, which has no exact values under a "
            f"distribution for the family {config.family.name}, found "
            f"{describe(config.raw['truth'])}",
        )


@reads("engines", "truth")
def _closed_form_has_values(config: ValidKeys) -> Issues:
    truth: AnyTruth = config["truth"]
    if CLOSED_FORM not in config["engines"] or config.family.has_closed_form(truth):
        return
    estimand = cast(RunTruth, truth).estimand
    if estimand:
        yield ConfigIssue(
            ("engines", config.raw["engines"].index(CLOSED_FORM)),
            f"expected {MONTE_CARLO} with estimand: {flow(estimand['estimand'])}, found "
            f"{CLOSED_FORM}, which has values for the mean alone",
        )
    else:
        yield ConfigIssue(
            ("truth",),
            f"expected a normal truth with {CLOSED_FORM}, which has no values under another, "
            f"found {next(iter(truth.content()))}",
        )


@reads("sizes")
def _runs_are_several(config: ValidKeys) -> Issues:
    """One run has no standard deviation."""
    smallest = design_for(config.family).smallest_size
    for name, listed in config["sizes"].items():
        if smallest > 1 and min(listed) < smallest:
            what = config.family.size_in_words.removeprefix("number of ")
            words = f"expected at least {smallest} {what}, found {min(listed):g}"
            yield ConfigIssue((name,), words)


@reads("engines")
def _lists_are_simulated(config: ValidKeys) -> Issues:
    if not config.family.has_outcomes and MONTE_CARLO not in config["engines"]:
        yield ConfigIssue(
            ("trials",),
            f"expected trials (per_size, per_truth or half_width), since the data of "
            f"{config.family.name} are simulated, found none",
        )


@reads("sizes", "truth")
def _strata_are_paired(config: ValidKeys) -> Issues:
    """Every scenario has a size of both samples in each stratum of the truth."""
    sizes: Sizes = config["sizes"]
    if not design_for(config.family).sizes_are_lists or set(config.family.sizes) - set(sizes):
        return
    name, other = config.family.sizes
    first, second = sizes[name], sizes[other]
    if 1 not in (len(first), len(second)) and len(first) != len(second):
        yield ConfigIssue(
            (other,), f"expected as many lists as {name} has ({len(first)}), found {len(second)}"
        )
        return
    expected = cast(StratumTruth, config["truth"]).strata
    for key, listed in ((name, first), (other, second)):
        for row in listed:
            count = len(cast(Sequence[float], row))
            if count != expected:
                yield ConfigIssue(
                    (key,), f"expected {expected} strata, as the truth has, found {count}"
                )
                return


def _has_what_it_needs(
    choice: tuple[str, str, str],
    needed: str,
    is_met: Callable[[Any], bool],
    words: Callable[[Family], str],
) -> Rule:
    """The rule that a value of one key needs some value of another.

    Args:
        choice: a key, its usual value, and the one that needs something.
        needed: the key that it needs a value of.
        is_met: whether a value of that key will do.
        words: for such a value in a family.
    """

    key, usual, other = choice

    @reads(key, needed)
    def rule(config: ValidKeys) -> Issues:
        if config[key] == other and not is_met(config[needed]):
            what = words(config.family)
            yield ConfigIssue((key,), f"expected {usual}, found {other}, which needs {what}")

    return rule


_THINNED_DRAWS = ("draws", NUMPY, THINNED)
_BOUNDED = {"Beta": "uniform or beta", "Gamma": "uniform"}
"""The distributions of truths of finite range, which tables cover, by the family of the priors."""
_TRUTH_AS_REFERENCE = ("reference", "prior", "truth")


RULES = (
    levels_are_distinct,
    _sizes_are_paired,
    mean_counts_are_small,
    _labels_are_distinct,
    _methods_take_the_sizes,
    _methods_have_their_population,
    _trials_per_truth_have_discrete_truths,
    _trials_per_outcome_have_finitely_many,
    _monte_carlo_has_trials,
    _monte_carlo_has_seed,
    _has_what_it_needs(
        _THINNED_DRAWS,
        "truth",
        lambda truth: not truth.is_discrete and not math.isinf(truth.support[1]),
        lambda family: f"a truth that is {_BOUNDED[family.model.PRIOR]}",
    ),
    _has_what_it_needs(
        _THINNED_DRAWS,
        "engines",
        lambda engines: MONTE_CARLO in engines,
        lambda _: "monte_carlo among the engines",
    ),
    _has_what_it_needs(
        _THINNED_DRAWS,
        "sampling",
        lambda law: law is None,
        lambda family: f"sampling: {family.own_law}",
    ),
    _sizes_and_truths_fit_the_law,
    _engines_fit_the_law,
    _outcomes_can_occur,
    _groups_have_all_outcomes,
    _enumeration_has_exact_values,
    _closed_form_has_values,
    _lists_are_simulated,
    _runs_are_several,
    _strata_are_paired,
    _has_what_it_needs(
        _TRUTH_AS_REFERENCE,
        "truth",
        lambda truth: not truth.is_discrete,
        lambda _: "a truth that is a distribution",
    ),
    _has_what_it_needs(
        _TRUTH_AS_REFERENCE,
        "outcomes",
        lambda outcomes: outcomes is None,
        lambda _: "outcomes: all",
    ),
    _has_what_it_needs(
        _TRUTH_AS_REFERENCE,
        "engines",
        lambda engines: POSTERIOR in engines,
        lambda _: "posterior among the engines",
    ),
)
"""All rules, in the order in which they speak of a config."""
