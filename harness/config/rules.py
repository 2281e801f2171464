"""Rules that relate the keys of a config.

A rule is a function with the keys that it reads as parameters. It runs only if all of them are
valid. Besides keys it may read the ``form`` of the config, its data as written (``raw``), and the
valid ``sizes`` by their keys.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from harness.base.errors import ConfigIssue, InputError, KeyPath, path_text
from harness.base.plain_data import describe, flow
from harness.config.experiment import CALIBRATION, COVERAGE, CROSS
from harness.config.forms import Form
from harness.config.models.constraints import repeated
from harness.config.models.figures import kind_of
from harness.config.models.outcomes import own_sampling
from harness.config.models.truths import truth_of
from harness.config.resolve import pairs, sizes_of
from harness.config.values import MethodSpec, Precision, TrialCount, Trials
from harness.designs.design import AnyTruth, design_for
from harness.designs.results import Group
from harness.distributions.list_truths import RunTruth, StratumTruth
from harness.distributions.sampling.law import THINNED, Law, population_and_title
from harness.distributions.truths import DiscreteTruth, PairTruth, Truth
from harness.families.catalogue import FAMILIES
from harness.families.data import LARGEST_COUNT
from harness.families.family import (
    CLOSED_FORM,
    ENUMERATION,
    MONTE_CARLO,
    POSTERIOR,
)
from harness.figures.options import FigureOptions
from harness.figures.requirements import ExperimentFacts, unmet_requirements
from harness.methods.catalogue import CATALOGUE
from harness.methods.method import Method

MOST_PAIRS = 10_000

Issues = Iterator[ConfigIssue]
Sizes = Mapping[str, Sequence[float]]
Outcomes = int | tuple[int, ...] | None


def broken_rules(form: Form, raw: Mapping[str, Any], values: Mapping[str, Any]) -> Issues:
    """Yield the issues between keys.

    Args:
        form: the form of the config.
        raw: the data of the config, as written.
        values: the valid values by key.
    """
    readable = {"form": form, "raw": raw, **values}
    for rule in RULES[form.kind]:
        keys = inspect.signature(rule).parameters
        if all(key in readable for key in keys):
            yield from rule(**{key: readable[key] for key in keys})
    yield from broken_figures(form, values)


def _levels_are_distinct(form: Form, raw: Mapping[str, Any]) -> Issues:
    """Find repeated values in a list even if something else is wrong with it."""
    for path in _lists_of_levels(form, raw):
        values: Any = raw
        for key in path:
            values = values.get(key) if isinstance(values, Mapping) else None
        if not isinstance(values, list):
            continue
        # True equals 1 in Python; it is not a level, and so repeats none.
        levels = [
            value if isinstance(value, int | float | str) and not isinstance(value, bool) else (i,)
            for i, value in enumerate(values)
        ]
        for first, again in repeated(levels):
            also, found = path_text((*path, first)), describe(values[again])
            message = f"expected each value once, found {found}, which {also} is too"
            yield ConfigIssue((*path, again), message)


def _lists_of_levels(form: Form, raw: Mapping[str, Any]) -> Iterator[KeyPath]:
    """The paths of lists with distinct values; of paired sizes only the pairs are distinct."""
    if len(form.family.sizes) == 1 or raw.get(CROSS) is True:
        for size in form.family.sizes:
            yield (size,)
    yield ("truth", "values")
    for part in truth_of(form.family).parts:
        yield ("truth", part)
        yield ("truth", part, "values")
    yield ("alpha",)
    yield ("outcomes", "values")
    yield ("engines",)


def _sizes_are_paired(form: Form, sizes: Sizes, cross: bool) -> Issues:
    if not set(form.family.sizes) <= set(sizes):
        return
    one, other = form.family.sizes
    first, second = sizes[one], sizes[other]
    if cross:
        found = len(first) * len(second)
        if found > MOST_PAIRS:
            message = f"expected at most {MOST_PAIRS} pairs of sizes, found {found}"
            yield ConfigIssue((CROSS,), message)
        return
    if 1 not in (len(first), len(second)) and len(first) != len(second):
        yield ConfigIssue(
            (other,),
            f"expected as many sizes as {one} has ({len(first)}), or one, or cross: true for all "
            f"pairs, found {len(second)}",
        )
        return
    paired = pairs(first, second, cross=False)
    for _, again in repeated(paired):
        a, b = paired[again]
        yield ConfigIssue(
            (other,), f"expected each pair of sizes once, found [{a:.15g}, {b:.15g}] again"
        )
        return


def _mean_counts_are_small(form: Form, sizes: Sizes, truth: Truth | PairTruth) -> Issues:
    """Without a largest outcome, the mean count is the product of the rate and the exposure."""
    if form.family.is_bounded or not form.family.has_outcomes:
        return
    truths: dict[KeyPath, Truth] = (
        {("truth", "first"): truth.first, ("truth", "second"): truth.second}
        if isinstance(truth, PairTruth)
        else {("truth",): truth}
    )
    for name, (path, each) in zip(form.family.sizes, truths.items(), strict=True):
        if name not in sizes:
            continue
        exposure, rate = max(sizes[name]), each.effective_support[1]
        if not rate <= LARGEST_COUNT / exposure:
            yield ConfigIssue(
                path,
                f"expected mean counts, rate times {name}, of at most 10^9, "
                f"found {rate:.6g} times {exposure:.6g}",
            )


def _labels_are_distinct(methods: Sequence[MethodSpec | None]) -> Issues:
    # A method that is not valid has no label, and None would be repeated.
    labels = [i if method is None else method.label for i, method in enumerate(methods)]
    for first, again in repeated(labels):
        yield ConfigIssue(
            ("methods", again, "label"),
            f"expected a unique label, found {labels[again]!r}, which methods[{first}] has",
        )


def _of_the_catalogue(
    form: Form, methods: Sequence[MethodSpec | None]
) -> Iterator[tuple[int, Method]]:
    """The methods of the family's catalogue with their places in the list."""
    for i, spec in enumerate(methods):
        known = None if spec is None else CATALOGUE[form.family.name].get(spec.name or "")
        if known is not None:
            yield i, known


