"""A coverage experiment: the record of a valid config, each attribute with its keys.

The annotation of an attribute has its key, or a function from the family to its keys, as
`config.form` says. The keys stand in the order in which they are validated and written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from harness.base.models import Word
from harness.callers.source import CatalogueSource, Source
from harness.catalogue import design_for, scenario_for
from harness.config.form import Key, Keys, plain
from harness.config.models.case_truths import Estimand
from harness.config.models.methods import Alphas, method_type, write_method
from harness.config.models.outcomes import (
    OutcomeGroup,
    outcomes_type,
    sampling_type,
    sampling_words,
    write_group,
    write_outcomes,
    write_sampling,
)
from harness.config.models.sizes import (
    sizes_type,
    stratum_sizes_type,
)
from harness.config.models.stopping import stopping_key
from harness.config.models.trials import Trials as TrialsType
from harness.config.models.trials import write_trials
from harness.config.models.truths import truth_of
from harness.config.shared_keys import (
    CROSS,
    USUAL_KIND,
    ExecutionKey,
    FamilyExperiment,
    SeedKey,
    figures_key,
    kind_and_family,
    prior_key,
)
from harness.config.values import Execution, MethodSpec, Size, Trials
from harness.designs.design import AnyTruth, Scenario
from harness.designs.results import Group
from harness.designs.stopping.open_rule import OpenRule
from harness.distributions.list_truths import MEAN, written_estimand
from harness.distributions.sampling.law import NUMPY, THINNED, Law
from harness.distributions.truths import Prior
from harness.families.catalogue import FAMILIES
from harness.families.family import Family
from harness.figures.kind import FigureSpec
from harness.methods.catalogue import find

Reference = Annotated[str, Word("a reference", ("prior", "truth"))]
DrawsFrom = Annotated[str, Word("a source of draws", (NUMPY, THINNED))]


def _unless(usual: str) -> Callable[[str], str | None]:
    """Write a word unless it is the usual one."""
    return lambda word: None if word == usual else word


# The keys that differ between families.


def key_where(
    is_had: Callable[[Family], Any], key: Key | Callable[[Family], Key]
) -> Callable[[Family], Key | None]:
    """The key of what some families have; none of the others.

    Args:
        is_had: whether a family has it.
        key: the key, or a function from the family to it.
    """

    def stated(family: Family) -> Key | None:
        if not is_had(family):
            return None
        return key if isinstance(key, Key) else key(family)

    return stated


def _unless_lists(key: Key | Callable[[Family], Key]) -> Callable[[Family], Key | None]:
    """The key of what numbered outcomes have; none where data are lists."""
    return key_where(lambda family: family.has_outcomes, key)


def methods_key(about: str, *, is_needed: bool = True) -> Callable[[Family], Key]:
    """The key of the methods that are compared, without which all of some kind are."""

    def of_family(family: Family) -> Key:
        method: Any = method_type(family)
        kind: Any = Annotated[list[method], Field(min_length=1)]
        kind, default = (kind, ...) if is_needed else (kind | None, None)
        return Key(kind, about, default, write=lambda specs: [write_method(spec) for spec in specs])

    return of_family


def size_keys(family: Family) -> Keys:
    """The keys of the sizes of a family."""
    if design_for(family).sizes_are_lists:
        about = "Sizes over the strata: a list, or a list of lists for several scenarios."
        kind = stratum_sizes_type()
        return {name: _size(i, kind, about) for i, name in enumerate(family.sizes)}
    sizes, levels = sizes_type(family), "one, a list, or {log_grid: {start, stop, count}}."
    if not family.sizes[1:]:
        return {family.sizes[0]: Key(sizes, f"Sizes: {levels}")}
    first, *others = family.sizes
    abouts = family.sizes_in_words
    about_cross = f"Whether every {first} goes with every {' and every '.join(others)}."
    return {
        first: _size(0, sizes, f"{abouts[0]}: {levels}"),
        **{
            name: _size(i, sizes, f"{abouts[i]}, paired with {first}: {levels}")
            for i, name in enumerate(others, 1)
        },
        # The sizes of an experiment are paired already.
        CROSS: Key(bool, about_cross, False, write=lambda sizes: None),
    }


def _size(sample: int, kind: Any, about: str) -> Key:
    """The key of the sizes of one of several samples; those of a scenario have the same index."""

    def write(sizes: Sequence[tuple[Any, ...]]) -> Any:
        return plain(tuple(size[sample] for size in sizes))

    return Key(kind, about, write=write)


def alpha_key(family: Family) -> Keys:
    """The key of the alphas."""
    return {"alpha": Key(Alphas, "Nominal probability of a miss: one, or a list.", 0.05)}


def _estimand(family: Family) -> Key | None:
    """Validated before the truth, which takes it."""
    about = (
        "What intervals are scored against: the mean, median or {quantile} of the distribution of "
        "a run. It is for functions of your own; intervals of the catalogue are of the mean."
    )

    def write(quantile: float | None) -> Any:
        return None if quantile is None else written_estimand(quantile)

    return Key(Estimand, about, MEAN, write=write) if family.has_estimands else None


def _truth(family: Family) -> Keys:
    truth = truth_of(family)
    return {"truth": Key(truth.kind, truth.about, truth.default, write=lambda truth: truth)}


def _sampling(family: Family) -> Key | None:
    if family.own_law is None:
        return None
    about = f"How outcomes arise: {sampling_words(family)}."
    return Key(sampling_type(family), about, family.own_law, write=write_sampling)


def _outcomes(family: Family) -> Key:
    """Which outcomes are reported."""
    kind, words = outcomes_type(family)
    return Key(kind, f"What posterior covers: {words}.", "all", write=write_outcomes)


def _engines(family: Family) -> Key:
    engine: Any = Annotated[str, Word("an engine", family.engines)]
    about = "Left out, all three; without trials, posterior and enumeration."
    if not family.has_outcomes:
        about = f"Left out, all that there are: {', '.join(family.engines)}."
    return Key(Annotated[list[engine], Field(min_length=1)] | None, about, None)


@dataclass(frozen=True, kw_only=True)
class Experiment(FamilyExperiment):
    """A config of the kind ``coverage``, fully resolved."""

    family: Annotated[Family, kind_and_family(USUAL_KIND, "a family", FAMILIES)]
    sizes: Annotated[tuple[Size, ...], size_keys]
    """Ascending and distinct."""
    alphas: Annotated[tuple[float, ...], alpha_key]
    methods: Annotated[
        tuple[MethodSpec, ...],
        methods_key(
            "A catalogue name, {name, side, prior, label}, {path, function, label}, "
            "{module, function, label}, {table, label}, {command, label} or {r, arg, label}."
        ),
    ]
    estimand: Annotated[float | None, _estimand] = None
    """The probability of the quantile that intervals are scored against; None for the parameter of
    the family."""
    truth: AnyTruth
    written_truth: Annotated[Mapping[str, Any], _truth]
    """The truth as plain data, in which a grid is still a grid."""
    stopping: Annotated[OpenRule | None, stopping_key] = None
    """The rule by which trials end before n; None where their number is fixed."""
    sampling: Annotated[Law | None, _sampling] = None
    """How outcomes arise; None where they are binomial or Poisson, as the family has it."""
    trials: Annotated[
        Trials | None,
        Key(TrialsType | None, "How many Monte Carlo trials.", None, write=write_trials),
    ]
    """None where no Monte Carlo trials are made."""
    draws: Annotated[
        str,
        key_where(
            lambda family: family.has_single_count and family.law is None,
            Key(
                DrawsFrom,
                "Where Monte Carlo outcomes come from: NumPy's generators, or tables, which are "
                "faster at uniform and beta truths up to n = 500.",
                NUMPY,
                write=_unless(NUMPY),
            ),
        ),
    ] = NUMPY
    """``numpy`` or ``thinned``: where the outcomes of Monte Carlo trials come from."""
    outcomes: Annotated[int | tuple[int, ...] | None, _unless_lists(_outcomes)] = None
    """None: every outcome that can occur. Otherwise the number of fractions of n, from 0 to 1, or
    the outcomes themselves, ascending."""
    reference: Annotated[
        Literal["prior", "truth"],
        _unless_lists(
            Key(
                Reference,
                "The distribution under which posterior computes alpha errors: that from the "
                "reference prior, or that from the truth itself.",
                "prior",
                write=_unless("prior"),
            )
        ),
    ] = "prior"
    """The distribution under which ``posterior`` computes alpha errors: the posterior from the
    reference prior, or from the truth itself."""
    group: Annotated[
        Group | None,
        key_where(
            lambda family: family.has_single_count,
            Key(
                OutcomeGroup | None,
                "Neighbouring outcomes in one cell: {width}, or {width, last}.",
                None,
                write=write_group,
            ),
        ),
    ] = None
    engines: Annotated[tuple[str, ...], _engines]
    reference_prior: Annotated[Prior, _unless_lists(prior_key("of the posterior engine"))]
    """The parameters of the prior of the engine ``posterior``."""
    seed: Annotated[int, SeedKey]
    execution: Annotated[Execution, ExecutionKey]
    figures: Annotated[tuple[FigureSpec, ...], figures_key]
    worst_cases: bool = True
    """Whether the exact engines search worst cases; a caller who knows them can do without."""
    kind: ClassVar[str] = USUAL_KIND
    form_title: ClassVar[str] = "Coverage of intervals for"

    @cached_property
    def catalogue_sources(self) -> Mapping[str, Source]:
        """The sources of the limits of the methods of the catalogue, by their labels."""
        return {
            spec.label: CatalogueSource(spec.label, find(self.family, spec.name), spec.prior)
            for spec in self.methods
            if spec.name is not None
        }

    @cached_property
    def scenarios(self) -> tuple[Scenario, ...]:
        """The scenario of each size."""
        # Limits may depend on more than the discordant pairs and n; those of a user's methods do.
        sources = self.catalogue_sources
        with_both = any(
            spec.label not in sources or sources[spec.label].uses_both for spec in self.methods
        )
        return tuple(
            scenario_for(
                self.family,
                size,
                self.truth,
                draws=self.draws,
                law=self.sampling,
                with_both=with_both,
            )
            for size in self.sizes
        )
