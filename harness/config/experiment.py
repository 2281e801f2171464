"""What a config means: frozen records with every default filled in, checked and ready to run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from harness.truths import Truth

TrialsKind = Literal["per_outcome", "per_size", "per_truth"]


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
    """``per_outcome``: count * (n + 1) trials at each n; ``per_size``: count at each n;
    ``per_truth``: count at each true value and n."""


@dataclass(frozen=True)
class FigureSpec:
    """One figure to draw from the tables; ``options`` passed its kind's options model."""

    kind: str
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Execution:
    """Where the work runs; changes no result."""

    jobs: int
    """-1 uses every core."""
    backend: str


@dataclass(frozen=True)
class Experiment:
    """A config, fully resolved."""

    name: str
    title: str
    family: str
    sizes: tuple[int, ...]
    """Ascending and distinct."""
    alphas: tuple[float, ...]
    methods: tuple[MethodSpec, ...]
    truth: Truth
    trials: Trials | None
    """None where no Monte Carlo is asked for and none was planned."""
    outcomes: int | None
    """None: every outcome. Otherwise the number of fractions of n, from 0 to 1."""
    engines: tuple[str, ...]
    reference_prior: tuple[float, float]
    """Beta prior of the engine ``posterior``."""
    seed: int
    execution: Execution
    figures: tuple[FigureSpec, ...]
    document: Mapping[str, Any]
    """The same as plain data, in the order of the documentation: what ``config.yaml`` holds.
    Loading it from the config's own folder gives an equal Experiment."""