def _methods_take_the_sizes(
    form: Form, sizes: Sizes, methods: Sequence[MethodSpec | None]
) -> Issues:
    largest = {name: max(listed) for name, listed in sizes.items()}
    for i, known in _of_the_catalogue(form, methods):
        if largest and not known.takes_sizes(largest.values()):
            yield ConfigIssue(("methods", i), known.size_advice(largest))


def _methods_have_their_population(
    form: Form, methods: Sequence[MethodSpec | None], sampling: Law | None
) -> Issues:
    for i, known in _of_the_catalogue(form, methods):
        try:
            known.validate_sampling(*population_and_title(sampling))
        except InputError as fault:
            yield ConfigIssue(("methods", i), str(fault))


def _trials_per_truth_have_discrete_truths(
    form: Form, truth: Truth | PairTruth, trials: Trials | None
) -> Issues:
    if trials is not None and trials.kind == "per_truth" and not truth.is_discrete:
        others = " or ".join(["per_outcome"] * form.family.is_bounded + ["per_size"])
        yield ConfigIssue(
            ("trials", "per_truth"),
            f"expected {others}, found per_truth, which needs a truth that is a "
            "grid or a list of values",
        )


def _trials_per_outcome_have_finitely_many(form: Form, trials: Trials | None) -> Issues:
    family = form.family
    counted = family.is_bounded and family.has_outcomes
    if trials is not None and trials.kind == "per_outcome" and not counted:
        bounded = ", ".join(
            name for name, each in FAMILIES.items() if each.is_bounded and each.has_outcomes
        )
        yield ConfigIssue(
            ("trials", "per_outcome"),
            "expected per_size or per_truth, found per_outcome, which needs a family with "
            f"finitely many outcomes ({bounded})",
        )


def _monte_carlo_has_trials(
    raw: Mapping[str, Any], engines: Sequence[str], trials: Trials | None
) -> Issues:
    if MONTE_CARLO in engines and trials is None:
        yield ConfigIssue(
            ("engines", raw["engines"].index(MONTE_CARLO)),
            "expected trials (per_outcome, per_size, per_truth or half_width) with monte_carlo, "
            "found none",
        )


def _monte_carlo_has_seed(engines: Sequence[str], seed: int | None) -> Issues:
    if MONTE_CARLO in engines:
        yield from _seed_is_given(seed, MONTE_CARLO)


def _calibration_has_seed(seed: int | None) -> Issues:
    yield from _seed_is_given(seed, "a calibration")


def _seed_is_given(seed: int | None, what: str) -> Issues:
    if seed is None:
        yield ConfigIssue(
            ("seed",),
            "expected a whole number, found nothing: a seed is required because "
            f"{what} draws random numbers",
        )


def _thinned_draws_have_bounded_distribution(form: Form, draws: str, truth: Truth) -> Issues:
    """Tables cover the range of the truths."""
    if draws == THINNED and (truth.is_discrete or math.isinf(truth.support[1])):
        kinds = "uniform or beta" if form.family.is_bounded else "uniform"
        yield _thinned_needs(f"a truth that is {kinds}")


