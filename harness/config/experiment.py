"""Experiments: frozen records of valid configs, each attribute with the keys that decide it.

The annotation of an attribute has its key, or a function from the family to its keys, as
`config.key` says. The keys stand in the order in which they are validated and written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, WithJsonSchema

from harness.callers.process import TIMEOUT
from harness.config.key import Key, Keys, key, plain
from harness.config.models.case_truths import Estimand
from harness.config.models.constraints import Word, expecting, is_one_line
from harness.config.models.figures import figure_type, write_figures
from harness.config.models.methods import Alphas, method_type, prior_type, write_method
from harness.config.models.outcomes import (
    OutcomeGroup,
    outcomes_type,
    own_sampling,
    sampling_type,
    sampling_words,
    write_group,
    write_outcomes,
    write_sampling,
)
from harness.config.models.sizes import (
    delta_type,
    size_range_type,
    sizes_type,
    stratum_sizes_type,
    write_range,
)
from harness.config.models.stopping import stopping_key
from harness.config.models.trials import (
    Count,
    ExecutionSettings,
    write_execution,
    write_trials,
)
from harness.config.models.trials import Trials as TrialsType
from harness.config.models.truths import distributions_type, truth_of, written_truth
from harness.config.simulation import Simulation
from harness.config.values import Execution, MethodSpec, Size, SizeRange, Trials
from harness.designs.design import AnyTruth, design_for
from harness.designs.results import Group
from harness.designs.simulation import SIMULATION
from harness.distributions.list_truths import MEAN, written_estimand
from harness.distributions.sampling.law import NUMPY, THINNED, Law
from harness.distributions.truths import PairTruth, Prior
from harness.families.catalogue import FAMILIES, LARGEST_BETA
from harness.families.confusion import BETA
from harness.families.family import Family
from harness.figures.kind import FigureSpec

COVERAGE, CALIBRATION = "coverage", "calibration"
"""The kinds of experiments."""
FAMILIES_OF = {
    COVERAGE: FAMILIES,
    CALIBRATION: {name: each for name, each in FAMILIES.items() if each.samples == 2},
}
"""The families that each kind of experiment has."""

CROSS = "cross"
LONGEST_SEGMENT = 100
_SEGMENT = r"[A-Za-z0-9_-][A-Za-z0-9._-]*"


def _are_segments(name: str) -> bool:
    return all(
        re.fullmatch(_SEGMENT, segment)
        and ".." not in segment
        and not segment.endswith(".")
        and len(segment) <= LONGEST_SEGMENT
        for segment in name.split("/")
    )


Name = Annotated[
    str,
    expecting("a name of letters, digits, '.', '_', '-', in parts joined by '/'", _are_segments),
    WithJsonSchema({"type": "string", "pattern": f"^{_SEGMENT}(/{_SEGMENT})*$"}),
]
Title = Annotated[str, expecting("one line of text", is_one_line)]
Seed = Annotated[int, Field(ge=0, le=2**128 - 1), expecting("a whole number from 0 to 2^128 - 1")]
Reference = Annotated[str, Word("a reference", ("prior", "truth"))]
DrawsFrom = Annotated[str, Word("a source of draws", (NUMPY, THINNED))]
Beta = Annotated[
    float, Field(ge=1 / LARGEST_BETA, le=LARGEST_BETA), expecting("a number from 0.01 to 100")
]
Bins = Annotated[int, Field(ge=2, le=1000), expecting("a whole number of bins from 2 to 1000")]


# The keys that both kinds of experiments have.


def _kind_and_family(kind: str, what: str) -> Callable[[Family], Keys]:
    """Both keys of a kind of experiment, whose families ``what`` names."""
    about = (
        "coverage: how often intervals miss; calibration: whether probabilities hold; "
        "simulation: a study with a model and methods of your own."
    )
    # A coverage experiment is what a config without a kind is.
    default, written = (COVERAGE, None) if kind == COVERAGE else (..., kind)
    kinds = Annotated[
        str, Word("a kind of experiment", (COVERAGE, CALIBRATION, SIMULATION)), _constant(kind)
    ]

    def keys(family: Family) -> Keys:
        names = Annotated[str, Word(what, tuple(FAMILIES_OF[kind])), _constant(family.public_name)]
        found = {
            "kind": key(kinds, about, default, write=lambda _: written),
            "family": key(names, "What is estimated.", write=lambda _: family.public_name),
        }
        if BETA in family.settings:
            about_beta = "Of an F score: how many times as much recall counts as precision."
            found[BETA] = key(Beta, about_beta, 1, write=lambda _: plain(family.settings[BETA]))
        return found

    return keys


def _unless(usual: str) -> Callable[[str], str | None]:
    """Write a word unless it is the usual one."""
    return lambda word: None if word == usual else word


def _constant(word: str) -> WithJsonSchema:
    """The one word that the key can have in this form."""
    return WithJsonSchema({"type": "string", "const": word})


def _prior_key(family: Family, of_what: str) -> Key:
    """A prior, flat by default; ``of_what`` ends its description."""
    flat = [int(value) for value in family.model.FLAT_PRIOR]
    return key(prior_type(family), f"{family.prior_form} prior {of_what}.", flat)


NameKey = key(Name, "Results go to results/<name>; plain path segments.")
TitleKey = key(Title | None, "Left out, the name.", None)
SeedKey = key(
    Seed | None,
    "Every random number follows from it; it is required where random numbers are drawn.",
    None,
)
ExecutionKey = key(
    ExecutionSettings,
    "Where the work runs.",
    {"jobs": -1, "backend": "threading", "timeout": TIMEOUT},
    write=write_execution,
)


def _figures(family: Family) -> Key:
    """Made when a form is, since there are many kinds."""
    figure: Any = figure_type()
    about = (
        "Figures to draw, each with its options; left out, a few that suit the family and the "
        "sizes; [] draws none."
    )
    return key(list[figure] | None, about, None, write=write_figures)


# The keys of coverage experiments that differ between families.


def _sizes(family: Family) -> Keys:
    if design_for(family).sizes_are_lists:
        about = "Sizes over the strata: a list, or a list of lists for several scenarios."
        kind = stratum_sizes_type()
        return {name: _size(i, kind, about) for i, name in enumerate(family.sizes)}
    sizes, levels = sizes_type(family), "one, a list, or {log_grid: {start, stop, count}}."
    if not family.sizes[1:]:
        return {family.sizes[0]: key(sizes, f"Sizes: {levels}")}
    first, second = family.sizes
    of_first, of_second = "Sizes of the first sample", "Sizes of the second sample"
    if family.has_clusters:
        of_first, of_second = "Numbers of clusters", "Cases of each cluster"
    if family.scores:
        of_first, of_second = "Numbers of positives", "Numbers of negatives"
    about_cross = f"Whether every {first} goes with every {second}."
    return {
        first: _size(0, sizes, f"{of_first}: {levels}"),
        second: _size(1, sizes, f"{of_second}, paired with {first}: {levels}"),
        # The sizes of an experiment are paired already.
        CROSS: key(bool, about_cross, False, write=lambda sizes: None),
    }


def _size(sample: int, kind: Any, about: str) -> Key:
    """The key of the sizes of one of several samples; those of a scenario have the same index."""

    def write(sizes: Sequence[tuple[Any, ...]]) -> Any:
        return plain(tuple(size[sample] for size in sizes))

    return key(kind, about, write=write)


def _alpha(family: Family) -> Keys:
    return {"alpha": key(Alphas, "Nominal probability of a miss: one, or a list.", 0.05)}


def _methods(family: Family) -> Key:
    method: Any = method_type(family)
    about = (
        "A catalogue name, {name, side, prior, label}, {path, function, label}, "
        "{module, function, label}, {table, label}, {command, label} or {r, arg, label}."
    )
    kind = Annotated[list[method], Field(min_length=1)]
    return key(kind, about, write=lambda specs: [write_method(each) for each in specs])


def _estimand(family: Family) -> Key | None:
    """Validated before the truth, which takes it."""
    about = (
        "What intervals are scored against: the mean, median or {quantile} of the distribution of "
        "a run. It is for functions of your own; intervals of the catalogue are of the mean."
    )

    def write(quantile: float | None) -> Any:
        return None if quantile is None else written_estimand(quantile)

    return key(Estimand, about, MEAN, write=write) if family.has_estimands else None


def _truth(family: Family) -> Keys:
    truth = truth_of(family)
    return {"truth": key(truth.kind, truth.about, truth.default, write=lambda truth: truth)}


def _sampling(family: Family) -> Key | None:
    own = own_sampling(family)
    if own is None:
        return None
    about = f"How outcomes arise: {sampling_words(family)}."
    return key(sampling_type(family), about, own, write=write_sampling)


def _draws(family: Family) -> Key | None:
    about = (
        "Where Monte Carlo outcomes come from: NumPy's generators, or tables, which are faster "
        "at uniform and beta truths up to n = 500."
    )
    draws = key(DrawsFrom, about, NUMPY, write=_unless(NUMPY))
    return draws if family.has_single_count else None


def _outcomes(family: Family) -> Key | None:
    """Which outcomes are reported; there are none where data are lists."""
    if not family.has_outcomes:
        return None
    kind, words = outcomes_type(family)
    return key(kind, f"What posterior covers: {words}.", "all", write=write_outcomes)


def _reference(family: Family) -> Key | None:
    about = (
        "The distribution under which posterior computes alpha errors: that from the "
        "reference prior, or that from the truth itself."
    )
    reference = key(Reference, about, "prior", write=_unless("prior"))
    return reference if family.has_outcomes else None


def _group(family: Family) -> Key | None:
    about = "Neighbouring outcomes in one cell: {width}, or {width, last}."
    group = key(OutcomeGroup | None, about, None, write=write_group)
    return group if family.has_single_count else None


def _engines(family: Family) -> Key:
    engine: Any = Annotated[str, Word("an engine", family.engines)]
    about = "Left out, all three; without trials, posterior and enumeration."
    if not family.has_outcomes:
        about = f"Left out, all that there are: {', '.join(family.engines)}."
    return key(Annotated[list[engine], Field(min_length=1)] | None, about, None)


def _reference_prior(family: Family) -> Key | None:
    return _prior_key(family, "of the posterior engine") if family.has_outcomes else None


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A config of the kind ``coverage``, fully resolved."""

    name: Annotated[str, NameKey]
    title: Annotated[str, TitleKey]
    family: Annotated[Family, _kind_and_family(COVERAGE, "a family")]
    sizes: Annotated[tuple[Size, ...], _sizes]
    """Ascending and distinct."""
    alphas: Annotated[tuple[float, ...], _alpha]
    methods: Annotated[tuple[MethodSpec, ...], _methods]
    estimand: Annotated[float | None, _estimand] = None
    """The probability of the quantile that intervals are scored against; None for the parameter of
    the family."""
    truth: AnyTruth
    written_truth: Annotated[Mapping[str, Any], _truth]
    """The truth as plain data, in which a grid is still a grid."""
    stopping: Annotated[Mapping[str, Any] | None, stopping_key] = None
    """The rule by which trials end before n; None where their number is fixed."""
    sampling: Annotated[Law | None, _sampling] = None
    """How outcomes arise; None where they are binomial or Poisson, as the family has it."""
    trials: Annotated[
        Trials | None,
        key(TrialsType | None, "How many Monte Carlo trials.", None, write=write_trials),
    ]
    """None where no Monte Carlo trials are made."""
    draws: Annotated[str, _draws] = NUMPY
    """``numpy`` or ``thinned``: where the outcomes of Monte Carlo trials come from."""
    outcomes: Annotated[int | tuple[int, ...] | None, _outcomes] = None
    """None: every outcome that can occur. Otherwise the number of fractions of n, from 0 to 1, or
    the outcomes themselves, ascending."""
    reference: Annotated[Literal["prior", "truth"], _reference] = "prior"
    """The distribution under which ``posterior`` computes alpha errors: the posterior from the
    reference prior, or from the truth itself."""
    group: Annotated[Group | None, _group] = None
    engines: Annotated[tuple[str, ...], _engines]
    reference_prior: Annotated[Prior, _reference_prior]
    """The parameters of the prior of the engine ``posterior``."""
    seed: Annotated[int, SeedKey]
    execution: Annotated[Execution, ExecutionKey]
    figures: Annotated[tuple[FigureSpec, ...], _figures]
    figures_are_suggested: bool = field(default=False, compare=False)
    """Whether the config named no figures, so that these are those that suit it."""
    kind: ClassVar[str] = COVERAGE


