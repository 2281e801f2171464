"""An experiment as plain data: the resolved config, in the order of the documentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.config.experiment import (
    CALIBRATION,
    AnyExperiment,
    Calibration,
    Experiment,
    MethodSpec,
    Size,
)
from harness.engines.pooling import Group
from harness.families.catalogue import family_of
from harness.methods.user.process import TIMEOUT
from harness.plain_data import plain_number


def serialize(experiment: AnyExperiment) -> dict[str, Any]:
    """Return the document that ``config.yaml`` holds, with every default filled in.

    Loading it from the folder of the experiment's own config gives an equal experiment.
    """
    if isinstance(experiment, Calibration):
        return _calibration(experiment)
    return _coverage(experiment)


def _coverage(experiment: Experiment) -> dict[str, Any]:
    trials, outcomes = experiment.trials, experiment.outcomes
    return _without_none(
        {
            "name": experiment.name,
            "title": experiment.title,
            "family": experiment.family,
            **_sizes(family_of(experiment.family).sizes, experiment.sizes),
            "alpha": list(experiment.alphas),
            "methods": [_method(spec) for spec in experiment.methods],
            "truth": experiment.written_truth,
            "trials": None if trials is None else {trials.kind: trials.count},
            "outcomes": _outcomes(outcomes),
            "reference": None if experiment.reference == "prior" else experiment.reference,
            "group": _group(experiment.group),
            "engines": list(experiment.engines),
            "reference_prior": _numbers(experiment.reference_prior),
            **_last_keys(experiment),
        }
    )


def _calibration(calibration: Calibration) -> dict[str, Any]:
    sizes = zip(family_of(calibration.family).sizes, calibration.sizes, strict=True)
    return {
        "name": calibration.name,
        "title": calibration.title,
        "kind": CALIBRATION,
        "family": calibration.family,
        **{name: _range(size.lower, size.upper) for name, size in sizes},
        "truth": written_truth(calibration.truth.content()),
        "delta": _range(*calibration.delta),
        "trials": calibration.trials,
        "bins": calibration.bins,
        "prior": _numbers(calibration.prior),
        **_last_keys(calibration),
    }


def _last_keys(experiment: AnyExperiment) -> dict[str, Any]:
    execution = experiment.execution
    timeout = {"timeout": plain_number(execution.timeout)} if execution.timeout != TIMEOUT else {}
    return {
        "seed": experiment.seed,
        "execution": {"jobs": execution.jobs, "backend": execution.backend, **timeout},
        "figures": [{"kind": figure.kind, **figure.options} for figure in experiment.figures],
    }


def _sizes(names: Sequence[str], sizes: Sequence[Size]) -> dict[str, Any]:
    """A list for each sample; the sizes of a pair have the same index."""
    rows = [size if isinstance(size, tuple) else (size,) for size in sizes]
    columns = zip(*rows, strict=True)
    return {name: _numbers(column) for name, column in zip(names, columns, strict=True)}


def _numbers(values: Sequence[float]) -> list[float]:
    return [plain_number(value) for value in values]


def _range(low: float, high: float) -> Any:
    """One number where nothing is drawn."""
    ends = _numbers((low, high))
    return ends[0] if low == high else {"uniform": ends}


def _outcomes(outcomes: int | tuple[int, ...] | None) -> Any:
    if outcomes is None:
        return "all"
    return {"values": list(outcomes)} if isinstance(outcomes, tuple) else {"fractions": outcomes}


def _group(group: Group | None) -> dict[str, int] | None:
    return None if group is None else _without_none({"width": group.width, "last": group.last})


def _method(spec: MethodSpec) -> dict[str, Any]:
    if spec.name is None:
        place = {"module": spec.module} if spec.path is None else {"path": spec.written_path}
        return {**place, "function": spec.function, "side": spec.side, "label": spec.label}
    prior = {} if spec.prior is None else {"prior": _numbers(spec.prior)}
    return {"name": spec.name, "side": spec.side, **prior, "label": spec.label}


def written_truth(content: Mapping[str, Any], written: Any = None) -> dict[str, Any]:
    """The content of a truth, with plain numbers and with the grids that the config writes."""
    if not isinstance(written, Mapping):
        written = {}
    if "first" in content:
        return {key: written_truth(each, written.get(key)) for key, each in content.items()}
    if "grid" in written:
        span = written["grid"]
        ends = {key: plain_number(span[key] + 0.0) for key in ("start", "stop")}
        return {"grid": {**ends, "count": span["count"]}}
    return {key: _numbers(values) for key, values in content.items()}


def _without_none(document: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if value is not None}
