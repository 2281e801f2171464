"""The forms of a config: which keys it has, by the kind of experiment and the family."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema, create_model
from pydantic.fields import FieldInfo
from pydantic.json_schema import models_json_schema

from harness.base.models import StrictModel
from harness.base.text import plain_number
from harness.callers.process import TIMEOUT
from harness.config.experiment import CALIBRATION, COVERAGE, SizeRange
from harness.config.models.constraints import Word, expecting, model_name, one_line
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
from harness.config.models.trials import (
    Count,
    ExecutionSettings,
    Trials,
    write_execution,
    write_trials,
)
from harness.config.models.truths import distributions_type, truth_of, written_truth
from harness.designs.design import design_for
from harness.distributions.sampling.law import NUMPY, THINNED
from harness.families.catalogue import FAMILIES
from harness.families.family import Family

CROSS = "cross"
LONGEST_SEGMENT = 100
_SEGMENT = r"[A-Za-z0-9_-][A-Za-z0-9._-]*"


def _plain(value: Any) -> Any:
    """Numbers and texts as they are, a tuple of them as a list."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return plain_number(value) if isinstance(value, float) else value


class Key(NamedTuple):
    """A key of a config: what it may hold, what it means, and how a resolved config has it."""

    kind: Any
    """The type of its value, which yields what the experiment holds."""
    field: FieldInfo
    """Its default and its description."""
    attribute: str | None
    """That of the experiment which it decides; None for the one of its own name."""
    write: Callable[[Any], Any]
    """Makes plain data of the attribute; None where the key is left out."""


def _key(
    kind: Any,
    description: str,
    default: Any = ...,
    *,
    attribute: str | None = None,
    write: Callable[[Any], Any] = _plain,
) -> Key:
    """A key with a value of that type; it is required where it has no default.

    The default is written as in a config, and validated like a value that is given.
    """
    field: Any = Field(default, description=description)
    return Key(kind, field, attribute, write)


@dataclass(frozen=True, eq=False)
class Form:
    """The keys that a config may have, in the order in which they are validated."""

    kind: str
    """``coverage`` or ``calibration``."""
    family: Family
    title: str
    keys: Mapping[str, Key]

    def model(self) -> type[BaseModel]:
        """The model of a whole config."""
        fields: dict[str, Any] = {name: (key.kind, key.field) for name, key in self.keys.items()}
        name, about = model_name(self.family, self.kind), self.title
        made: type[BaseModel] = create_model(name, __base__=StrictModel, __doc__=about, **fields)
        return made


@cache
def model_of_key(form: Form, key: str) -> type[BaseModel]:
    """The model of a config with this key of the form only."""
    only: dict[str, Any] = {key: (form.keys[key].kind, form.keys[key].field)}
    made: type[BaseModel] = create_model(f"Only_{key}", __base__=StrictModel, **only)
    return made


def _segments(name: str) -> str:
    for segment in name.split("/"):
        fits = re.fullmatch(_SEGMENT, segment)
        if not fits or ".." in segment or segment.endswith(".") or len(segment) > LONGEST_SEGMENT:
            raise ValueError(name)
    return name


Name = Annotated[
    str,
    AfterValidator(_segments),
    expecting("a name of letters, digits, '.', '_', '-', in parts joined by '/'"),
    WithJsonSchema({"type": "string", "pattern": f"^{_SEGMENT}(/{_SEGMENT})*$"}),
]
Title = Annotated[str, AfterValidator(one_line), expecting("one line of text")]
Seed = Annotated[int, Field(ge=0, le=2**128 - 1), expecting("a whole number from 0 to 2^128 - 1")]
Reference = Annotated[str, Word("a reference", ("prior", "truth"))]
DrawsFrom = Annotated[str, Word("a source of draws", (NUMPY, THINNED))]
Bins = Annotated[int, Field(ge=2, le=1000), expecting("a whole number of bins from 2 to 1000")]


def _first_keys(kind: str, family: Family) -> dict[str, Key]:
    """Name, title, kind and family."""
    possible = FAMILIES if kind == COVERAGE else _FAMILIES_OF_TWO_SAMPLES
    what = "a family" if kind == COVERAGE else "a family of two samples"
    kinds = Annotated[str, Word("a kind of experiment", (COVERAGE, CALIBRATION)), _constant(kind)]
    families = Annotated[str, Word(what, tuple(possible)), _constant(family.name)]
    about = "coverage: how often intervals miss; calibration: whether probabilities hold."
    return {
        "name": _key(Name, "Results go to results/<name>; plain path segments."),
        "title": _key(Title | None, "Left out, the name.", None),
        # A coverage experiment is what a config without a kind is.
        "kind": _key(kinds, about, COVERAGE if kind == COVERAGE else ..., write=_unless(COVERAGE)),
        "family": _key(families, "What is estimated."),
    }


