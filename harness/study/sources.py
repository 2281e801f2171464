"""The sources of limits of an experiment: one for each of its methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from harness.config.experiment import Experiment, MethodSpec
from harness.errors import InputError
from harness.methods.catalogue import find
from harness.methods.source import CatalogueSource, RunSource
from harness.methods.user.function import UserFunction
from harness.methods.user.process import FunctionLocation

Sources = Mapping[str, RunSource]
"""Sources of limits, by the labels of their methods."""


def catalogue_sources(experiment: Experiment) -> dict[str, RunSource]:
    """The methods of the catalogue in an experiment; no user function is loaded."""
    return {
        spec.label: CatalogueSource(spec.label, find(experiment.family, spec.name), spec.prior)
        for spec in experiment.methods
        if spec.name is not None
    }


@contextmanager
def limit_sources(experiment: Experiment) -> Iterator[Sources]:
    """All methods of an experiment; the processes of user functions end when the context exits.

    Raises:
        InputError: a user function cannot be loaded, or is of another side than its entry says.
    """
    sources = catalogue_sources(experiment)
    with ExitStack() as opened:
        for spec in experiment.methods:
            if spec.function is not None:
                location = FunctionLocation(spec.function, spec.path, spec.module)
                function = UserFunction.start(spec.label, location, experiment.execution.timeout)
                opened.callback(function.close)
                _refuse_other_side(spec, function.declared.side)
                sources[spec.label] = function
        yield sources


def _refuse_other_side(spec: MethodSpec, side: str) -> None:
    if side != spec.side:
        raise InputError(
            f"{spec.label}: the config's side is {spec.side!r} and the function's attribute side "
            f"is {side!r}, which should be the same"
        )
