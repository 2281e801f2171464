"""A resolved config as plain data that says everything, in the order of the documentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.config.draft import Draft
from harness.config.experiment import (
    AnyExperiment,
    Calibration,
    Experiment,
    MethodSpec,
    Size,
)
from harness.config.levels import Method, plain_number
from harness.config.method_entry import FileMethod
from harness.config.pair_truth_entry import AnyTruth, PairEntry
from harness.config.shared_keys import CALIBRATION
from harness.config.truth_entry import Grid
from harness.config.truth_levels import truth_of
from harness.engines.pooling import Group
from harness.families.catalogue import family_of
from harness.methods.user.process import TIMEOUT


def experiment_document(experiment: Experiment, parts: Draft) -> dict[str, Any]:
    """What loads to an equal experiment; ``parts``: as its author wrote it."""
    trials, outcomes = experiment.trials, experiment.outcomes
    return _without_none(
        {
            "name": experiment.name,
            "title": experiment.title,
            "family": experiment.family,
            **_sizes(family_of(experiment.family).sizes, experiment.sizes),
            "alpha": list(experiment.alphas),
            "methods": [
                _method(spec, entry)
                for spec, entry in zip(experiment.methods, parts["methods"], strict=True)
            ],
            "truth": _truth(parts["truth"]),
            "trials": None if trials is None else {trials.kind: trials.count},
            "outcomes": _outcomes(outcomes),
            "reference": None if experiment.reference == "prior" else experiment.reference,
            "group": _group(experiment.group),
            "engines": list(experiment.engines),
            "reference_prior": [plain_number(value) for value in experiment.reference_prior],
            **_last(experiment),
        }
    )


def calibration_document(calibration: Calibration, parts: Draft) -> dict[str, Any]:
    """What loads to an equal calibration; ``parts``: as its author wrote it."""
    sizes = zip(family_of(calibration.family).sizes, calibration.sizes, strict=True)
    return {
        "name": calibration.name,
        "title": calibration.title,
        "kind": CALIBRATION,
        "family": calibration.family,
        **{name: _range(size.lower, size.upper) for name, size in sizes},
        "truth": _truth(parts["truth"]),
        "delta": _range(*calibration.delta),
        "trials": calibration.trials,
        "bins": calibration.bins,
        "prior": [plain_number(value) for value in calibration.prior],
        **_last(calibration),
    }


def _last(experiment: AnyExperiment) -> dict[str, Any]:
    timeout = experiment.execution.timeout
    return {
        "seed": experiment.seed,
        "execution": {
            "jobs": experiment.execution.jobs,
            "backend": experiment.execution.backend,
            **({} if timeout == TIMEOUT else {"timeout": plain_number(timeout)}),
        },
        "figures": [{"kind": figure.kind, **figure.options} for figure in experiment.figures],
    }


def _sizes(names: Sequence[str], sizes: Sequence[Size]) -> dict[str, Any]:
    """A list for each sample, in which pairs stand in the same place."""
    rows = [size if isinstance(size, tuple) else (size,) for size in sizes]
    columns = zip(*rows, strict=True)
    return {
        name: [plain_number(float(value)) for value in column]
        for name, column in zip(names, columns, strict=True)
    }


def _range(low: float, high: float) -> Any:
    """One number where nothing is drawn."""
    ends = [plain_number(float(end)) for end in (low, high)]
    return ends[0] if low == high else {"uniform": ends}


def _outcomes(outcomes: int | tuple[int, ...] | None) -> Any:
    if outcomes is None:
        return "all"
    return {"values": list(outcomes)} if isinstance(outcomes, tuple) else {"fractions": outcomes}


def _group(group: Group | None) -> dict[str, int] | None:
    return None if group is None else _without_none({"width": group.width, "last": group.last})


def _method(spec: MethodSpec, entry: Method) -> dict[str, Any]:
    if spec.name is None:
        # As written, so that it does not name a place on one machine.
        place = {"path": entry.path} if isinstance(entry, FileMethod) else {"module": spec.module}
        return {**place, "function": spec.function, "side": spec.side, "label": spec.label}
    prior = {} if spec.prior is None else {"prior": [plain_number(value) for value in spec.prior]}
    return {"name": spec.name, "side": spec.side, **prior, "label": spec.label}


def _truth(entry: AnyTruth | PairEntry) -> Mapping[str, Any]:
    if isinstance(entry, PairEntry):
        return {"first": _truth(entry.first), "second": _truth(entry.second)}
    if isinstance(entry, Grid):
        span = entry.grid
        ends = {"start": plain_number(span.start + 0.0), "stop": plain_number(span.stop + 0.0)}
        return {"grid": {**ends, "count": span.count}}
    content = truth_of(entry).content()
    return {key: [plain_number(value) for value in values] for key, values in content.items()}


def _without_none(document: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if value is not None}
