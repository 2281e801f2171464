"""What a config means: frozen records with every default filled in, checked and ready to run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from harness.engines.pooling import Group
from harness.truths import PairTruth, Truth

TrialsKind = Literal["per_outcome", "per_size", "per_truth"]

Size = float | tuple[float, float]
"""n, a whole number, or an exposure; of two samples a pair of them."""


@dataclass(frozen=True)
class MethodSpec:
    """One interval method: of the catalogue, or a function of the user's own."""

    label: str
    """Unique in the experiment; the column ``method`` of every table."""
    name: str | None
    """The catalogue's name (aliases resolved); None for a user's own method."""
    path: str | None
    """Absolute path of the user's Python file."""
    module: str | None
    """Importable module of the user."""
    function: str | None
    """Name of the function in ``path`` or ``module``."""
    side: str
    """``two-sided``, ``lower`` or ``upper``."""
    prior: tuple[float, float] | None
    """Beta prior; None where none was given, which leaves the method its own default."""


@dataclass(frozen=True)
class Trials:
    """How many Monte Carlo trials."""

    kind: TrialsKind
    count: int
    """``per_outcome``: count * (n + 1) trials at each n, of two samples count * (n1 + 1)(n2 + 1);
    ``per_size``: count at each size; ``per_truth``: count at each true value and size."""


@dataclass(frozen=True)
class FigureSpec:
    """One figure to draw from the tables; ``options`` passed its kind's options model."""

    kind: str
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Execution:
    """Where the work runs; changes no result of what ends in time."""

    jobs: int
    """-1 uses every core."""
    backend: str
    timeout: float
    """Seconds that a call of a user's own method may take."""


@dataclass(frozen=True)
class Experiment:
    """A config, fully resolved."""

    name: str
    title: str
    family: str
    sizes: tuple[Size, ...]
    """Ascending and distinct."""
    alphas: tuple[float, ...]
    methods: tuple[MethodSpec, ...]
    truth: Truth | PairTruth
    trials: Trials | None
    """None where no Monte Carlo is asked for and none was planned."""
    outcomes: int | tuple[int, ...] | None
    """None: every outcome that can occur. Otherwise the number of fractions of n, from 0 to 1, or
    the outcomes themselves, ascending."""
    reference: Literal["prior", "truth"]
    """Whether ``posterior`` judges under the reference prior, or under the truth's distribution."""
    group: Group | None
    engines: tuple[str, ...]
    reference_prior: tuple[float, float]
    """Prior of the engine ``posterior``: Beta for a proportion, Gamma for a rate."""
    seed: int
    execution: Execution
    figures: tuple[FigureSpec, ...]
    document: Mapping[str, Any]
    """The same as plain data, in the order of the documentation: what ``config.yaml`` holds.
    Loading it from the config's own folder gives an equal Experiment."""


@dataclass(frozen=True)
class SizeRange:
    """Sizes drawn uniformly, both ends included, whole numbers for n; fixed where equal."""

    lower: float
    upper: float


@dataclass(frozen=True)
class Calibration:
    """A config of the kind ``calibration``, fully resolved: is what is called probable so often?

    In each trial both sizes, both true values and delta are drawn.
    """

    name: str
    title: str
    family: str
    sizes: tuple[SizeRange, SizeRange]
    truth: PairTruth
    """Two distributions."""
    delta: tuple[float, float]
    """Drawn uniformly; fixed where the two are equal."""
    trials: int
    bins: int
    """Equal parts of [0, 1] that the computed probabilities are counted in."""
    prior: tuple[float, float]
    """Of each sample: Beta for a proportion, Gamma for a rate."""
    seed: int
    execution: Execution
    figures: tuple[FigureSpec, ...]
    document: Mapping[str, Any]
    """As that of an Experiment."""


AnyExperiment = Experiment | Calibration
"""What a config may mean."""
