"""From a config without faults to its records: every default filled in, every level spelt out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.config.draft import Draft
from harness.config.experiment import (
    AnyExperiment,
    Calibration,
    Execution,
    Experiment,
    FigureSpec,
    MethodSpec,
    SizeRange,
    Trials,
)
from harness.config.figure_entry import kind_of, options_of
from harness.config.form import Form
from harness.config.levels import (
    Method,
    alphas_of,
    engines_of,
    label_of,
    outcomes_of,
    sizes_of,
)
from harness.config.method_entry import CatalogueMethod, FileMethod, ModuleMethod
from harness.config.outcome_entry import GroupEntry
from harness.config.range_entry import Range
from harness.config.shared_keys import CALIBRATION
from harness.config.spelt_out import calibration_document, experiment_document
from harness.config.trial_entry import PerOutcome, PerSize, PerTruth
from harness.config.truth_levels import pair_of, truth_of
from harness.engines.pooling import Group
from harness.methods.catalogue import find


def resolve(form: Form, parts: Draft, folder: Path) -> AnyExperiment:
    """``parts`` are all there and right; a method's ``path`` is relative to ``folder``."""
    if form.kind == CALIBRATION:
        calibration = _calibration(form, parts)
        return replace(calibration, document=calibration_document(calibration, parts))
    experiment = _experiment(form, parts, folder)
    return replace(experiment, document=experiment_document(experiment, parts))


def _experiment(form: Form, parts: Draft, folder: Path) -> Experiment:
    a, b = parts["reference_prior"]
    truth = parts["truth"]
    return Experiment(
        name=parts["name"],
        title=parts["title"] or parts["name"],
        family=parts["family"],
        sizes=sizes_of(form, parts),
        alphas=alphas_of(parts["alpha"]),
        methods=tuple(_method(entry, parts["family"], folder) for entry in parts["methods"]),
        truth=truth_of(truth) if form.family.samples == 1 else pair_of(truth),
        trials=_trials(parts["trials"]),
        outcomes=outcomes_of(parts["outcomes"]),
        reference=parts["reference"],
        group=_group(parts.get("group")),
        engines=engines_of(parts["engines"], parts["trials"]),
        reference_prior=(float(a), float(b)),
        # Without Monte Carlo nothing is drawn and any seed does.
        seed=parts["seed"] or 0,
        execution=_execution(parts),
        figures=_figures(parts),
        document={},
    )


def _calibration(form: Form, parts: Draft) -> Calibration:
    a, b = parts["prior"]
    first, second = (SizeRange(*_range(parts[size])) for size in form.family.sizes)
    low, high = _range(parts["delta"])
    return Calibration(
        name=parts["name"],
        title=parts["title"] or parts["name"],
        family=parts["family"],
        sizes=(first, second),
        truth=pair_of(parts["truth"]),
        delta=(low + 0.0, high + 0.0),
        trials=parts["trials"],
        bins=parts["bins"],
        prior=(float(a), float(b)),
        seed=parts["seed"],
        execution=_execution(parts),
        figures=_figures(parts),
        document={},
    )


def _execution(parts: Draft) -> Execution:
    given = parts["execution"]
    return Execution(given.jobs, given.backend, float(given.timeout))


def _figures(parts: Draft) -> tuple[FigureSpec, ...]:
    return tuple(FigureSpec(kind_of(each), options_of(each)) for each in parts["figures"])


def _range(entry: float | Range) -> tuple[float, float]:
    if isinstance(entry, Range):
        low, high = entry.uniform
        return low, high
    return entry, entry


def _group(entry: GroupEntry | None) -> Group | None:
    return None if entry is None else Group(entry.width, entry.last)


def _method(entry: Method, family: str, folder: Path) -> MethodSpec:
    label = label_of(entry)
    if isinstance(entry, FileMethod):
        path = str((folder / entry.path).resolve())
        return MethodSpec(label, None, path, None, entry.function, entry.side, None)
    if isinstance(entry, ModuleMethod):
        return MethodSpec(label, None, None, entry.module, entry.function, entry.side, None)
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
