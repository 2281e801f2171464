"""What a figure asks of the experiment it is drawn from."""

from __future__ import annotations

from collections.abc import Iterator

from harness.config.draft import Draft
from harness.config.faults import Complaint, describe
from harness.config.figure_entry import kind_of
from harness.config.figure_levels import level_relations
from harness.config.form import Form
from harness.config.levels import each_size, engines_of
from harness.config.shared_keys import CALIBRATION
from harness.config.surface_rules import (
    LARGEST_BESIDE_TRUTHS,
    has_true_values,
    surface_relations,
)
from harness.config.trial_entry import PerTruth
from harness.config.truth_entry import kind_of_truth
from harness.config.truth_levels import entries_of, is_discrete
from harness.figures.alpha_by_outcome import AlphaByOutcome
from harness.figures.bounds import Bounds
from harness.figures.catalogue import FIGURES
from harness.figures.options import FigureOptions


def figure_relations(form: Form, parts: Draft) -> Iterator[Complaint]:
    """Figures that name what is not there, or need what does not run."""
    for i, entry in enumerate(parts.get("figures", [])):
        if entry is not None:
            for key, message in _relations(form, entry, parts):
                yield Complaint(("figures", i, key), message)


def _relations(form: Form, entry: FigureOptions, parts: Draft) -> Iterator[tuple[str, str]]:
    misfit = _misfit(form, entry, parts)
    if misfit:
        yield "kind", misfit
        return
    yield from _sources(entry, parts)
    if FIGURES[kind_of(entry)].over != "nothing":
        yield from level_relations(form, entry, parts)
    yield from _outcomes(form, entry)
    yield from _counted(entry, parts)
    yield from surface_relations(entry, parts)


def _outcomes(form: Form, entry: FigureOptions) -> Iterator[tuple[str, str]]:
    """Outcomes of as many counts as the family has samples."""
    two = form.family.samples == 2
    for outcome in (isinstance(entry, Bounds) and entry.x) or ():
        if isinstance(outcome, int) == two:
            what = "pairs of counts [x1, x2]" if two else "single counts"
            yield "x", f"expected {what}, found {describe(outcome)}"
            return


def _misfit(form: Form, entry: FigureOptions, parts: Draft) -> str:
    """Why a figure is none of this kind of experiment, or of this family."""
    kind = FIGURES[kind_of(entry)]
    if kind.experiment != form.kind:
        what = "calibration" if form.kind == CALIBRATION else "coverage"
        return f"expected a figure of {what} ({_fitting(form)}), found {kind.name}"
    if "family" in parts and not kind.fits(form.family):
        what = f"the family {form.family.name}"
        return f"expected a figure for {what} ({_fitting(form)}), found {kind.name}"
    return ""


def _fitting(form: Form) -> str:
    names = [
        kind.name
        for kind in FIGURES.values()
        if kind.experiment == form.kind and kind.fits(form.family)
    ]
    return ", ".join(names)


def _sources(entry: FigureOptions, parts: Draft) -> Iterator[tuple[str, str]]:
    kind = FIGURES[kind_of(entry)]
    needed = kind.engines(entry)
    if needed and "engines" in parts and "trials" in parts:
        engines = engines_of(parts["engines"], parts["trials"])
        if not set(needed) & set(engines):
            key = "engine" if hasattr(entry, "engine") else "kind"
            one = " or ".join(needed)
            yield key, f"expected {one} among the engines, found {', '.join(engines)}"
    if kind.over == "truth" and "truth" in parts and not is_discrete(parts["truth"]):
        found = " and ".join(kind_of_truth(each) for each in entries_of(parts["truth"]))
        what = f"a truth that is a grid or a list of values for {kind.name}"
        yield "kind", f"expected {what}, found {found}"


def _counted(entry: FigureOptions, parts: Draft) -> Iterator[tuple[str, str]]:
    """Counts of an outcome are binomial where the truth is drawn, and kept unless n is large."""
    if not isinstance(entry, AlphaByOutcome):
        return
    if isinstance(parts.get("trials"), PerTruth) and has_true_values(parts):
        yield (
            "kind",
            "expected trials per_outcome or per_size for alpha_by_outcome, found per_truth",
        )
    if "n" in parts and has_true_values(parts):
        sizes = each_size(parts["n"])
        n = sizes[0] if entry.n is None and len(sizes) == 1 else entry.n
        if isinstance(n, int) and n in sizes and n >= LARGEST_BESIDE_TRUTHS:
            most = f"an n below {LARGEST_BESIDE_TRUTHS}"
            yield "n", f"expected {most} with a grid or a list of true values, found {n}"
