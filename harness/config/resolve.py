"""The experiment of a config, with every default filled in, and the config of an experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from harness.config.experiment import CALIBRATION, CROSS, AnyExperiment
from harness.config.forms import RECORDS, Form, form_for
from harness.config.models.figures import figure_spec
from harness.config.models.truths import written_truth
from harness.config.simulation import Simulation
from harness.config.values import Size, SizeRange, Trials
from harness.designs.design import AnyTruth
from harness.distributions.sampling.law import Law, on_lattice
from harness.distributions.truths import DiscreteTruth
from harness.families.catalogue import with_settings
from harness.families.family import CLOSED_FORM, ENUMERATION, MONTE_CARLO, POSTERIOR, Family
from harness.families.stopped import STOPPING


def resolve(form: Form, raw: Mapping[str, Any], values: Mapping[str, Any]) -> AnyExperiment:
    """Return the experiment of a config that has no issues.

    Args:
        form: the form of the config.
        raw: the data of the config, as written.
        values: the valid value of every key of the form.
    """
    resolve_kind = _of_calibration if form.kind == CALIBRATION else _of_coverage
    resolved = {
        **values,
        "title": values["title"] or values["name"],
        "family": form.family,
        # Where nothing is drawn, the seed does not matter.
        "seed": values["seed"] or 0,
        "figures": tuple(map(figure_spec, values["figures"])),
        **resolve_kind(form, raw, values),
    }
    record = RECORDS[form.kind]
    known = [field.name for field in fields(record) if field.name in resolved]
    return record(**{name: resolved[name] for name in known})


def _of_coverage(form: Form, raw: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes that are not the values of keys of their names."""
    outcomes = values.get("outcomes")
    return {
        "family": form.family
        if values.get(STOPPING) is None
        else with_settings(form.family.public_name, {STOPPING: values[STOPPING]}),
        "sizes": sizes_of(form, values["sizes"], values.get(CROSS, False)),
        "alphas": values["alpha"],
        "methods": tuple(values["methods"]),
        "truth": _on_lattice(values["truth"], values.get("sampling")),
        "written_truth": written_truth(values["truth"].content(), raw.get("truth")),
        "outcomes": tuple(sorted(outcomes)) if isinstance(outcomes, tuple) else outcomes,
        "reference_prior": values.get("reference_prior", form.family.model.FLAT_PRIOR),
    }


def _of_calibration(
    form: Form, raw: Mapping[str, Any], values: Mapping[str, Any]
) -> dict[str, Any]:
    """The attributes that are not the values of keys of their names."""
    lower, upper = values["delta"]
    return {
        "sizes": tuple(SizeRange(*values[name]) for name in form.family.sizes),
        "delta": (lower + 0.0, upper + 0.0),
    }


def _on_lattice(truth: AnyTruth, law: Law | None) -> AnyTruth:
    """The truth with the double of each M/N, where the law has only those.

    Two values that differ in their rounding are one.
    """
    if law is None or not isinstance(truth, DiscreteTruth):
        return truth
    return DiscreteTruth(tuple(dict.fromkeys(on_lattice(np.array(truth.values), law).tolist())))


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
        left_out |= {POSTERIOR} if is_listed else {POSTERIOR, ENUMERATION}
    if truth is not None and not family.has_closed_form(truth):
        left_out |= {CLOSED_FORM}
    return tuple(engine for engine in family.engines if engine not in left_out)


def serialize(experiment: AnyExperiment) -> dict[str, Any]:
    """Return the document that ``config.yaml`` holds, with every default filled in.

    Loading it from the folder of the experiment's own config gives an equal experiment. The keys
    are in the order of the form; a key that is None, or the default that is left out, is not
    written.
    """
    if isinstance(experiment, Simulation):
        return experiment.document()
    document: dict[str, Any] = {}
    for name, key in form_for(experiment.kind, experiment.family).keys.items():
        value = key.write(getattr(experiment, key.attribute))
        if value is not None:
            document[name] = value
    return document
