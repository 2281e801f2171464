"""What several kinds of experiments share: keys, and rules that relate keys to each other.

A rule says which keys it reads, and runs only if all of them are valid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from pydantic import Field, WithJsonSchema

from harness.base.errors import ConfigIssue, KeyPath, path_text
from harness.base.models import Word, expecting, is_one_line, repeated
from harness.base.plain_data import describe
from harness.callers.process import TIMEOUT
from harness.catalogue import LARGEST_BETA
from harness.config.form import FamilyForm, Key, Keys, WrittenByKeys, family_form, plain
from harness.config.models.levels import Probability
from harness.config.models.methods import prior_type
from harness.config.models.trials import ExecutionSettings, write_execution
from harness.config.models.truths import truth_of
from harness.distributions.truths import PairTruth, Truth
from harness.families.confusion import BETA
from harness.families.data import LARGEST_COUNT
from harness.families.family import Family
from harness.families.judged import SENSITIVITY, SPECIFICITY
from harness.families.tasks import DEFAULT_K, LARGEST_K, K
from harness.figures.catalogue import figure_type, kind_of, write_figures
from harness.figures.options import FigureOptions
from harness.figures.requirements import ExperimentFacts, unmet_requirements

CROSS = "cross"
"""The key of coverage experiments that combines the sizes of both samples."""
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


Beta = Annotated[
    float, Field(ge=1 / LARGEST_BETA, le=LARGEST_BETA), expecting("a number from 0.01 to 100")
]

SamplesDrawn = Annotated[
    int, Field(ge=1, le=LARGEST_K), expecting(f"a whole number from 1 to {LARGEST_K:,}")
]

_SETTINGS: dict[str, tuple[Any, str, Any]] = {
    BETA: (Beta, "Of an F score: how many times as much recall counts as precision.", 1),
    K: (
        SamplesDrawn,
        "Of pass@k and pass^k: of how many samples of a task one is right, or all.",
        DEFAULT_K,
    ),
    SENSITIVITY: (
        Probability,
        "Of a judge without labels: the known probability of its yes to a right case.",
        ...,
    ),
    SPECIFICITY: (
        Probability,
        "Of a judge without labels: the known probability of its no to a wrong case.",
        ...,
    ),
}
"""The settings of families that are keys: the type, the sentence, and the default, if any."""

KINDS: dict[str, str] = {}
"""What each kind of experiment asks, by the names of the kinds, which ``kinds.catalogue`` adds."""
USUAL_KIND = "coverage"
"""The kind of experiment of a config that names none."""


def kind_and_family(kind: str, what: str, families: Collection[str]) -> Callable[[Family], Keys]:
    """The keys ``kind`` and ``family`` of a kind of experiment.

    Args:
        kind: the kind.
        what: names its families, in a message.
        families: their names.
    """

    def keys(family: Family) -> Keys:
        about = "; ".join(f"{name}: {asks}" for name, asks in KINDS.items())
        kinds = Annotated[str, Word("a kind of experiment", tuple(KINDS)), _constant(kind)]
        default, written = (kind, None) if kind == USUAL_KIND else (..., kind)
        names = Annotated[str, Word(what, tuple(families)), _constant(family.public_name)]

        def setting(name: str, of_value: Any, about_it: str, usual: Any) -> Key:
            return Key(of_value, about_it, usual, write=lambda _: plain(family.settings[name]))

        return {
            "kind": Key(kinds, f"{about}.", default, write=lambda _: written),
            "family": Key(names, "What is estimated.", write=lambda _: family.public_name),
            **{
                name: setting(name, *_SETTINGS[name])
                for name in _SETTINGS
                if name in family.settings
            },
        }

    return keys


def _constant(word: str) -> WithJsonSchema:
    """The one word that the key can have in this form."""
    return WithJsonSchema({"type": "string", "const": word})


def prior_key(of_what: str) -> Callable[[Family], Key]:
    """A prior, flat by default; ``of_what`` ends its description."""

    def of_family(family: Family) -> Key:
        flat = [int(value) for value in family.model.FLAT_PRIOR]
        return Key(prior_type(family), f"{family.prior_form} prior {of_what}.", flat)

    return of_family


NameKey = Key(Name, "Results go to results/<name>; plain path segments.")


TitleKey = Key(Title | None, "Left out, the name.", None)


SeedKey = Key(
    Seed | None,
    "Every random number follows from it; it is required where random numbers are drawn.",
    None,
)


ExecutionKey = Key(
    ExecutionSettings,
    "Where the work runs.",
    {"jobs": -1, "backend": "threading", "timeout": TIMEOUT},
    write=write_execution,
)


def figures_key(family: Family) -> Key:
    """Made when a form is, since there are many kinds."""
    figure: Any = figure_type()
    about = (
        "Figures to draw, each with its options; left out, a few that suit the family and the "
        "sizes; [] draws none."
    )
    return Key(list[figure] | None, about, None, write=write_figures)


@dataclass(frozen=True, kw_only=True)
class FamilyExperiment(WrittenByKeys):
    """What the records of experiments with a family share; each states its own key of the family.

    The keys stand in the order of the attributes, so that those at the end of every config are
    stated by the records themselves.
    """

    name: Annotated[str, NameKey]
    title: Annotated[str, TitleKey]
    family: Family
    figures_are_suggested: bool = field(default=False, compare=False)
    """Whether the config named no figures, so that these are those that suit it."""
    kind: ClassVar[str]
    form_title: ClassVar[str]
    """The beginning of the titles of its forms, which end with the family."""

    @property
    def family_name(self) -> str:
        """The name of the family, as messages have it."""
        return self.family.name

    @property
    def form(self) -> FamilyForm:
        """The form of its config."""
        record: Any = type(self)
        return family_form(record, self.family)


Issues = Iterator[ConfigIssue]
Sizes = Mapping[str, Sequence[float]]


class ValidKeys(dict[str, Any]):
    """The valid values of a config by key; ``sizes`` are those of the sizes that are valid.

    Args:
        form: the form of the config.
        raw: the data of the config, as written.
        values: the valid values.
    """

    def __init__(self, form: FamilyForm, raw: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.form, self.raw = form, raw
        self.family: Family = form.family


@dataclass(frozen=True)
class Rule:
    """A rule, with the keys that it reads."""

    reads: tuple[str, ...]
    issues: Callable[[ValidKeys], Issues]


def reads(*keys: str) -> Callable[[Callable[[ValidKeys], Issues]], Rule]:
    """Make a rule of a function that yields its issues."""
    return lambda issues: Rule(keys, issues)


@reads()
def levels_are_distinct(config: ValidKeys) -> Issues:
    """Find repeated values in a list even if something else is wrong with it."""
    paths: list[KeyPath] = []
    if len(config.family.sizes) == 1 or config.raw.get(CROSS) is True:
        # Of paired sizes only the pairs are distinct.
        paths += [(size,) for size in config.family.sizes]
    paths.append(("truth", "values"))
    for part in truth_of(config.family).parts:
        paths += [("truth", part), ("truth", part, "values")]
    paths += [("alpha",), ("outcomes", "values"), ("engines",)]
    for path in paths:
        values: Any = config.raw
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
            also, value = path_text((*path, first)), describe(values[again])
            message = f"expected each value once, found {value}, which {also} is too"
            yield ConfigIssue((*path, again), message)


@reads("sizes", "truth")
def mean_counts_are_small(config: ValidKeys) -> Issues:
    """Without a largest outcome, the mean count is the product of the rate and the exposure."""
    sizes: Sizes = config["sizes"]
    truth: Truth | PairTruth = config["truth"]
    truths: dict[KeyPath, Truth] = (
        {("truth", "first"): truth.first, ("truth", "second"): truth.second}
        if isinstance(truth, PairTruth)
        else {("truth",): truth}
    )
    for name, (path, of_sample) in zip(config.family.exposures, truths.items(), strict=False):
        if name not in sizes:
            continue
        exposure, rate = max(sizes[name]), of_sample.effective_support[1]
        if not rate <= LARGEST_COUNT / exposure:
            yield ConfigIssue(
                path,
                f"expected mean counts, rate times {name}, of at most 10^9, "
                f"found {rate:.6g} times {exposure:.6g}",
            )


def seed_is_given(seed: int | None, what: str) -> Issues:
    if seed is None:
        yield ConfigIssue(
            ("seed",),
            "expected a whole number, found nothing: a seed is required because "
            f"{what} draws random numbers",
        )


def broken_figures(config: ValidKeys, facts: ExperimentFacts) -> Issues:
    """Hold each valid figure against what is valid of the rest of the config."""
    figures: Sequence[FigureOptions | None] = config.get("figures") or ()
    for i, options in enumerate(figures):
        if options is not None:
            for option, message in unmet_requirements(kind_of(options), options, facts):
                yield ConfigIssue(("figures", i, option), message)