def _unless(usual: str) -> Callable[[str], str | None]:
    """Write a word unless it is the usual one."""
    return lambda word: None if word == usual else word


def _constant(word: str) -> WithJsonSchema:
    """The one word that the key can have in this form."""
    return WithJsonSchema({"type": "string", "const": word})


def _last_keys() -> dict[str, Key]:
    """Seed, execution and figures."""
    figure: Any = figure_type()
    about = "Every random number follows from it; it is required where random numbers are drawn."
    about_figures = (
        "Figures to draw, each with its options; left out, a few that suit the family and the "
        "sizes; [] draws none."
    )
    execution = {"jobs": -1, "backend": "threading", "timeout": TIMEOUT}
    return {
        "seed": _key(Seed | None, about, None),
        "execution": _key(
            ExecutionSettings, "Where the work runs.", execution, write=write_execution
        ),
        "figures": _key(list[figure] | None, about_figures, None, write=write_figures),
    }


def _coverage(family: Family) -> Form:
    keys = {
        **_first_keys(COVERAGE, family),
        **_size_keys(family),
        "alpha": _key(
            Alphas, "Nominal probability of a miss: one, or a list.", 0.05, attribute="alphas"
        ),
        "methods": _method_key(family),
        "truth": _truth_key(family),
        **_sampling_key(family),
        "trials": _key(Trials | None, "How many Monte Carlo trials.", None, write=write_trials),
        **_draws_key(family),
        **_outcome_keys(family),
        **_group_key(family),
        "engines": _engine_key(family),
        **_reference_prior_key(family),
        **_last_keys(),
    }
    return Form(COVERAGE, family, f"Coverage of intervals for {family.title}", keys)


def _outcome_keys(family: Family) -> dict[str, Key]:
    """Which outcomes are reported, and under which distribution; none where data are lists."""
    if not family.has_outcomes:
        return {}
    outcomes, words = outcomes_type(family)
    about = (
        "The distribution under which posterior computes alpha errors: that from the "
        "reference prior, or that from the truth itself."
    )
    return {
        "outcomes": _key(outcomes, f"What posterior covers: {words}.", "all", write=write_outcomes),
        "reference": _key(Reference, about, "prior", write=_unless("prior")),
    }


def _reference_prior_key(family: Family) -> dict[str, Key]:
    if not family.has_outcomes:
        return {}
    return {"reference_prior": _prior_key(family, "of the posterior engine")}


def _size_keys(family: Family) -> dict[str, Key]:
    if design_for(family.name).sizes_are_lists:
        about = "Sizes over the strata: a list, or a list of lists for several scenarios."
        kind = stratum_sizes_type()
        return {name: _size_key(i, kind, about) for i, name in enumerate(family.sizes)}
    sizes, levels = sizes_type(family), "one, a list, or {log_grid: {start, stop, count}}."
    if not family.sizes[1:]:
        return {family.sizes[0]: _key(sizes, f"Sizes: {levels}", attribute="sizes")}
    first, second = family.sizes
    of_first, of_second = "Sizes of the first sample", "Sizes of the second sample"
    if family.has_clusters:
        of_first, of_second = "Numbers of clusters", "Cases of each cluster"
    about_cross = f"Whether every {first} goes with every {second}."
    return {
        first: _size_key(0, sizes, f"{of_first}: {levels}"),
        second: _size_key(1, sizes, f"{of_second}, paired with {first}: {levels}"),
        # The sizes of an experiment are paired already.
        CROSS: _key(bool, about_cross, False, attribute="sizes", write=lambda sizes: None),
    }


def _size_key(sample: int, kind: Any, about: str) -> Key:
    """The key of the sizes of one of several samples; those of a scenario have the same index."""

    def write(sizes: Sequence[tuple[Any, ...]]) -> Any:
        return _plain(tuple(size[sample] for size in sizes))

    return _key(kind, about, attribute="sizes", write=write)


def _engine_key(family: Family) -> Key:
    engine: Any = Annotated[str, Word("an engine", family.engines)]
    about = "Left out, all three; without trials, posterior and enumeration."
    if not family.has_outcomes:
        about = f"Left out, all that there are: {', '.join(family.engines)}."
    return _key(Annotated[list[engine], Field(min_length=1)] | None, about, None)


