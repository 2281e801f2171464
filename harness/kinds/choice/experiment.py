"""A choice: the record of a valid config, each attribute with the keys that decide it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field

from harness.base.arguments import validate_whole
from harness.base.models import StrictModel, Word, expecting
from harness.config.form import Key, plain
from harness.config.models.methods import Label
from harness.config.models.trials import Trials as TrialsType
from harness.config.models.trials import write_trials
from harness.config.models.truths import truth_of
from harness.config.shared_keys import (
    ExecutionKey,
    FamilyExperiment,
    SeedKey,
    figures_key,
    kind_and_family,
)
from harness.config.values import Execution, MethodSpec, Size, Trials
from harness.families.catalogue import FAMILIES
from harness.families.family import Family
from harness.figures.kind import FigureSpec
from harness.findings.allowance import Allowance
from harness.kinds.coverage.experiment import (
    Experiment,
    alpha_key,
    key_where,
    methods_key,
    size_keys,
)
from harness.methods.method import ALL_SIDES, TWO_SIDED

CHOICE = "choice"
TRUTHS, SHOWN = "truths", "shown"

_Times = Annotated[float, Field(ge=1, le=1000), expecting("a number from 1 to 1000")]
_Count = Annotated[int, Field(ge=1, le=10**7), expecting("a whole number from 1 to 10^7")]


class OfAllowance(StrictModel):
    """How many times alpha a method may miss."""

    mean: _Times = Field(
        Allowance.mean, description="On average, under each truth and at each size."
    )
    worst: _Times = Field(Allowance.worst, description="At the truth where it misses most often.")


@dataclass(frozen=True)
class Search:
    """Where the worst case is searched by trials, and with how many."""

    over: Mapping[str, Any]
    points: int = 256
    trials: int = 2000
    lowest: int = 20
    fresh: int = 60_000

    def __post_init__(self) -> None:
        """Refuse numbers below 1.

        Raises:
            InputError: a number is no whole one from 1 on.
        """
        for name in ("points", "trials", "lowest", "fresh"):
            validate_whole(name, getattr(self, name), 1)


class OfSearch(StrictModel):
    """Where the worst case is searched by trials, and with how many."""

    over: dict[str, Any] = Field(
        description="As a truth is written, with the ends of a range in place of each list."
    )
    points: _Count = Field(Search.points, description="How many truths are simulated.")
    trials: _Count = Field(Search.trials, description="Trials at each of them.")
    lowest: _Count = Field(Search.lowest, description="How many truths are simulated anew.")
    fresh: _Count = Field(
        Search.fresh, description="New trials at each of the truths with the most misses."
    )


Side = Annotated[str, Word("a side", ALL_SIDES)]
Sides = Annotated[list[Side], Field(min_length=1), AfterValidator(tuple)]


def _truths(family: Family) -> Key:
    truth: Any = truth_of(family).kind
    about = "Truths by name, under each of which a method may not miss too often."
    return Key(Annotated[dict[Label, truth], Field(min_length=1)], about, write=dict)


def _shown(family: Family) -> Key:
    truth: Any = truth_of(family).kind
    about = "Truths whose numbers are shown and decide nothing."
    return Key(dict[Label, truth], about, {}, write=lambda truths: dict(truths) or None)


def _write_allowed(allowed: Allowance) -> Any:
    return plain(asdict(allowed))


Searched = Annotated[OfSearch, AfterValidator(lambda model: Search(**dict(model)))]
Allowed = Annotated[OfAllowance, AfterValidator(lambda model: Allowance(**dict(model)))]


@dataclass(frozen=True, kw_only=True)
class ChoiceExperiment(FamilyExperiment):
    """A config of the kind ``choice``, fully resolved: which method does the rule take?"""

    family: Annotated[Family, kind_and_family(CHOICE, "a family", FAMILIES)]
    sizes: Annotated[tuple[Size, ...], size_keys]
    """Ascending and distinct."""
    alphas: Annotated[tuple[float, ...], alpha_key]
    sides: Annotated[
        tuple[str, ...],
        Key(Sides, "Of the methods of the catalogue.", [TWO_SIDED], write=lambda _: None),
    ]
    methods: Annotated[
        tuple[MethodSpec, ...],
        methods_key(
            "The methods that are compared, as in a coverage experiment; left out, all of the "
            "catalogue that have a side and do not draw their limits.",
            is_needed=False,
        ),
    ]
    truths: Annotated[Mapping[str, Any], _truths]
    """The truths that decide, by their names, as plain data."""
    shown: Annotated[Mapping[str, Any], _shown]
    """The truths that are shown beside them."""
    allow: Annotated[
        Allowance,
        Key(
            Allowed,
            "What the rule allows: how many times alpha a method may miss.",
            {},
            write=_write_allowed,
        ),
    ]
    reference: Annotated[
        str | None,
        Key(
            Label | None,
            "The label of the two-sided method whose length is 1 in tables; left out, that of the "
            "rule's choice.",
            None,
        ),
    ]
    trials: Annotated[
        Trials | None,
        key_where(
            lambda family: family.lists,
            Key(TrialsType | None, "How many trials under each truth.", None, write=write_trials),
        ),
    ] = None
    """The Monte Carlo trials of data that are lists; None where none are made."""
    search: Annotated[
        Search | None,
        Key(
            Searched | None,
            "Where worst cases are searched that no exact engine has.",
            None,
            write=lambda search: None if search is None else asdict(search),
        ),
    ]
    seed: Annotated[int, SeedKey]
    execution: Annotated[Execution, ExecutionKey]
    figures: Annotated[tuple[FigureSpec, ...], figures_key]
    coverages: Mapping[str, Experiment] = field(default_factory=dict, compare=False, repr=False)
    """The coverage experiment under each truth, by the names of the truths."""
    kind: ClassVar[str] = CHOICE
    form_title: ClassVar[str] = "Choice of an interval for"
