"""``coverage`` and ``size``: coverage at true values, and how many cases suffice."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer

from harness.base.text import enumerated
from harness.commands.options import (
    BETA,
    LABELS,
    SIZES,
    TRUTHS,
    Confidence,
    Form,
    GivenAlpha,
    Prior,
    Side,
    Stopping,
    alpha_of,
    given_lists,
    read_value,
    share,
    share_option,
    with_data,
)
from harness.names import FamilyName, PlannedFamily, SimulatedFamily

_SIMULATED = get_args(SimulatedFamily)
_EXACT = [name for name in get_args(FamilyName) if name not in _SIMULATED]
_OF_LISTS = {
    "k": "Number of runs; of pass_at and pass_hat the samples of which one is right, or all.",
    "mean": "True mean of normal runs, or of normal scores; of tasks that of their probabilities.",
    "sd": "Standard deviation of the value of a run, of a score, or of the probability of a task.",
    "tasks": "Number of tasks.",
    "samples": "Samples of each task.",
    "clusters": "Number of clusters.",
    "size": "Cases of each cluster.",
    "rho": "Correlation of two cases of a cluster.",
    "auc": "True area under the ROC curve.",
    "sd_ratio": "Standard deviation of the scores of positives over that of negatives; default 1.",
    "auc1": "True area of the first score.",
    "auc2": "True area of the second score.",
    "correlation": "Correlation of both scores of a case.",
    "labelled": "Number of labelled cases.",
    "unlabelled": "Number of cases with a judge's verdict alone.",
    "share": "True share of cases that are right.",
}
"""Sizes and true values of families whose data are lists."""


@with_data(SIZES | LABELS | TRUTHS | _OF_LISTS | BETA, list[str] | None, "NUMBER")
def coverage(
    family: Annotated[
        str,
        typer.Argument(
            help=f"{enumerated(_EXACT, 'or')}; {enumerated(_SIMULATED, 'or')}, by Monte Carlo",
            metavar="FAMILY",
        ),
    ],
    method: Annotated[str, typer.Argument(help="A method of the catalogue.", metavar="METHOD")],
    *,
    alpha: GivenAlpha = None,
    confidence: Confidence = None,
    side: Side = "two-sided",
    prior: Prior = None,
    sampling: Annotated[
        str | None,
        typer.Option(
            help="How the outcomes of one proportion or rate arise, as in a config: "
            "'{clusters: {size: 10, rho: 0.1}}'.",
            metavar="LAW",
        ),
    ] = None,
    stopping: Stopping = None,
    trials: Annotated[
        int | None,
        typer.Option(help="Of lists: data sets drawn at each true value.", show_default="20000"),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Of lists: seed of the random numbers.", show_default="2003"),
    ] = None,
    output: Form = "table",
    **data: list[str] | None,
) -> int:
    """Compute coverage and length, as in: coverage proportion wilson --n 50 --p 0.1.

    Sizes and true values may be repeated; there is a row for each, with those that are repeated.
    Of strata each is a list, as in --n1 50,30.
    """
    import numpy as np

    from harness.catalogue import design_for
    from harness.commands.output import say, show
    from harness.families.catalogue import FAMILIES
    from harness.planning.coverage import coverage as compute

    level = alpha_of(alpha, confidence)
    given, law = given_lists(data), None if sampling is None else read_value("sampling", sampling)
    given |= {} if stopping is None else {"stopping": read_value("stopping", stopping)}
    answer = compute(
        cast(Any, family),
        cast(Any, method),
        alpha=level,
        side=cast(Any, side),
        prior=prior,
        sampling=law,
        trials=trials,
        seed=seed,
        **given,
    )
    # A list over strata has one answer.
    rows = np.size(answer.coverage)
    columns = {
        name: values for name, values in given.items() if rows > 1 and isinstance(values, list)
    }
    columns |= {name: np.ravel(values).tolist() for name, values in answer.numbers().items()}
    records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    show(records, output)
    if answer.std_error is not None and np.isnan(answer.std_error).any():
        say("remark: std_error is nan where no drawn data set missed, or every one did", err=True)
    lists = design_for(FAMILIES[family]).lists
    if lists is not None and lists.assumes is not None:
        say(f"remark: the coverage is of {lists.assumes}; a config has other laws", err=True)
    return 0


_RANGES = {name: f"{text} FROM:TO is a range." for name, text in TRUTHS.items()}
_LISTS = {
    "p1": f"{_RANGES['p1']} Of strata a list: 0.9,0.8.",
    "p2": f"{_RANGES['p2']} Of strata a list.",
    "mean": "True mean of normal scores in clusters, of clustered_difference the difference.",
    "sd": "Standard deviation of the value of a run, or of a score (of 0 and 1 the root of "
    "p (1 - p)); of clustered_difference of the difference of two scores.",
    "rho": "Correlation of two cases of a cluster.",
    "design_effect": "Of scores in clusters, in place of rho: 1 + (size - 1) rho.",
    "sd_between": "Of scores in clusters, with sd_within in place of sd and rho: standard "
    "deviation of the true means of clusters.",
    "sd_within": "Standard deviation of the scores of one cluster.",
    "size": "Cases of each cluster, or of clusters in turn: 3,5,20.",
    "label_cost": "Cost of a label over that of a case, of judged_share and, without "
    "--unlabelled, of labelled_share; default 1. With 0 the error rates of judged_share are known.",
    "shares": "Share of each stratum among the cases, of any sum: 0.5,0.3,0.2 or 3,1.",
    "share": _OF_LISTS["share"],
    "unlabelled": _OF_LISTS["unlabelled"],
    "auc": _OF_LISTS["auc"],
    "sd_ratio": _OF_LISTS["sd_ratio"],
}
_GIVEN_SIZES = {
    name: f"{text} With --above or --below: the power of this size is found, and with "
    "--probability the smallest difference that it detects."
    for name, text in SIZES.items()
}


@with_data(_RANGES | _LISTS | BETA | _GIVEN_SIZES, str | None)
def size(
    family: Annotated[
        str,
        typer.Argument(
            help=enumerated(get_args(PlannedFamily), "or"),
            metavar="FAMILY",
        ),
    ],
    *,
    method: Annotated[
        str | None,
        typer.Option(help="A method of the catalogue; default the one to use for the family."),
    ] = None,
    half_width: Annotated[
        float | None, share_option("Largest half-width of the interval: 0.02 or 2%.")
    ] = None,
    length: Annotated[float | None, share_option("Largest length of the interval.")] = None,
    assurance: Annotated[
        float | None,
        share_option("Probability of such a width; without it the expected width counts."),
    ] = None,
    above: Annotated[
        float | None,
        share_option(
            "Value that the lower limit, one-sided at alpha, is to exceed: of a difference 0 for "
            "superiority, minus the margin for non-inferiority."
        ),
    ] = None,
    below: Annotated[
        float | None,
        share_option("Value that the upper limit, one-sided at alpha, is to be below."),
    ] = None,
    probability: Annotated[
        float | None,
        share_option("Power: the probability that the limit is above or below the value."),
    ] = None,
    ratio: Annotated[
        float, typer.Option(help="Size of the second sample over that of the first.")
    ] = 1.0,
    alpha: GivenAlpha = None,
    confidence: Confidence = None,
    prior: Prior = None,
    stopping: Stopping = None,
    thorough: Annotated[
        bool,
        typer.Option("--thorough", help="Compute every size up to 4 times the answer."),
    ] = False,
    figure: Annotated[
        Path | None,
        typer.Option(help="Draw what each size reaches into this file: a curve of the power."),
    ] = None,
    output: Form = "table",
    **data: str | None,
) -> int:
    """Find how many suffice, as in: size proportion --method wilson --p 0.9 --half-width 0.02.

    Without --method it is for the recommended one, and without --p for a proportion of 0.5, where
    intervals are about the longest: size proportion --half-width 2%. For a power: size
    proportion_difference --p1 0.9 --p2 0.85 --above 0 --probability 0.8 --alpha 0.025, where alpha
    is one-sided; a negative --above is a margin of non-inferiority, and equivalence takes the
    larger size of two such questions, --above and --below. With --n 200, or --n1 and --n2, the
    power of these sizes, or the difference that they detect. Ctrl-C says what was found so far.
    """
    from harness.base.errors import InputError
    from harness.commands.output import say, show
    from harness.planning.size import size as compute

    level = alpha_of(alpha, confidence)
    sizes = {name: text for name in SIZES if (text := data.pop(name, None)) is not None}
    for name, value in {"half_width": half_width, "length": length, "figure": figure}.items():
        if sizes and value is not None:
            option = name.replace("_", "-")
            raise InputError(f"--{option} asks for a size, found {' and '.join(sizes)} given")
    truths = {name: text for name, text in data.items() if text is not None}
    asked: dict[str, Any] = {"above": above, "below": below, "alpha": level, "prior": prior}
    asked |= {name: _span(name, text) for name, text in (truths | sizes).items()}
    if stopping is not None:
        asked["stopping"] = read_value("stopping", stopping)
    if sizes:
        return _power(family, method, probability, asked, output)
    least_size = compute(
        cast(Any, family),
        cast(Any, method),
        half_width=half_width,
        length=length,
        assurance=assurance,
        probability=probability,
        ratio=ratio,
        thorough=thorough,
        **asked,
    )
    if figure is not None:
        from harness.figures.draw import write_size_curve

        chosen = method or least_size.assumed["method"]
        is_power = least_size.one_sided_alpha is not None
        limit = f"lower limit above {above}" if below is None else f"upper limit below {below}"
        asked_for = [limit, f"one-sided alpha = {level:g}"] if is_power else [f"alpha = {level:g}"]
        named = [f"{name} = {text}" for name, text in truths.items()]
        setting = ", ".join([chosen, *asked_for, *named])
        goal = "power" if is_power else least_size.goal, least_size.target
        answer = next(iter(least_size.sizes.values()))
        write_size_curve(figure, family, setting, goal, answer, least_size.curve())
    lists: dict[str, Any] = {"smaller": list(least_size.smaller)}
    lists |= {f"{name}_of_strata": list(cases) for name, cases in least_size.strata.items()}
    if output != "json":
        for name, numbers in lists.items():
            lists[name] = ", ".join(f"{number:.15g}" for number in numbers) or "none"
    checked: dict[str, Any] = {"checked_to": least_size.checked_to}
    if output == "table":
        # They are said in a sentence.
        checked = {}
        del lists["smaller"]
    record = {
        **least_size.sizes,
        least_size.goal: least_size.reached,
        **({} if least_size.std_error is None else {"std_error": least_size.std_error}),
        **checked,
        **lists,
        **least_size.assumed,
        **({} if least_size.assumes is None else {"assumes": least_size.assumes}),
    }
    if least_size.one_sided_alpha is not None:
        record["one_sided_alpha"] = least_size.one_sided_alpha
    if least_size.checked is not None and output == "json":
        record["checked"] = least_size.checked
    show([record], output)
    if output == "table" and (enough := least_size.enough()):
        say(f"remark: {enough}", err=True)
    if least_size.checked is not None and output != "json":
        say(f"remark: {least_size.checked}", err=True)
    if least_size.assumed:
        taken = ", ".join(f"{name} = {value}" for name, value in least_size.assumed.items())
        say(f"remark: not given, and taken here: {taken}", err=True)
    return 0


def _power(
    family: str, method: str | None, probability: float | None, asked: dict[str, Any], output: Any
) -> int:
    """Show the power of sizes, or with a probability the difference that they detect."""
    import numpy as np

    from harness.commands.output import say, show
    from harness.planning.detect import detectable, power

    name, chosen = cast(Any, family), cast(Any, method)
    if probability is None:
        powers = power(name, chosen, **asked)
        columns = {**powers.sizes, "power": powers.probability}
        values = (column.ravel().tolist() for column in np.broadcast_arrays(*columns.values()))
        records = [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]
        assumed = powers.assumed
    else:
        seen = detectable(name, chosen, probability=probability, **asked)
        answer = {**seen.sizes, "detectable": seen.parameter, "power": seen.probability}
        records, assumed = [{**answer, **seen.truths}], seen.assumed
    show([{**row, **assumed, "one_sided_alpha": asked["alpha"]} for row in records], output)
    if probability is not None:
        say(f"remark: {seen.moved}", err=True)
    return 0


def _span(name: str, text: str) -> Any:
    """Return a number, two where a range is written ``0.8:0.9``, or a list ``0.5,0.3,0.2``."""
    from harness.base.errors import InputError

    try:
        numbers = tuple(share(part) for part in text.split("," if "," in text else ":"))
    except InputError:
        numbers = ()
    if not numbers or (len(numbers) > 2 and "," not in text):
        raise InputError(f"{name} should be a number, or a range such as 0.8:0.9, found {text!r}")
    return numbers[0] if len(numbers) == 1 else numbers
