"""Rules that relate the keys of a config, and those that several kinds of experiments share.

A rule says which keys it reads, and runs only if all of them are valid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.base.errors import ConfigIssue, KeyPath, path_text
from harness.base.models import repeated
from harness.base.plain_data import describe
from harness.config.form import FamilyForm
from harness.config.models.figures import kind_of
from harness.config.models.truths import truth_of
from harness.config.shared_keys import CROSS
from harness.distributions.truths import PairTruth, Truth
from harness.families.data import LARGEST_COUNT
from harness.families.family import Family
from harness.figures.options import FigureOptions
from harness.figures.requirements import ExperimentFacts, unmet_requirements

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