def _thinned_draws_are_made(draws: str, engines: Sequence[str]) -> Issues:
    if draws == THINNED and MONTE_CARLO not in engines:
        yield _thinned_needs("monte_carlo among the engines")


def _thinned_needs(what: str) -> ConfigIssue:
    return ConfigIssue(("draws",), f"expected numpy, found thinned, which needs {what}")


def _sizes_and_truths_fit_the_law(
    sizes: Sizes, truth: Truth | PairTruth, sampling: Law | None
) -> Issues:
    """The sizes and the listed truths that the law has, the first wrong one of each."""
    if sampling is None:
        return
    for name, listed in sizes.items():
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


def _engines_fit_the_law(
    form: Form,
    raw: Mapping[str, Any],
    engines: Sequence[str],
    truth: AnyTruth,
    sampling: Law | None,
) -> Issues:
    """A posterior is that of the family's own law; others have exact values at listed truths."""
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
            ("engines", raw["engines"].index(POSTERIOR)),
            f"expected {MONTE_CARLO} or {ENUMERATION} with {sampling.title}, found {POSTERIOR}, "
            f"which holds for {own_sampling(form.family)} outcomes",
        )
    if ENUMERATION in engines and not truth.is_discrete:
        yield ConfigIssue(
            ("truth",),
            f"expected a grid or a list of values with {ENUMERATION}, which has no exact values "
            f"under a distribution for {sampling.title}, found {describe(raw.get('truth'))}",
        )


def _thinned_draws_have_no_law(form: Form, draws: str, sampling: Law | None) -> Issues:
    if draws == THINNED and sampling is not None:
        yield _thinned_needs(f"sampling: {own_sampling(form.family)}")


def _outcomes_can_occur(form: Form, sizes: Sizes, outcomes: Outcomes) -> Issues:
    """Each listed outcome occurs at each size."""
    (name, *_) = form.family.sizes
    if not form.family.is_bounded or not isinstance(outcomes, tuple) or name not in sizes:
        return
    smallest = min(sizes[name])
    for i, x in enumerate(outcomes):
        if x > smallest:
            yield ConfigIssue(
                ("outcomes", "values", i),
                f"expected an outcome of at most {smallest}, the smallest {name}, found {x}",
            )


def _groups_have_all_outcomes(
    raw: Mapping[str, Any], group: Group | None, outcomes: Outcomes
) -> Issues:
    if group is not None and outcomes is not None:
        found = describe(raw["outcomes"])
        yield ConfigIssue(("group",), f"expected outcomes: all with groups, found {found}")


def _enumeration_has_exact_values(
    form: Form,
    raw: Mapping[str, Any],
    engines: Sequence[str],
    truth: AnyTruth,
) -> Issues:
    if ENUMERATION in engines and not truth.is_discrete and POSTERIOR not in form.family.engines:
        yield ConfigIssue(
            ("truth",),
            f"expected a list of tables with enumeration, which has no exact values under a "
            f"distribution for the family {form.family.name}, found {describe(raw['truth'])}",
        )


def _closed_form_has_values(
    form: Form, raw: Mapping[str, Any], engines: Sequence[str], truth: AnyTruth
) -> Issues:
    if CLOSED_FORM not in engines or form.family.has_closed_form(truth):
        return
    if estimand := cast(RunTruth, truth).estimand:
        yield ConfigIssue(
            ("engines", raw["engines"].index(CLOSED_FORM)),
            f"expected {MONTE_CARLO} with estimand: {flow(estimand['estimand'])}, found "
            f"{CLOSED_FORM}, which has values for the mean alone",
        )
    else:
        yield ConfigIssue(
            ("truth",),
            f"expected a normal truth with {CLOSED_FORM}, which has no values under another, "
            f"found {next(iter(truth.content()))}",
        )


def _runs_are_several(form: Form, sizes: Sizes) -> Issues:
    """One run has no standard deviation."""
    smallest = design_for(form.family).smallest_size
    for name, listed in sizes.items():
        if smallest > 1 and min(listed) < smallest:
            what = form.family.size_in_words.removeprefix("number of ")
            words = f"expected at least {smallest} {what}, found {min(listed):g}"
            yield ConfigIssue((name,), words)


def _lists_are_simulated(form: Form, engines: Sequence[str]) -> Issues:
    if not form.family.has_outcomes and MONTE_CARLO not in engines:
        yield ConfigIssue(
            ("trials",),
            f"expected trials (per_size, per_truth or half_width), since the data of "
            f"{form.family.name} are simulated, found none",
        )


