"""From a config without faults to an Experiment: every default filled in, every level spelt out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.config.draft import Draft
from harness.config.experiment import Execution, Experiment, FigureSpec, MethodSpec, Trials
from harness.config.figure_entry import kind_of, options_of
from harness.config.level_entry import Fractions
from harness.config.levels import (
    Method,
    TruthEntry,
    alphas_of,
    engines_of,
    label_of,
    plain_number,
    sizes_of,
    truth_of,
)
from harness.config.method_entry import CatalogueMethod, FileMethod, ModuleMethod
from harness.config.trial_entry import PerOutcome, PerSize, PerTruth
from harness.config.truth_entry import Grid
from harness.methods.catalogue import find
from harness.methods.method import TWO_SIDED


def resolve(parts: Draft, folder: Path) -> Experiment:
    """``parts`` are all there and right; a method's ``path`` is relative to ``folder``."""
    outcomes, execution = parts["outcomes"], parts["execution"]
    a, b = parts["reference_prior"]
    experiment = Experiment(
        name=parts["name"],
        title=parts["title"] or parts["name"],
        family=parts["family"],
        sizes=sizes_of(parts["n"]),
        alphas=alphas_of(parts["alpha"]),
        methods=tuple(_method(entry, parts["family"], folder) for entry in parts["methods"]),
        truth=truth_of(parts["truth"]),
        trials=_trials(parts["trials"]),
        outcomes=outcomes.fractions if isinstance(outcomes, Fractions) else None,
        engines=engines_of(parts["engines"], parts["trials"]),
        reference_prior=(float(a), float(b)),
        # Without Monte Carlo nothing is drawn and any seed does.
        seed=parts["seed"] or 0,
        execution=Execution(execution.jobs, execution.backend),
        figures=tuple(FigureSpec(kind_of(each), options_of(each)) for each in parts["figures"]),
        document={},
    )
    return replace(experiment, document=_document(experiment, parts))


def _method(entry: Method, family: str, folder: Path) -> MethodSpec:
    label = label_of(entry)
    if isinstance(entry, FileMethod):
        path = str((folder / entry.path).resolve())
        return MethodSpec(label, None, path, None, entry.function, TWO_SIDED, None)
    if isinstance(entry, ModuleMethod):
        return MethodSpec(label, None, None, entry.module, entry.function, TWO_SIDED, None)
    asked = CatalogueMethod.model_construct(name=entry) if isinstance(entry, str) else entry
    method = find(family, asked.name)
    prior = method.default_prior
    if asked.prior is not None:
        a, b = asked.prior
        prior = (float(a), float(b))
    return MethodSpec(label, method.name, None, None, None, asked.side, prior)


def _trials(entry: PerOutcome | PerSize | PerTruth | None) -> Trials | None:
    if isinstance(entry, PerOutcome):
        return Trials("per_outcome", entry.per_outcome)
    if isinstance(entry, PerSize):
        return Trials("per_size", entry.per_size)
    return None if entry is None else Trials("per_truth", entry.per_truth)


def _document(experiment: Experiment, parts: Draft) -> dict[str, Any]:
    """The experiment as a config that says everything, in the order of the documentation."""
    trials, outcomes = experiment.trials, experiment.outcomes
    document = {
        "name": experiment.name,
        "title": experiment.title,
        "family": experiment.family,
        "n": list(experiment.sizes),
        "alpha": list(experiment.alphas),
        "methods": [
            _method_document(spec, entry)
            for spec, entry in zip(experiment.methods, parts["methods"], strict=True)
        ],
        "truth": _truth_document(experiment, parts["truth"]),
        "trials": None if trials is None else {trials.kind: trials.count},
        "outcomes": "all" if outcomes is None else {"fractions": outcomes},
        "engines": list(experiment.engines),
        "reference_prior": [plain_number(value) for value in experiment.reference_prior],
        "seed": experiment.seed,
        "execution": {
            "jobs": experiment.execution.jobs,
            "backend": experiment.execution.backend,
        },
        "figures": [{"kind": figure.kind, **figure.options} for figure in experiment.figures],
    }
    return {key: value for key, value in document.items() if value is not None}


def _method_document(spec: MethodSpec, entry: Method) -> dict[str, Any]:
    if spec.name is None:
        # As written, so that it does not name a place on one machine.
        place = {"path": entry.path} if isinstance(entry, FileMethod) else {"module": spec.module}
        return {**place, "function": spec.function, "side": spec.side, "label": spec.label}
    prior = {} if spec.prior is None else {"prior": [plain_number(value) for value in spec.prior]}
    return {"name": spec.name, "side": spec.side, **prior, "label": spec.label}


def _truth_document(experiment: Experiment, entry: TruthEntry) -> Mapping[str, Any]:
    if isinstance(entry, Grid):
        span = entry.grid
        ends = {"start": plain_number(span.start + 0.0), "stop": plain_number(span.stop + 0.0)}
        return {"grid": {**ends, "count": span.count}}
    content = experiment.truth.content()
    return {key: [plain_number(value) for value in values] for key, values in content.items()}
