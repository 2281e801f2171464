"""The experiment of a config, with every default filled in, and the config of an experiment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from harness.base.plain_data import plain_number
from harness.callers.command import RFunction
from harness.callers.process import TIMEOUT
from harness.config.experiment import (
    CALIBRATION,
    COVERAGE,
    AnyExperiment,
    Calibration,
    Experiment,
    MethodSpec,
    Precision,
    Size,
    SizeRange,
    TrialCount,
    Trials,
)
from harness.config.forms import CROSS, Form, form_for
from harness.config.models.figures import figure_spec
from harness.config.models.truths import written_truth
from harness.designs.design import AnyTruth
from harness.designs.results import Group
from harness.distributions.sampling.law import NUMPY, Law, on_lattice
from harness.distributions.truths import DiscreteTruth
from harness.families.catalogue import family_of
from harness.families.family import CLOSED_FORM, ENUMERATION, MONTE_CARLO, POSTERIOR, Family

Record = TypeVar("Record", Experiment, Calibration)


def resolve(form: Form, raw: Mapping[str, Any], values: Mapping[str, Any]) -> AnyExperiment:
    """Return the experiment of a config that has no issues.

    Args:
        form: the form of the config.
        raw: the data of the config, as written.
        values: the valid value of every key of the form.
    """
    resolved = {
        "title": values["title"] or values["name"],
        # Where nothing is drawn, the seed does not matter.
        "seed": values["seed"] or 0,
        "figures": tuple(map(figure_spec, values["figures"])),
    }
    if form.kind == CALIBRATION:
        first, second = (SizeRange(*values[name]) for name in form.family.sizes)
        lower, upper = values["delta"]
        delta = (lower + 0.0, upper + 0.0)
        return _record(Calibration, values, **resolved, sizes=(first, second), delta=delta)
    outcomes = values.get("outcomes")
    return _record(
        Experiment,
        values,
        **resolved,
        sizes=sizes_of(form, values["sizes"], values.get(CROSS, False)),
        alphas=values["alpha"],
        methods=tuple(values["methods"]),
        truth=_on_lattice(values["truth"], values.get("sampling")),
        written_truth=written_truth(values["truth"].content(), raw.get("truth")),
        outcomes=tuple(sorted(outcomes)) if isinstance(outcomes, tuple) else outcomes,
        group=values.get("group"),
        draws=values.get("draws", NUMPY),
        sampling=values.get("sampling"),
        reference=values.get("reference", "prior"),
        reference_prior=values.get("reference_prior", form.family.model.FLAT_PRIOR),
    )


def _on_lattice(truth: AnyTruth, law: Law | None) -> AnyTruth:
    """The truth with the double of each M/N, where the law has only those.

    Two values that differ in their rounding are one.
    """
    if law is None or not isinstance(truth, DiscreteTruth):
        return truth
    return DiscreteTruth(tuple(dict.fromkeys(on_lattice(np.array(truth.values), law).tolist())))


def _record(kind: type[Record], values: Mapping[str, Any], **resolved: Any) -> Record:
    """The experiment: the resolved attributes, and of the others the values of their keys."""
    own = {field.name: values[field.name] for field in fields(kind) if field.name in values}
    return kind(**{**own, **resolved})


def sizes_of(form: Form, sizes: Mapping[str, Sequence[float]], cross: bool) -> tuple[Size, ...]:
    """The sizes of the scenarios, ascending: one size each, or a pair.

    Args:
        form: the form of the config.
        sizes: the sizes of each sample by their keys.
        cross: whether each size of the first sample is combined with each of the second.
    """
    if len(form.family.sizes) == 1:
        return tuple(sorted(sizes[form.family.sizes[0]]))
    first, second = (sizes[name] for name in form.family.sizes)
    return tuple(sorted(pairs(first, second, cross)))


def pairs(first: Sequence[Any], second: Sequence[Any], cross: bool) -> list[tuple[Any, Any]]:
    """Pairs of sizes of equal index; all pairs for ``cross``, or where a list has one size."""
    if cross or 1 in (len(first), len(second)):
        return [(one, other) for one in first for other in second]
    return list(zip(first, second, strict=False))


def engines_of(
    family: Family,
    written: Sequence[str] | None,
    trials: Trials | None,
    truth: AnyTruth | None = None,
    law: Law | None = None,
) -> tuple[str, ...]:
    """The engines that run, in the order of the family; all that can where none is named.

    Args:
        family: the family.
        written: the engines that the config names; None for none.
        trials: None where no trials are made.
        truth: where true values come from; None where it is not valid.
        law: how outcomes arise; None for the family's own law.
    """
    if written is not None:
        return tuple(engine for engine in family.engines if engine in written)
    left_out = {MONTE_CARLO} if trials is None else set()
    if law is not None:
        # A posterior is that of the family's own law, and an integral over truths needs one.
        is_listed = truth is None or truth.is_discrete
        left_out |= {POSTERIOR} if is_listed and law.has_probabilities else {POSTERIOR, ENUMERATION}
    if truth is not None and not family.has_closed_form(truth):
        left_out |= {CLOSED_FORM}
    return tuple(engine for engine in family.engines if engine not in left_out)


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


def _without_none(document: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if value is not None}
