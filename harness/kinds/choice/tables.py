"""The tables of a choice: the numbers under each truth, the methods, and what the rule takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, ClassVar

import polars as pl

from harness.catalogue import with_settings
from harness.findings.allowance import Allowance
from harness.findings.choice import Candidate, Choice, choice
from harness.findings.judgements import AtAlpha, MethodJudgement, size_of
from harness.kinds.choice.experiment import CHOICE, TRUTHS, ChoiceExperiment
from harness.tables.columns import SUMMARY, columns_of, table_kind, tables_of
from harness.tables.results import Results

ANSWERS = "answers"
TABLES = tables_of(CHOICE)
OTHER_MEANS, OTHER_WORSTS = (1.05, 1.1, 1.2), (2.0, 2.5, 3.0)
"""How many times alpha methods may miss in the table of other answers."""
EXACT, FOUND, ESTIMATED = "exact", "search", "trials"
"""How a worst alpha is known."""
USE, LEAST_BAD, NEVER = "use", "least bad", "never above alpha"
"""What a method is recommended for."""

Losses = Mapping[tuple[str, float, tuple[float, ...]], float]
"""The loss of each method, alpha and size under one truth."""


@dataclass(frozen=True)
class ChoiceResults(Results):
    """The tables and the manifest of a choice.

    ``cells`` has a row per truth × method × alpha × size, ``summary`` one per method × alpha.
    """

    answers: pl.DataFrame = field(default_factory=pl.DataFrame)
    """A row per side × alpha × allowance: the method that the rule takes."""
    compares: ClassVar[bool] = False

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables of the choice, by the names of their files without the ending."""
        return {SUMMARY: self.summary, TRUTHS: self.cells, ANSWERS: self.answers}


@dataclass(frozen=True)
class UnderTruth:
    """What is known under one truth."""

    name: str
    decides: bool
    """Whether the rule counts it."""
    is_outer: bool
    """Whether its worst cases are known: its truths are within those of no other one."""
    judged: Sequence[AtAlpha]
    losses: Losses

    def rows(self, experiment: ChoiceExperiment) -> Iterator[dict[str, Any]]:
        """A row of the table of truths for each method, alpha and size."""
        kept = columns_of(TABLES[TRUTHS], table_kind(experiment.document))
        for at_alpha in self.judged:
            for method in at_alpha.methods:
                for row in method.rows:
                    loss = self.losses.get((method.method, at_alpha.alpha, _sizes(row)))
                    yield {
                        **{name: row[name] for name in kept if name in row},
                        "truth": self.name,
                        "decides": self.decides,
                        "loss": loss,
                    }


