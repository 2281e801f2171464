"""Experiments: frozen records of valid configs, with every default filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from harness.callers.command import Command, RFunction
from harness.designs.design import AnyTruth
from harness.designs.results import Group
from harness.distributions.sampling.law import NUMPY, Law
from harness.distributions.truths import PairTruth, Prior
from harness.figures.kind import FigureSpec

COVERAGE, CALIBRATION = "coverage", "calibration"
"""The kinds of experiments."""

DASK = "dask"
"""The backend whose workers are processes of a Dask cluster."""

TrialsKind = Literal["per_outcome", "per_size", "per_truth"]

Size = float | tuple[float, float] | tuple[tuple[float, ...], tuple[float, ...]]
"""n, a whole number, or an exposure; of two samples a pair of them; of clusters their number and
size; of strata the sizes of both samples in each of them."""


@dataclass(frozen=True)
class MethodSpec:
    """One interval method: of the catalogue, a user function, a table or a program."""

    label: str
    """Unique in the experiment; the column ``method`` of every table."""
    name: str | None
    """The name in the catalogue (aliases resolved); None for a method of the user."""
    path: str | None
    """Absolute path of the user's Python file or table."""
    module: str | None
    """Importable module of the user."""
    function: str | None
    """Name of the function in ``path`` or ``module``."""
    side: str
    """``two-sided``, ``lower`` or ``upper``."""
    prior: Prior | None
    """The parameters of the prior; None where the config gives none and the method has none."""
    written_path: str | None = None
    """``path`` as the config writes it, so that a resolved config names no place on one machine."""
    is_table: bool = False
    """Whether ``path`` is that of a table of limits, and not of a Python file."""
    program: Command | RFunction | None = None
    """A program of any language, or a function of R."""
    folder: str | None = None
    """Absolute path of the working folder of ``program``."""


@dataclass(frozen=True)
class TrialCount:
    """The number of Monte Carlo trials."""

    kind: TrialsKind
    count: int
    """``per_outcome``: count * (n + 1) trials at each n, of two samples count * (n1 + 1)(n2 + 1),
    of pairs count * (n + 1)(n + 2)/2;
    ``per_size``: count at each size; ``per_truth``: count at each true value and size."""

    @property
    def per_truth(self) -> int | None:
        """The number at each true value and size, where that is fixed."""
        return self.count if self.kind == "per_truth" else None


@dataclass(frozen=True)
class Precision:
    """Monte Carlo trials until the interval of every actual alpha is narrow enough."""

    half_width: float
    """Half the length that intervals are to have at most, in (0, 1/2)."""
    most: int
    """The most trials at each size."""
    kind: ClassVar[Literal["half_width"]] = "half_width"
    per_truth: ClassVar[None] = None
    """Each trial draws its truth."""


Trials = TrialCount | Precision
"""How many Monte Carlo trials an experiment has."""


@dataclass(frozen=True)
class Execution:
    """Where the work runs; it changes no result, except of what exceeds the timeout."""

    jobs: int
    """The number of processes or threads; -1 uses every core."""
    backend: str
    timeout: float
    """Seconds that a call of a user function may take."""
    address: str | None = None
    """Of the Dask scheduler, with the backend ``dask``; None for workers on this machine."""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A config of the kind ``coverage``, fully resolved."""

    name: str
    title: str
    family: str
    sizes: tuple[Size, ...]
    """Ascending and distinct."""
    alphas: tuple[float, ...]
    methods: tuple[MethodSpec, ...]
    truth: AnyTruth
    written_truth: Mapping[str, Any]
    """The truth as plain data, in which a grid is still a grid."""
    sampling: Law | None = None
    """How outcomes arise; None where they are binomial or Poisson, as the family has it."""
    trials: Trials | None
    """None where no Monte Carlo trials are made."""
    draws: str = NUMPY
    """``numpy`` or ``thinned``: where the outcomes of Monte Carlo trials come from."""
    outcomes: int | tuple[int, ...] | None = None
    """None: every outcome that can occur. Otherwise the number of fractions of n, from 0 to 1, or
    the outcomes themselves, ascending."""
    reference: Literal["prior", "truth"] = "prior"
    """The distribution under which ``posterior`` computes alpha errors: the posterior from the
    reference prior, or from the truth itself."""
    group: Group | None = None
    engines: tuple[str, ...]
    reference_prior: Prior
    """The parameters of the prior of the engine ``posterior``."""
    seed: int
    execution: Execution
    figures: tuple[FigureSpec, ...]
    figures_are_suggested: bool = field(default=False, compare=False)
    """Whether the config named no figures, so that these are those that suit it."""
    kind: ClassVar[str] = COVERAGE


@dataclass(frozen=True)
class SizeRange:
    """Sizes drawn uniformly, both ends included, whole numbers for n; fixed where equal."""

    lower: float
    upper: float


@dataclass(frozen=True)
class Calibration:
    """A config of the kind ``calibration``, fully resolved: how often do probable events happen?

    In each trial both sizes, both true values and delta are drawn.
    """

    name: str
    title: str
    family: str
    sizes: tuple[SizeRange, SizeRange]
    truth: PairTruth
    """Two distributions."""
    delta: tuple[float, float]
    """Drawn uniformly between the two; fixed where they are equal."""
    trials: int
    bins: int
    """The number of equal parts of [0, 1] that the computed probabilities are counted in."""
    prior: Prior
    """The parameters of the prior of each sample."""
    seed: int
    execution: Execution
    figures: tuple[FigureSpec, ...]
    figures_are_suggested: bool = field(default=False, compare=False)
    """Whether the config named no figures, so that these are those that suit it."""
    kind: ClassVar[str] = CALIBRATION


AnyExperiment = Experiment | Calibration
"""What a config may mean."""
