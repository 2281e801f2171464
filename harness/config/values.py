"""What the keys of an experiment hold: methods, trials, sizes, and where the work runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from harness.callers.command import Command, RFunction
from harness.distributions.truths import Prior

DASK = "dask"
"""The backend whose workers are processes of a Dask cluster."""

TrialsKind = Literal["per_outcome", "per_size", "per_truth"]

Size = float | tuple[float, ...] | tuple[tuple[float, ...], tuple[float, ...]]
"""n, a whole number, or an exposure; of several samples one of each; of clusters their number and
size; of strata the sizes of both samples in each of them."""


@dataclass(frozen=True, kw_only=True)
class MethodSpec:
    """One interval method: of the catalogue, a user function, a table or a program."""

    label: str
    """Unique in the experiment; the column ``method`` of every table."""
    side: str
    """``two-sided``, ``lower`` or ``upper``."""
    name: str | None = None
    """The name in the catalogue (aliases resolved); None for a method of the user."""
    prior: Prior | None = None
    """The parameters of the prior; None where the config gives none and the method has none."""
    written: Mapping[str, Any] = field(default_factory=dict)
    """Where the method of a user is, as the config writes it, so that a resolved config names no
    place on one machine."""
    path: str | None = None
    """Absolute path of the user's Python file; without a function, of a table of limits."""
    module: str | None = None
    """Importable module of the user."""
    function: str | None = None
    """Name of the function in ``path`` or ``module``, or of one of the Python session."""
    pickled: str | None = field(default=None, compare=False, repr=False)
    """The pickle of the function of the Python session."""
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
    """The Dask scheduler's, with the backend ``dask``; None for workers on this machine."""


@dataclass(frozen=True)
class SizeRange:
    """Sizes drawn uniformly, both ends included, whole numbers for n; fixed where equal."""

    lower: float
    upper: float
