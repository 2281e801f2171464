"""The keys that several kinds of experiments have."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from pydantic import Field, WithJsonSchema

from harness.base.models import Word, expecting, is_one_line
from harness.callers.process import TIMEOUT
from harness.catalogue import LARGEST_BETA
from harness.config.form import FamilyForm, Key, Keys, WrittenByKeys, family_form, plain
from harness.config.models.figures import figure_type, write_figures
from harness.config.models.levels import Probability
from harness.config.models.methods import prior_type
from harness.config.models.trials import ExecutionSettings, write_execution
from harness.families.confusion import BETA
from harness.families.family import Family
from harness.families.judged import SENSITIVITY, SPECIFICITY
from harness.families.tasks import DEFAULT_K, LARGEST_K, K

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