# The keys of calibrations that differ between families.


def _size_ranges(family: Family) -> Keys:
    def of_sample(sample: int, which: str) -> Key:
        about = f"Size of the {which} sample: one, or {{uniform: [a, b]}}."

        def write(sizes: Sequence[SizeRange]) -> Any:
            return write_range(sizes[sample].lower, sizes[sample].upper)

        return key(size_range_type(family), about, write=write)

    first, second = family.sizes
    return {first: of_sample(0, "first"), second: of_sample(1, "second")}


def _distributions(family: Family) -> Key:
    about = "Where the true parameters come from: {first, second}."
    kind, default = distributions_type(family), truth_of(family).default
    return key(kind, about, default, write=lambda truth: written_truth(truth.content()))


def _delta(family: Family) -> Key:
    about = "The value that the parameter is compared with: one, or {uniform: [a, b]}."
    return key(delta_type(family), about, write=lambda delta: write_range(*delta))


def _prior(family: Family) -> Key:
    return _prior_key(family, "of each sample")


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """A config of the kind ``calibration``, fully resolved: how often do probable events happen?

    In each trial both sizes, both true values and delta are drawn.
    """

    name: Annotated[str, NameKey]
    title: Annotated[str, TitleKey]
    family: Annotated[Family, _kind_and_family(CALIBRATION, "a family of two samples")]
    sizes: Annotated[tuple[SizeRange, SizeRange], _size_ranges]
    truth: Annotated[PairTruth, _distributions]
    """Two distributions."""
    delta: Annotated[tuple[float, float], _delta]
    """Drawn uniformly between the two; fixed where they are equal."""
    trials: Annotated[int, key(Count, "How many Monte Carlo trials.")]
    bins: Annotated[
        int, key(Bins, "Equal parts of [0, 1] that the probabilities are counted in.", 20)
    ]
    prior: Annotated[Prior, _prior]
    """The parameters of the prior of each sample."""
    seed: Annotated[int, SeedKey]
    execution: Annotated[Execution, ExecutionKey]
    figures: Annotated[tuple[FigureSpec, ...], _figures]
    figures_are_suggested: bool = field(default=False, compare=False)
    """Whether the config named no figures, so that these are those that suit it."""
    kind: ClassVar[str] = CALIBRATION


AnyExperiment = Experiment | Calibration | Simulation
"""What a config may mean."""


def family_name(experiment: AnyExperiment) -> str:
    """Return the name of the family in messages; of a study, which has no family, its kind."""
    return SIMULATION if isinstance(experiment, Simulation) else experiment.family.name
