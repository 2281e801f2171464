"""The config, key by key, as pydantic models. What relates several keys is in `rules`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
)

from harness.config import figure_entry, level_entry, method_entry, trial_entry, truth_entry
from harness.config.constraints import Word, expecting, one_line
from harness.config.strict import Pair, Strict
from harness.methods.catalogue import CATALOGUE

ENGINES = ("monte_carlo", "posterior", "enumeration")
FAMILIES = tuple(CATALOGUE)
LATER_FAMILIES = ("rate", "proportion_difference", "rate_difference", "balanced_accuracy")
SEGMENT = r"[A-Za-z0-9_-][A-Za-z0-9._-]*"
LONGEST_SEGMENT = 100

if TYPE_CHECKING:
    FigureEntry = BaseModel
else:
    FigureEntry = figure_entry.union()


def _segments(value: str) -> str:
    for segment in value.split("/"):
        fits = re.fullmatch(SEGMENT, segment)
        if not fits or ".." in segment or segment.endswith(".") or len(segment) > LONGEST_SEGMENT:
            raise ValueError(value)
    return value


class Execution(Strict):
    """Where the work runs; changes no result."""

    jobs: Annotated[
        Literal[-1] | Annotated[int, Field(ge=1)],
        expecting("a whole number of at least 1, or -1 for every core"),
    ] = Field(-1, description="Processes or threads; -1 uses every core.")
    backend: Annotated[str, Word("a backend", ("threading", "loky"), later=("dask",))] = Field(
        "threading", description="joblib's backend."
    )


class Config(Strict):
    """One experiment: which interval methods, on what data, judged how."""

    name: Annotated[
        str,
        AfterValidator(_segments),
        expecting("a name of letters, digits, '.', '_', '-', in parts joined by '/'"),
    ] = Field(
        description="Results go to results/<name>; plain path segments.",
        json_schema_extra={"pattern": f"^{SEGMENT}(/{SEGMENT})*$"},
    )
    title: Annotated[str, AfterValidator(one_line), expecting("one line of text")] | None = Field(
        None, description="Left out, the name."
    )
    family: Annotated[str, Word("a family", FAMILIES, later=LATER_FAMILIES)] = Field(
        description="What is estimated."
    )
    n: level_entry.Sizes = Field(
        description="Sizes: one, a list, or {log_grid: {start, stop, count}}."
    )
    alpha: level_entry.Alphas = Field(
        0.05, description="Nominal probability of a miss: one, or a list."
    )
    methods: list[method_entry.MethodEntry] = Field(
        min_length=1,
        description="A catalogue name, {name, side, prior, label}, {path, function, label} or "
        "{module, function, label}.",
    )
    truth: truth_entry.TruthEntry = Field(
        truth_entry.Uniform(uniform=[0, 1]), description="Where the true parameter comes from."
    )
    trials: trial_entry.TrialsEntry | None = Field(None, description="How many Monte Carlo trials.")
    outcomes: level_entry.Outcomes = Field(
        "all", description="Outcomes that the posterior engine covers: all, or {fractions: count}."
    )
    engines: (
        Annotated[list[Annotated[str, Word("an engine", ENGINES)]], Field(min_length=1)] | None
    ) = Field(
        None,
        description="Left out, all three; without trials, posterior and enumeration.",
    )
    reference_prior: Annotated[Pair, expecting("two positive numbers [a, b]")] = Field(
        [1, 1], description="Beta(a, b) prior of the posterior engine."
    )
    seed: (
        Annotated[int, Field(ge=0, le=2**128 - 1), expecting("a whole number from 0 to 2^128 - 1")]
        | None
    ) = Field(None, description="Every random number follows from it; monte_carlo asks for it.")
    execution: Execution = Field(Execution(), description="Where the work runs.")
    figures: list[FigureEntry] = Field([], description="Figures to draw, each with its options.")


TAGGED: dict[str, type[BaseModel]] = {
    **level_entry.TAGGED,
    **method_entry.TAGGED,
    **truth_entry.TAGGED,
    **trial_entry.TAGGED,
    **figure_entry.TAGGED,
}
"""The model behind each tag in the path of a pydantic error."""
