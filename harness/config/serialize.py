"""An experiment as plain data: the resolved config, in the order of the documentation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from harness.base.plain_data import plain_number
from harness.callers.process import TIMEOUT
from harness.callers.r_function import RFunction
from harness.config.experiment import (
    COVERAGE,
    AnyExperiment,
    Calibration,
    Experiment,
    MethodSpec,
    Precision,
    TrialCount,
)
from harness.config.forms import form_for
from harness.designs.pooling import Group
from harness.distributions.paired_truths import PARTS as PARTS_OF_PAIRS
from harness.distributions.sampling.law import Law
from harness.distributions.sampling.protocol import NUMPY
from harness.families.catalogue import family_of


def serialize(experiment: AnyExperiment) -> dict[str, Any]:
    """Return the document that ``config.yaml`` holds, with every default filled in.

    Loading it from the folder of the experiment's own config gives an equal experiment. The keys
    are in the order of the form; a key that is None, or the default that is left out, is not
    written.
    """
    form = form_for(experiment.kind, experiment.family)
    sizes = _sizes(experiment)
    document: dict[str, Any] = {}
    for key in form.keys:
        if key in sizes:
            document[key] = sizes[key]
        elif key in _WRITERS:
            document[key] = _WRITERS[key](experiment)
        else:
            document[key] = _plain(getattr(experiment, key))
    return _without_none(document)


def _plain(value: Any) -> Any:
    """Numbers and texts as they are, a tuple of them as a list."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return plain_number(value) if isinstance(value, float) else value


def _execution(experiment: AnyExperiment) -> dict[str, Any]:
    execution = experiment.execution
    timeout = {"timeout": plain_number(execution.timeout)} if execution.timeout != TIMEOUT else {}
    address = {} if execution.address is None else {"address": execution.address}
    return {"jobs": execution.jobs, "backend": execution.backend, **address, **timeout}


def _figures(experiment: AnyExperiment) -> list[dict[str, Any]]:
    return [{"kind": figure.kind, **figure.options} for figure in experiment.figures]


def _truth(experiment: AnyExperiment) -> Mapping[str, Any]:
    if isinstance(experiment, Experiment):
        return experiment.written_truth
    return written_truth(experiment.truth.content())


def _sampling(law: Law | None) -> dict[str, Any] | None:
    """The law with its settings; None for the family's own."""
    if law is None:
        return None
    return {
        name: {key: plain_number(each) for key, each in settings.items()}
        for name, settings in law.content().items()
    }


def _trials(experiment: AnyExperiment) -> Any:
    trials = experiment.trials
    if isinstance(trials, Precision):
        return {"half_width": plain_number(trials.half_width), "max": trials.most}
    return {trials.kind: trials.count} if isinstance(trials, TrialCount) else trials


_WRITERS: dict[str, Callable[[Any], Any]] = {
    # A coverage experiment is what a config without a kind is.
    "kind": lambda experiment: None if experiment.kind == COVERAGE else experiment.kind,
    "alpha": lambda experiment: list(experiment.alphas),
    "methods": lambda experiment: [_method(spec) for spec in experiment.methods],
    "truth": _truth,
    "sampling": lambda experiment: _sampling(experiment.sampling),
    "trials": _trials,
    "draws": lambda experiment: None if experiment.draws == NUMPY else experiment.draws,
    "outcomes": lambda experiment: _outcomes(experiment.outcomes),
    "reference": lambda experiment: None if experiment.reference == "prior" else "truth",
    "group": lambda experiment: _group(experiment.group),
    "cross": lambda experiment: None,
    "delta": lambda experiment: _range(*experiment.delta),
    "execution": _execution,
    "figures": _figures,
}
"""The keys that are not written as the attribute of the experiment stands."""


def _sizes(experiment: AnyExperiment) -> dict[str, Any]:
    """A list for each sample; the sizes of a pair have the same index. Ranges of a calibration."""
    names = family_of(experiment.family).sizes
    if isinstance(experiment, Calibration):
        ranges = [_range(size.lower, size.upper) for size in experiment.sizes]
        return dict(zip(names, ranges, strict=True))
    rows = [size if isinstance(size, tuple) else (size,) for size in experiment.sizes]
    columns = zip(*rows, strict=True)
    return {name: _plain(column) for name, column in zip(names, columns, strict=True)}


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
        return {**_place(spec), "side": spec.side, "label": spec.label}
    prior = {} if spec.prior is None else {"prior": _numbers(spec.prior)}
    return {"name": spec.name, "side": spec.side, **prior, "label": spec.label}


def _place(spec: MethodSpec) -> dict[str, Any]:
    """Where the method of a user is, as the config writes it."""
    program = spec.program
    if isinstance(program, RFunction):
        settings = {"arg": dict(program.arguments) or None, "limits": program.limits or None}
        return {"r": program.function, **_without_none(settings)}
    if program is not None:
        return {"command": program.command, "lines": program.lines}
    if spec.is_table:
        return {"table": spec.written_path}
    place = {"module": spec.module} if spec.path is None else {"path": spec.written_path}
    return {**place, "function": spec.function}


def written_truth(content: Mapping[str, Any], written: Any = None) -> dict[str, Any]:
    """The content of a truth, with plain numbers and with the grids that the config writes."""
    if not isinstance(written, Mapping):
        written = {}
    if "tables" in content:
        return {key: _plain_tree(each) for key, each in written.items()}
    if "cells" in content:
        parts = [part for part in PARTS_OF_PAIRS if part in written]
        return {part: written_truth(_part(written[part]), written[part]) for part in parts}
    if "first" in content or "rho" in content:
        return {key: written_truth(each, written.get(key)) for key, each in content.items()}
    if "grid" in written:
        span = written["grid"]
        ends = {key: plain_number(span[key] + 0.0) for key in ("start", "stop")}
        return {"grid": {**ends, "count": span["count"]}}
    return {key: _plain_tree(values) for key, values in content.items()}


def _plain_tree(value: Any) -> Any:
    """Plain data with plain numbers."""
    if isinstance(value, Mapping):
        return {key: _plain_tree(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_tree(each) for each in value]
    return plain_number(value + 0.0) if isinstance(value, float) else value


def _part(written: Mapping[str, Any]) -> Mapping[str, Any]:
    """The numbers of a part of the truth of pairs, ascending; a grid stays as it is written."""
    return {"values": sorted(value + 0.0 for value in written.get("values", ()))}


def _without_none(document: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if value is not None}