def _strata_are_paired(form: Form, sizes: Sizes, truth: AnyTruth) -> Issues:
    """Every scenario has a size of both samples in each stratum of the truth."""
    if not design_for(form.family).sizes_are_lists or set(form.family.sizes) - set(sizes):
        return
    name, other = form.family.sizes
    first, second = sizes[name], sizes[other]
    if 1 not in (len(first), len(second)) and len(first) != len(second):
        yield ConfigIssue(
            (other,), f"expected as many lists as {name} has ({len(first)}), found {len(second)}"
        )
        return
    expected = cast(StratumTruth, truth).strata
    for key, listed in ((name, first), (other, second)):
        for row in listed:
            found = len(cast(Sequence[float], row))
            if found != expected:
                yield ConfigIssue(
                    (key,), f"expected {expected} strata, as the truth has, found {found}"
                )
                return


def _reference_has_distribution(reference: str, truth: Truth | PairTruth) -> Issues:
    if reference == "truth" and truth.is_discrete:
        yield _reference_needs("a truth that is a distribution")


def _reference_has_all_outcomes(reference: str, outcomes: Outcomes) -> Issues:
    if reference == "truth" and outcomes is not None:
        yield _reference_needs("outcomes: all")


def _reference_has_posterior(reference: str, engines: Sequence[str]) -> Issues:
    if reference == "truth" and POSTERIOR not in engines:
        yield _reference_needs("posterior among the engines")


def _reference_needs(what: str) -> ConfigIssue:
    return ConfigIssue(("reference",), f"expected prior, found truth, which needs {what}")


def _sizes_in_tables(form: Form, values: Mapping[str, Any]) -> list[Any]:
    """The sizes as the tables have them: of strata the sums over them."""
    sizes = sizes_of(form, values["sizes"], values.get(CROSS, False))
    if not design_for(form.family).sizes_are_lists:
        return list(sizes)
    return [tuple(sum(cast(Sequence[int], each)) for each in cast(Any, size)) for size in sizes]


def facts_of(form: Form, values: Mapping[str, Any]) -> ExperimentFacts:
    """What is known of the experiment by the valid values of its config."""
    sizes, methods = values["sizes"], values.get("methods", [None])
    known, trials = set(form.family.sizes) <= set(sizes), values.get("trials")
    is_coverage = form.kind == COVERAGE
    return ExperimentFacts(
        kind=form.kind,
        family=form.family,
        family_is_valid="family" in values,
        sizes=_sizes_in_tables(form, values) if is_coverage and known else (),
        alphas=values.get("alpha"),
        sides=None if None in methods else {each.label: each.side for each in methods},
        truth=values.get("truth"),
        engines=values.get("engines"),
        trials=trials.kind if isinstance(trials, TrialCount | Precision) else None,
        outcomes=values.get("outcomes"),
    )


def broken_figures(form: Form, values: Mapping[str, Any]) -> Issues:
    """Hold each valid figure against what is valid of the rest of the config."""
    facts = facts_of(form, values)
    figures: Sequence[FigureOptions | None] = values.get("figures") or ()
    for i, options in enumerate(figures):
        if options is not None:
            for option, message in unmet_requirements(kind_of(options), options, facts):
                yield ConfigIssue(("figures", i, option), message)


RULES: dict[str, tuple[Callable[..., Issues], ...]] = {
    COVERAGE: (
        _levels_are_distinct,
        _sizes_are_paired,
        _mean_counts_are_small,
        _labels_are_distinct,
        _methods_take_the_sizes,
        _methods_have_their_population,
        _trials_per_truth_have_discrete_truths,
        _trials_per_outcome_have_finitely_many,
        _monte_carlo_has_trials,
        _monte_carlo_has_seed,
        _thinned_draws_have_bounded_distribution,
        _thinned_draws_are_made,
        _thinned_draws_have_no_law,
        _sizes_and_truths_fit_the_law,
        _engines_fit_the_law,
        _outcomes_can_occur,
        _groups_have_all_outcomes,
        _enumeration_has_exact_values,
        _closed_form_has_values,
        _lists_are_simulated,
        _runs_are_several,
        _strata_are_paired,
        _reference_has_distribution,
        _reference_has_all_outcomes,
        _reference_has_posterior,
    ),
    CALIBRATION: (_levels_are_distinct, _mean_counts_are_small, _calibration_has_seed),
}
"""By the kind of experiment."""
