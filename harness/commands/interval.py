"""``interval``: the interval of a method for given data."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.commands.options import (
    FINITE_POPULATION,
    ONE_SAMPLE,
    OR_LISTS,
    PAIRS,
    RUNS,
    TWO_SAMPLES,
    Form,
    Prior,
    given_data,
    with_data,
)

if TYPE_CHECKING:
    from harness.families.family import Family

_DATA = ONE_SAMPLE | FINITE_POPULATION | TWO_SAMPLES | OR_LISTS | PAIRS | RUNS


@with_data(_DATA, Any, lists=("values", *OR_LISTS))
def interval(
    family: Annotated[
        str,
        typer.Argument(
            help="proportion, rate, proportion_difference, rate_difference, balanced_accuracy, "
            "risk_ratio, odds_ratio, rate_ratio, paired_difference, paired_ratio, mean, "
            "clustered_proportion or stratified_difference",
            metavar="FAMILY",
        ),
    ],
    *,
    method: Annotated[
        str | None,
        typer.Option(
            help="A method of the catalogue; default minimal_length, or one_sided for one side; "
            "where the family has no posterior student_t of a mean, saha_wilson of clusters, "
            "miettinen_nurminen of strata and scas of a ratio of pairs."
        ),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(help="CSV file with a row for each case, in place of x and n of clusters."),
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Column of the CSV file that names the cluster of a case.")
    ] = None,
    correct: Annotated[
        str | None,
        typer.Option(help="Column of the CSV file with 1 or true where a case is right, else 0."),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Probability outside the interval.")] = 0.05,
    side: Annotated[str, typer.Option(help="two-sided, lower or upper.")] = "two-sided",
    prior: Prior = None,
    seed: Annotated[int | None, typer.Option(help="Seed of a stochastic method.")] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Add length, tails, actual alpha and seconds.")
    ] = False,
    output: Form = "table",
    **data: float | list[float] | None,
) -> int:
    """Compute one interval, as in: interval proportion --x 90 --n 100.

    The cases of a proportion, of a difference, a ratio and a balanced accuracy count as independent
    of each other. Where several come from one document, subject or batch, the interval is too
    short: give the counts of each of these clusters to clustered_proportion, as in

        interval clustered_proportion --x 3,5,2,4 --n 10,10,10,10

        interval clustered_proportion --csv results.csv --cluster document --correct right

    A score of several runs goes to mean, as in: interval mean --values 75,72,78,73,77.
    """
    import numpy as np

    from harness.commands.output import show
    from harness.families.catalogue import family_of
    from harness.families.family import POSTERIOR
    from harness.intervals import default_method, method_of, tails
    from harness.intervals import interval as compute

    name = method or default_method(family, side)
    chosen, of_family = method_of(family, name), family_of(family)
    known = _known(of_family, given_data(data), csv, cluster, correct)
    start = time.perf_counter()
    found = compute(family, name, alpha=alpha, side=side, prior=prior, seed=seed, **known)
    seconds = time.perf_counter() - start
    record: dict[str, Any] = {
        "estimate": None if np.isnan(found.estimate) else found.estimate,
        "lower": found.lower,
        "upper": found.upper,
        "alpha": alpha,
        "method": chosen.name,
        "side": side,
    }
    if verbose:
        # The rest of the thirteen figures that Ross (2003), section 4, reports of an interval.
        record |= known
        length = of_family.length(np.array(found.lower), np.array(found.upper))
        record["length"] = float(length)
        if POSTERIOR in of_family.engines and not chosen.needs_population:
            outside = tails(family, name, found, prior=prior, **known)
            actual_alpha = outside.lower_tail + outside.upper_tail
            record |= {
                "lower_tail": outside.lower_tail,
                "upper_tail": outside.upper_tail,
                "actual_alpha": actual_alpha,
                "alpha_error": alpha - actual_alpha,
            }
        record["seconds"] = seconds
    show([record], output, in_full=verbose)
    return 0


def _known(
    family: Family,
    data: Mapping[str, Any],
    csv: Path | None,
    cluster: str | None,
    correct: str | None,
) -> Mapping[str, Any]:
    """The data of the options, or of the file.

    Raises:
        InputError: a list is given for a number, or options of the file do not fit together.
    """
    from harness.errors import InputError

    if csv is None:
        if cluster is not None or correct is not None:
            raise InputError("--cluster and --correct are columns of a file, which --csv names")
        return _without_lists_for_numbers(family, data)
    return _of_file(family, data, csv, cluster, correct)


def _without_lists_for_numbers(family: Family, data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The data, which are lists at most where the family takes lists."""
    from harness.errors import InputError

    lists = () if family.has_outcomes else family.data
    for name, value in data.items():
        if isinstance(value, list) and name not in lists:
            found = ",".join(f"{each:.15g}" for each in value)
            raise InputError(f"{name} of {family.name} should be one number, found {found}")
    return data


def _of_file(
    family: Family,
    data: Mapping[str, Any],
    csv: Path,
    cluster: str | None,
    correct: str | None,
) -> Mapping[str, Any]:
    """The counts of the clusters of a file."""
    from harness.errors import InputError
    from harness.families.cluster_file import read_clusters
    from harness.families.family import CLUSTERS

    if family.design != CLUSTERS:
        raise InputError(
            f"--csv gives counts of clusters, which {family.name} does not take "
            "(clustered_proportion does)"
        )
    if data:
        raise InputError(f"expected the data from --csv alone, found --{' and --'.join(data)} too")
    if cluster is None or correct is None:
        raise InputError(
            "--csv needs --cluster, the column that names the cluster of a case, and --correct, "
            "the column that says whether it is right"
        )
    return read_clusters(csv, cluster=cluster, correct=correct)