def choice_tables(
    experiment: ChoiceExperiment,
    truths: Sequence[UnderTruth],
    worst: Mapping[tuple[str, float], MethodJudgement],
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The tables of the truths, of the methods and of the answers.

    Args:
        experiment: what was computed.
        truths: the numbers under each of them.
        worst: the judgement with the worst alpha that a search found, of each method and alpha.
    """
    kind = table_kind(experiment.document)
    rows = (truth.rows(experiment) for truth in truths)
    of_truths = [row for of_truth in rows for row in of_truth]
    summary, answers = [], []
    for side in experiment.sides:
        labels = [spec.label for spec in experiment.methods if spec.side == side]
        for alpha in experiment.alphas:
            candidates = _candidates(labels, alpha, truths, worst)
            chosen = choice(candidates, experiment.allow)
            key = {"family": experiment.family.public_name, **experiment.family.settings}
            key |= {"side": side, "alpha": alpha}
            unit = {candidate.method: candidate for candidate in candidates}.get(
                experiment.reference or ""
            )
            summary += [{**key, **row} for row in _method_rows(chosen, truths, unit)]
            # The method that the rule takes with each allowance of a grid.
            for mean, most in product(OTHER_MEANS, OTHER_WORSTS):
                use = choice(candidates, Allowance(mean, most)).use if candidates else None
                row: dict[str, Any] = {"allowed_mean": mean, "allowed_worst": most}
                if use is not None:
                    row |= {"method": use.method, "mean_alpha": use.mean, "worst_alpha": use.worst}
                if use is not None and unit is not None:
                    row["relative_length"] = use.length / unit.length
                answers.append({**key, **row})
    tables = {TRUTHS: of_truths, SUMMARY: summary, ANSWERS: answers}
    truths_table, summary_table, answers_table = (
        pl.DataFrame(table, schema=columns_of(TABLES[name], kind)) for name, table in tables.items()
    )
    return truths_table, summary_table, answers_table


def _candidates(
    labels: Sequence[str],
    alpha: float,
    truths: Sequence[UnderTruth],
    worst: Mapping[tuple[str, float], MethodJudgement],
) -> list[Candidate]:
    """The methods of one side at one alpha, without those that have no interval somewhere."""
    deciding = [truth for truth in truths if truth.decides]
    candidates = []
    for label in labels:
        judged = {
            truth.name: method
            for truth in deciding
            for at_alpha in truth.judged
            if at_alpha.alpha == alpha
            for method in at_alpha.methods
            if method.method == label
        }
        losses = [
            truth.losses.get((label, alpha, _sizes(row)))
            for truth in deciding
            if truth.name in judged
            for row in judged[truth.name].rows
        ]
        if len(judged) < len(deciding) or None in losses:
            continue
        outer = tuple(judged[truth.name] for truth in deciding if truth.is_outer)
        searched = worst.get((label, alpha))
        candidates.append(
            Candidate(
                label,
                alpha,
                tuple(mean for method in judged.values() for mean in method.means),
                tuple(loss for loss in losses if loss is not None),
                outer if searched is None else (searched,),
            )
        )
    return candidates


def _sizes(row: Mapping[str, Any]) -> tuple[float, ...]:
    """The sizes of a row of a summary of coverage."""
    family = with_settings(row["family"], dict(row))
    return tuple(float(row[name]) for name in family.sizes)


def _method_rows(
    chosen: Choice, truths: Sequence[UnderTruth], unit: Candidate | None
) -> Iterator[dict[str, Any]]:
    """A row of the summary for each method: what is recommended first, then by length."""
    if not chosen.candidates:
        return
    unit = unit or chosen.default

    def recommended(each: Candidate) -> str:
        if each is chosen.default:
            return USE if chosen.use is not None else LEAST_BAD
        return NEVER if each is chosen.never_above else ""

    order = {USE: 0, LEAST_BAD: 0, NEVER: 1, "": 2}
    ranked = sorted(
        chosen.candidates,
        key=lambda candidate: (
            order[recommended(candidate)],
            not candidate.qualifies(chosen.allowed),
            candidate.length,
        ),
    )
    for candidate in ranked:
        at_worst = candidate.worst_judgement
        mean_truth, mean_size = _largest_mean(candidate, truths)
        largest = max(at_worst.rows, key=lambda row: row.get("worst_alpha") or row["actual_alpha"])
        known_by = EXACT if at_worst.is_exact else FOUND if at_worst.worst_case else ESTIMATED
        yield {
            "method": candidate.method,
            "recommended": recommended(candidate),
            "qualifies": candidate.qualifies(chosen.allowed),
            "mean_alpha": candidate.mean,
            "mean_alpha_truth": mean_truth,
            "mean_alpha_size": mean_size,
            "least_mean_alpha": min(candidate.means),
            "worst_alpha": candidate.worst,
            "worst_std_error": at_worst.std_error or None,
            "worst_size": size_of(largest),
            "worst_over": at_worst.scope.removeprefix("for ")
            or ("all" if at_worst.worst_case is not None or at_worst.is_exact else "listed"),
            "worst_known_by": known_by,
            "is_proven": candidate.keeps and candidate.is_proven,
            "relative_length": candidate.length / unit.length,
        }


def _largest_mean(candidate: Candidate, truths: Sequence[UnderTruth]) -> tuple[str, str]:
    """The truth and the size with the largest mean alpha of a method."""
    means = []
    for truth in [truth for truth in truths if truth.decides]:
        for at_alpha in truth.judged:
            for judged in at_alpha.methods:
                if at_alpha.alpha == candidate.alpha and judged.method == candidate.method:
                    means += [
                        (row["actual_alpha"], truth.name, size_of(row)) for row in judged.rows
                    ]
    _, name, size = max(means, key=lambda mean: float(mean[0]))
    return name, size
