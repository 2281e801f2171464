"""The page for teaching: coverage over p, the outcomes that miss, and a hundred drawn intervals.

All numbers are computed here, and stand in the page; its script looks them up and draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.config.form import AnyExperiment
from harness.designs.design import Scenario
from harness.designs.engines.solver import solver_of
from harness.designs.limits import Limits
from harness.designs.miss_curve import MissCurve
from harness.designs.results import Exact
from harness.distributions.truths import DiscreteTruth
from harness.kinds.coverage.columns import opened_columns
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.limits import compute_limits
from harness.kinds.coverage.plan import plan_scenarios
from harness.report.packing import packed
from harness.report.page import Page, PagePart, Section
from harness.runner.storage import EXPLORER_PAGE
from harness.tables.wording import method_titles, percent, significant

FAMILY = "proportion"
"""The family that the page is about."""
DRAWN, HUNDREDS = 100, 10
"""The samples of one picture, and the pictures that follow each other, at each n and p."""
HOLDS, BELOW, ABOVE = range(3)
"""What an interval does with the true value: holds it, or the value lies below or above it."""
_MOST_PROBABILITIES = 500_000
_STREAM = 1 << 62
"""The number of the random stream, that of the figure ``intervals_drawn``: the first hundred are
the samples that it draws."""


@dataclass(frozen=True)
class SizeNumbers:
    """What the page shows at one n: k methods, t true values, outcomes 0, …, n."""

    n: int
    limits: Limits
    """Shape (k, n + 1)."""
    probability: Floats
    """Pr(X = x | p), shape (t, n + 1)."""
    misses: Integers
    """HOLDS, BELOW or ABOVE for each method, true value and outcome, shape (k, t, n + 1)."""
    exact: Exact
    """The miss probabilities and the expected length at the true values, shape (k, t) each."""
    drawn: Integers
    """The outcomes of the samples, shape (t, HUNDREDS, DRAWN)."""
    curves: Sequence[MissCurve]
    """The miss probability over all p from 0 to 1, of each method."""

    @property
    def expected(self) -> Floats:
        """The expected number of misses in a hundred intervals, shape (k, t)."""
        return DRAWN * self.exact.missed

    @property
    def spread(self) -> Floats:
        """The standard deviation of the number of misses in a hundred intervals, shape (k, t)."""
        missed = np.clip(self.exact.missed, 0.0, 1.0)
        return np.asarray(np.sqrt(DRAWN * missed * (1.0 - missed)))

    @property
    def counts(self) -> Integers:
        """The misses in each hundred intervals, shape (k, t, HUNDREDS)."""
        codes = np.take_along_axis(
            self.misses, self.drawn.reshape(1, len(self.drawn), -1), axis=2
        ).reshape(-1, *self.drawn.shape)
        return np.asarray((codes != HOLDS).sum(axis=3))

    def data(self, words: dict[str, int]) -> dict[str, Any]:
        """The arrays of one n; ``words`` gets the words for the outcomes that miss."""
        exact, missing = self.exact, self.misses != HOLDS
        when = [
            [
                words.setdefault(outcomes_in_words(marks.tolist(), self.n), len(words))
                for marks in rows
            ]
            for rows in missing
        ]
        return {
            "n": self.n,
            "lower": packed(self.limits.lower),
            "upper": packed(self.limits.upper),
            "probability": packed(self.probability),
            "misses": packed(self.misses, "uint8"),
            "below": packed(exact.below),
            "above": packed(exact.above),
            "missed": packed(exact.missed),
            "coverage": packed(1.0 - exact.missed),
            "length": packed(exact.length),
            "expected": packed(self.expected),
            "spread": packed(self.spread),
            "when": packed(when, "uint16"),
            "drawn": packed(self.drawn, "uint8" if self.n < 256 else "int32"),
            "counts": packed(self.counts, "uint8"),
            "totals": packed(np.cumsum(self.counts, axis=2), "uint16"),
            # As pictures show them, to a millionth.
            "curves": [
                [packed(curve.truths, "float32"), packed(1.0 - curve.missed, "float32")]
                for curve in self.curves
            ],
        }

    def sentence(self, name: str, row: int, at_p: int, p: float) -> str:
        """What is seen of one method, as the script of the page writes it."""
        missing = self.misses[row, at_p] != HOLDS
        when = outcomes_in_words(missing.tolist(), self.n)
        beginning = f"At n = {self.n} and p = {p:.6g} the {name} interval"
        if not when:
            return f"{beginning} holds p whatever x is: none of {DRAWN} intervals misses."
        missed, expected = (float(table[row, at_p]) for table in (self.exact.missed, self.expected))
        return (
            f"{beginning} misses when x is {when}: that has probability {percent(missed)}; of "
            f"the {DRAWN} intervals drawn {self.counts[row, at_p, 0]} miss, "
            f"{significant(expected, 3)} are expected."
        )


@dataclass(frozen=True)
class Numbers:
    """What the page shows of one config."""

    experiment: Experiment
    truths: Floats
    """Ascending, shape (t,)."""
    sizes: Sequence[SizeNumbers]

    @property
    def alpha(self) -> float:
        """The nominal alpha."""
        return self.experiment.alphas[0]

    def data(self, names: Sequence[str]) -> dict[str, Any]:
        """What the script reads."""
        words: dict[str, int] = {}
        sizes = [size.data(words) for size in self.sizes]
        return {
            "alpha": self.alpha,
            "truths": self.truths.tolist(),
            "methods": list(names),
            "drawn": DRAWN,
            "hundreds": HUNDREDS,
            "most": MOST_SHOWN,
            "family": FAMILY,
            "labels": [spec.label for spec in self.experiment.methods],
            "start": {
                "n": _nearest([size.n for size in self.sizes], _FIRST_N),
                "p": _nearest(self.truths.tolist(), _FIRST_P),
                "methods": list(range(min(_FIRST_METHODS, len(names)))),
            },
            "words": list(words),
            "sizes": sizes,
        }

    def context(self, names: Sequence[str], start: Mapping[str, Any]) -> dict[str, Any]:
        """What the template reads: the choices, and the picture for where scripts are off."""
        size, at_p = self.sizes[start["n"]], start["p"]
        p = float(self.truths[at_p])
        lines = []
        for row in start["methods"]:
            # The coverage curve of a method, as points of a line.
            curve = size.curves[row]
            places, heights = (
                (_WIDTH * curve.truths).tolist(),
                _vertical(1.0 - curve.missed).tolist(),
            )
            lines.append(" ".join(f"{x:.2f},{y:.2f}" for x, y in zip(places, heights, strict=True)))
        return {
            "confidence": percent(1.0 - self.alpha),
            "sizes": [of_size.n for of_size in self.sizes],
            "steps": _steps([of_size.n for of_size in self.sizes]),
            "truths": [f"{truth:.6g}" for truth in self.truths.tolist()],
            "methods": names,
            "start": start,
            "drawn": DRAWN,
            "most": MOST_SHOWN,
            "n": size.n,
            "p": f"{p:.6g}",
            "sentences": [size.sentence(names[row], row, at_p, p) for row in start["methods"]],
            "picture": {
                "width": _WIDTH,
                "height": _HEIGHT,
                "lines": lines,
                "at": f"{_WIDTH * p:.2f}",
                "nominal": f"{_vertical(np.array([1.0 - self.alpha]))[0]:.2f}",
                "least": percent(_LEAST),
            },
        }


def numbers_of(experiment: AnyExperiment) -> Numbers:
    """Compute what the page shows of an experiment.

    Args:
        experiment: of the family ``proportion``, with one alpha, listed true values, and methods
            whose limits follow from the outcome.

    Raises:
        InputError: the experiment is another one, or a method has no interval at some outcome.
        IntervalNotFoundError: a method of the catalogue found no interval.
    """
    experiment = _explorable(experiment)
    with opened_columns(experiment) as columns:
        if columns.stochastic:
            raise InputError(f"{experiment.name}: a method draws its limits; leave it out")
        scenarios = [plan.scenario for plan in plan_scenarios(experiment, columns)]
        outcomes = [np.arange(int(scenario.sizes[0]) + 1) for scenario in scenarios]
        computed = compute_limits(experiment, scenarios, outcomes, columns)
    sizes = [
        _size_numbers(experiment, scenario, of_size.limits)
        for scenario, of_size in zip(scenarios, computed, strict=True)
    ]
    _, truths = scenarios[0].listed_truths()
    return Numbers(experiment, truths, sizes)


def _explorable(experiment: AnyExperiment) -> Experiment:
    """Return the experiment if the page can show it; raise otherwise, before it is computed."""
    if not isinstance(experiment, Experiment):
        raise InputError(
            f"--explorer takes a config of the kind {Experiment.kind}, found {experiment.name} of "
            f"the kind {experiment.kind}"
        )
    asked = "--explorer takes a config of the family proportion with one alpha"
    if experiment.family.public_name != FAMILY:
        raise InputError(f"{asked}, found {experiment.name} of the family {experiment.family_name}")
    if len(experiment.alphas) > 1:
        alphas = ", ".join(f"{alpha:g}" for alpha in experiment.alphas)
        raise InputError(f"{asked}, found {experiment.name} with alpha {alphas}")
    if not isinstance(experiment.truth, DiscreteTruth):
        raise InputError(f"{asked} and true values from a grid or a list ({experiment.name})")
    for key in ("sampling", "stopping"):
        if getattr(experiment, key) is not None:
            raise InputError(f"{asked} and without the key {key} ({experiment.name})")
    truths = experiment.truth.count
    outcomes = sum(int(size) + 1 for size in experiment.sizes if isinstance(size, (int, float)))
    # Curves have about as many points as a hundred true values have outcomes.
    if outcomes * max(truths, 100) > _MOST_PROBABILITIES or len(experiment.sizes) * truths > 5000:
        raise InputError(
            f"{experiment.name}: the page cannot hold {truths} true values with {outcomes} "
            "outcomes of all n; give fewer true values, fewer n, or smaller n"
        )
    return experiment


def _size_numbers(experiment: Experiment, scenario: Scenario, limits: Limits) -> SizeNumbers:
    if limits.failed.any():
        row, x = np.argwhere(limits.failed)[0].tolist()
        label = experiment.methods[row].label
        raise InputError(f"{label} has no interval at x = {x}, n = {scenario.size:g}")
    _, truths = scenario.listed_truths()
    x, p = limits.outcomes, truths[:, np.newaxis]
    lower, upper = limits.lower[:, np.newaxis], limits.upper[:, np.newaxis]
    # As a run computes them, so that its tables hold the same numbers.
    exact = solver_of(scenario).enumerate(limits, limits.outcomes[:0], worst=False).by_truth
    assert exact is not None
    everywhere = replace(scenario, truth=DiscreteTruth(scenario.model.SUPPORT))
    solver = solver_of(everywhere)
    curves = [solver.miss_curve(limits.rows([row])) for row in range(len(limits.lower))]
    # The samples at each true value are drawn from a stream of its own.
    count = HUNDREDS * DRAWN
    drawn = np.empty((truths.size, count), np.int64)
    for row, truth in enumerate(truths.tolist()):
        at_truth = scenario.with_truths((truth,))
        rng = at_truth.stream(experiment.seed, _STREAM)
        drawn[row] = at_truth.draw_outcomes([np.full(count, truth)], rng)
    return SizeNumbers(
        n=int(scenario.size),
        limits=limits,
        probability=scenario.model.SAMPLING.pmf(x, p, scenario.size),
        misses=np.where(p < lower, BELOW, np.where(p > upper, ABOVE, HOLDS)),
        exact=exact,
        drawn=drawn.reshape(truths.size, HUNDREDS, DRAWN),
        curves=[curve for curve in curves if curve is not None],
    )


def outcomes_in_words(missed: Sequence[bool], n: int) -> str:
    """Return which outcomes 0, …, n are marked, as in ``0, or at least 5``; empty for none.

    >>> outcomes_in_words([True, False, False, False, True, True], 5)
    '0, or at least 4'
    """
    runs = []
    for marked, group in groupby(range(len(missed)), key=lambda outcome: bool(missed[outcome])):
        outcomes = list(group)
        first, last = outcomes[0], outcomes[-1]
        if not marked:
            continue
        if (first, last) == (0, n):
            runs.append("anything")
        elif first == last:
            runs.append(str(first))
        elif first == 0:
            runs.append(f"at most {last}")
        else:
            runs.append(f"at least {first}" if last == n else f"{first} to {last}")
    return ", or ".join(runs)


MOST_BYTES = 3_000_000
"""The page is smaller than this."""
MOST_SHOWN = 4
"""The methods that are shown beside each other."""
_SHELL = 120_000
"""The bytes of the page that hold no data, at most."""
_FIRST_N, _FIRST_P, _FIRST_METHODS = 20, 0.05, 2
"""What is shown first: the n and the p of the config next to these, and so many methods."""
_WIDTH, _HEIGHT, _LEAST = 720, 240, 0.5
"""The picture without scripts: pixels, and the lowest coverage."""


def explorer(experiment: AnyExperiment, command: str = "") -> Page:
    """Return the page of an experiment.

    Args:
        experiment: of the family ``proportion``, with one alpha, listed true values, and methods
            whose limits follow from the outcome.
        command: that makes the page again.

    Raises:
        InputError: the experiment is another one, a method has no interval at some outcome, or the
            page would be too large.
        IntervalNotFoundError: a method of the catalogue found no interval.
    """
    numbers = numbers_of(experiment)
    titles = method_titles({"experiment": numbers.experiment.document})
    names = [titles[spec.label] for spec in numbers.experiment.methods]
    data = numbers.data(names)
    size = _SHELL + sum(map(_length, data["sizes"]))
    if size > MOST_BYTES:
        raise InputError(
            f"{experiment.name}: the page would have {size / 1e6:.1f} MB, and may have "
            f"{MOST_BYTES / 1e6:g} MB; give fewer n, methods or true values, or smaller n"
        )
    section = Section(
        kind="explorer",
        title="Three pictures of one number: how often an interval misses",
        template="explorer.html",
        context=numbers.context(names, data["start"]),
        data=data,
        scripts=("explorer_pictures.js", "explorer_save.js", "explorer.js"),
        styles=("explorer.css",),
    )
    part = PagePart("explorer", experiment.title, [section])
    return Page(experiment.title, [part], command=command, kind=EXPLORER_PAGE)


def _length(value: Any) -> int:
    """The characters of the texts within a value."""
    if isinstance(value, Mapping):
        return sum(map(_length, value.values()))
    if isinstance(value, list):
        return sum(map(_length, value))
    return len(value) if isinstance(value, str) else 0


def _nearest(values: Sequence[float], wanted: float) -> int:
    return int(np.argmin(np.abs(np.asarray(values, float) - wanted)))


def _steps(sizes: Sequence[int]) -> str:
    """The values that n takes, in words: all whole numbers of a range, or a list of them.

    >>> _steps([1, 2, 3]), _steps([5, 10, 20])
    ('every whole number from 1 to 3', '5, 10, 20')
    """
    if len(sizes) > 2 and list(sizes) == list(range(sizes[0], sizes[-1] + 1)):
        return f"every whole number from {sizes[0]} to {sizes[-1]}"
    return ", ".join(map(str, sizes))


def _vertical(coverage: Floats) -> Floats:
    """The heights of coverages in the picture, from its top."""
    shown = np.clip(coverage, _LEAST, 1.0)
    return np.asarray(_HEIGHT * (1.0 - shown) / (1.0 - _LEAST))
