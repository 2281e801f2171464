"""The keys that every config has, whatever its kind and family."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from harness.config import figure_entry
from harness.config.constraints import Word, expecting, one_line
from harness.config.form import Key, entry
from harness.methods.user.process import TIMEOUT
from harness.models import StrictModel

COVERAGE, CALIBRATION = "coverage", "calibration"
KINDS = (COVERAGE, CALIBRATION)
SEGMENT = r"[A-Za-z0-9_-][A-Za-z0-9._-]*"
LONGEST_SEGMENT = 100


def _segments(value: str) -> str:
    for segment in value.split("/"):
        fits = re.fullmatch(SEGMENT, segment)
        if not fits or ".." in segment or segment.endswith(".") or len(segment) > LONGEST_SEGMENT:
            raise ValueError(value)
    return value


class Execution(StrictModel):
    """Where the work runs; changes no result of what ends in time."""

    jobs: Annotated[
        Literal[-1] | Annotated[int, Field(ge=1)],
        expecting("a whole number of at least 1, or -1 for every core"),
    ] = Field(-1, description="Processes or threads; -1 uses every core.")
    backend: Annotated[str, Word("a backend", ("threading", "loky"), later=("dask",))] = Field(
        "threading", description="joblib's backend."
    )
    timeout: Annotated[
        float, Field(gt=0, le=86_400), expecting("a number of seconds above 0, up to 86400")
    ] = Field(TIMEOUT, description="Seconds that a call of a method of your own may take.")


Name = Annotated[
    str,
    AfterValidator(_segments),
    expecting("a name of letters, digits, '.', '_', '-', in parts joined by '/'"),
    WithJsonSchema({"type": "string", "pattern": f"^{SEGMENT}(/{SEGMENT})*$"}),
]
Title = Annotated[str, AfterValidator(one_line), expecting("one line of text")]
Seed = Annotated[int, Field(ge=0, le=2**128 - 1), expecting("a whole number from 0 to 2^128 - 1")]


def first_keys(kind: str, family: str, families: Sequence[str]) -> dict[str, Key]:
    """Name, title, kind and family, which is one of the ``families`` of that kind."""
    kinds = Annotated[str, Word("a kind of experiment", KINDS), _constant(kind)]
    what = "a family" if kind == COVERAGE else "a family of two samples"
    every = Annotated[str, Word(what, tuple(families)), _constant(family)]
    about = "coverage: how often intervals miss; calibration: whether probabilities hold."
    return {
        "name": entry(Name, "Results go to results/<name>; plain path segments."),
        "title": entry(Title | None, "Left out, the name.", None),
        "kind": entry(kinds, about, COVERAGE) if kind == COVERAGE else entry(kinds, about),
        "family": entry(every, "What is estimated."),
    }


def last_keys() -> dict[str, Key]:
    """Seed, execution and figures."""
    figure: Any = figure_entry.union()
    about = "Every random number follows from it; what is drawn at random asks for it."
    return {
        "seed": entry(Seed | None, about, None),
        "execution": entry(Execution, "Where the work runs.", Execution()),
        "figures": entry(list[figure], "Figures to draw, each with its options.", []),
    }


def _constant(word: str) -> WithJsonSchema:
    """In a form of its own there is only one word that the key can hold."""
    return WithJsonSchema({"type": "string", "const": word})
