"""The columns of an experiment: its methods × its alphas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.config.experiment import Experiment, MethodSpec
from harness.engines.stochastic import DrawnColumn, StochasticColumn
from harness.errors import InputError
from harness.families.family import MONTE_CARLO
from harness.methods.catalogue import find
from harness.methods.user.process import UserFunction
from harness.scenario import Column
from harness.study.user_methods import UserColumn

_COMPARING = ("length_surface", "length_over_outcome")
"""The figures of lengths, a method's against another's."""

Own = Mapping[str, UserFunction]
"""The user's own methods, by their labels."""


def deterministic_specs(experiment: Experiment, own: Own) -> list[MethodSpec]:
    """The methods whose limits are a function of the outcome."""
    return [spec for spec in experiment.methods if not is_stochastic(experiment, spec, own)]


def deterministic_columns(experiment: Experiment, own: Own) -> tuple[Column, ...]:
    """The columns of those methods."""
    return tuple(
        column
        for column, spec in _specified(experiment)
        if not is_stochastic(experiment, spec, own)
    )


def stochastic_columns(experiment: Experiment, own: Own) -> tuple[DrawnColumn, ...]:
    """The columns whose limits are drawn."""
    return tuple(
        _drawn(experiment, column, spec, own)
        for column, spec in _specified(experiment)
        if is_stochastic(experiment, spec, own)
    )


def _drawn(experiment: Experiment, column: Column, spec: MethodSpec, own: Own) -> DrawnColumn:
    if spec.name is None:
        return UserColumn(column, own[spec.label])
    return StochasticColumn(column, find(experiment.family, spec.name), spec.prior)


def is_stochastic(experiment: Experiment, spec: MethodSpec, own: Own) -> bool:
    """Whether a method draws its limits; of a user's own that is known once it is loaded."""
    if spec.name is not None:
        return not find(experiment.family, spec.name).deterministic
    return spec.label in own and not own[spec.label].deterministic


def refuse_undrawn(experiment: Experiment, own: Own) -> None:
    """A method that draws its limits is a fault where nothing is told of drawn limits.

    Raises:
        InputError: it draws its limits, and no trials are made; or a figure compares lengths with
            its, or has no other one's to compare.
    """
    _refuse_figures(experiment, own)
    if MONTE_CARLO in experiment.engines:
        return
    for spec in experiment.methods:
        if is_stochastic(experiment, spec, own):
            raise InputError(
                f"{spec.label} draws its limits, and only {MONTE_CARLO} can tell how often they "
                f"miss: give trials and the engine {MONTE_CARLO}, or leave the method out"
            )


def _refuse_figures(experiment: Experiment, own: Own) -> None:
    drawn = {spec.label for spec in experiment.methods if is_stochastic(experiment, spec, own)}
    known = {spec.label for spec in experiment.methods} - drawn
    for figure in experiment.figures:
        if drawn and figure.kind in _COMPARING and not _compares(figure.options, known):
            raise InputError(
                f"{figure.kind} compares lengths at each outcome, which limits that are drawn do "
                f"not have, found {', '.join(sorted(drawn))}"
            )


def _compares(options: Mapping[str, Any], known: set[str]) -> bool:
    """Whether all that a figure of lengths asks for is among the methods that have them."""
    reference = options.get("reference")
    asked = options.get("method", options.get("methods"))
    if asked is None:
        return reference in known and len(known) > 1
    return {reference, *([asked] if isinstance(asked, str) else asked)} <= known


def _specified(experiment: Experiment) -> list[tuple[Column, MethodSpec]]:
    each = [(spec, alpha) for spec in experiment.methods for alpha in experiment.alphas]
    return [
        (Column(spec.label, spec.side, alpha, place), spec)
        for place, (spec, alpha) in enumerate(each)
    ]