def _method_key(family: Family) -> Key:
    method: Any = method_type(family)
    about = (
        "A catalogue name, {name, side, prior, label}, {path, function, label}, "
        "{module, function, label}, {table, label}, {command, label} or {r, arg, label}."
    )
    return _key(
        Annotated[list[method], Field(min_length=1)],
        about,
        write=lambda methods: [write_method(spec) for spec in methods],
    )


def _truth_key(family: Family) -> Key:
    truth = truth_of(family)
    return _key(
        truth.kind, truth.about, truth.default, attribute="written_truth", write=lambda truth: truth
    )


def _sampling_key(family: Family) -> dict[str, Key]:
    own = own_sampling(family)
    if own is None:
        return {}
    about = f"How outcomes arise: {sampling_words(family)}."
    return {"sampling": _key(sampling_type(family), about, own, write=write_sampling)}


def _draws_key(family: Family) -> dict[str, Key]:
    if not family.has_single_count:
        return {}
    about = (
        "Where Monte Carlo outcomes come from: NumPy's generators, or tables, which are faster "
        "at uniform and beta truths up to n = 500."
    )
    return {"draws": _key(DrawsFrom, about, NUMPY, write=_unless(NUMPY))}


def _group_key(family: Family) -> dict[str, Key]:
    if not family.has_single_count:
        return {}
    about = "Neighbouring outcomes in one cell: {width}, or {width, last}."
    return {"group": _key(OutcomeGroup | None, about, None, write=write_group)}


def _prior_key(family: Family, of_what: str) -> Key:
    """A prior, flat by default; ``of_what`` ends its description."""
    flat = [int(value) for value in family.model.FLAT_PRIOR]
    return _key(prior_type(family), f"{family.prior_form} prior {of_what}.", flat)


def _calibration(family: Family) -> Form:
    first, second = family.sizes
    size, one_or_range = size_range_type(family), "one, or {uniform: [a, b]}."
    about_truth = "Where the true parameters come from: {first, second}."

    def range_key(sample: int, about: str) -> Key:
        def write(sizes: Sequence[SizeRange]) -> Any:
            return write_range(sizes[sample].lower, sizes[sample].upper)

        return _key(size, about, attribute="sizes", write=write)

    keys = {
        **_first_keys(CALIBRATION, family),
        first: range_key(0, f"Size of the first sample: {one_or_range}"),
        second: range_key(1, f"Size of the second sample: {one_or_range}"),
        "truth": _key(
            distributions_type(family),
            about_truth,
            truth_of(family).default,
            write=lambda truth: written_truth(truth.content()),
        ),
        "delta": _key(
            delta_type(family),
            f"The value that the parameter is compared with: {one_or_range}",
            write=lambda delta: write_range(*delta),
        ),
        "trials": _key(Count, "How many Monte Carlo trials."),
        "bins": _key(Bins, "Equal parts of [0, 1] that the probabilities are counted in.", 20),
        "prior": _prior_key(family, "of each sample"),
        **_last_keys(),
    }
    return Form(CALIBRATION, family, f"Calibration of probabilities about {family.title}", keys)


_FAMILIES_OF_TWO_SAMPLES = {name: each for name, each in FAMILIES.items() if each.samples == 2}

_MAKERS = {COVERAGE: _coverage, CALIBRATION: _calibration}
KINDS = tuple(_MAKERS)
_FAMILIES = {COVERAGE: FAMILIES, CALIBRATION: _FAMILIES_OF_TWO_SAMPLES}


@cache
def form_for(kind: str, family: str) -> Form:
    """The form of a kind of experiment and a family; made when it is first asked for."""
    return _MAKERS[kind](_FAMILIES[kind][family])


def forms_of(kind: str) -> Iterator[Form]:
    """The forms of a kind, in the order of the families."""
    return (form_for(kind, family) for family in _FAMILIES[kind])


def form_of(raw: Mapping[str, Any]) -> Form:
    """The form of a config; for an unknown family, of the first one with a size the config has."""
    kind = raw.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        kind = COVERAGE
    families, family = _FAMILIES[kind], raw.get("family")
    if isinstance(family, str) and family in families:
        return form_for(kind, family)
    fitting = (name for name, each in families.items() if set(each.sizes) & set(raw))
    return form_for(kind, next(fitting, next(iter(families))))


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a config, for editors: any one of the forms."""
    models = [form.model() for kind in KINDS for form in forms_of(kind)]
    places, defined = models_json_schema([(model, "validation") for model in models])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Experiment of the coverage harness",
        "description": "One experiment: the interval methods, the data, and the computations.",
        "anyOf": [places[model, "validation"] for model in models],
        "$defs": defined["$defs"],
    }
