"""Requirements of each kind of figure on the experiment, and the figures that suit it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import Any, NamedTuple

from harness.base.errors import did_you_mean
from harness.base.plain_data import expected_found, flow
from harness.base.text import plain_number
from harness.designs.design import AnyTruth
from harness.distributions.paired_truths import TableTruth
from harness.distributions.truths import DiscreteTruth, PairTruth
from harness.families.family import ENUMERATION, EXACT_ENGINES, POSTERIOR, Family
from harness.figures.catalogue import FIGURES
from harness.figures.kind import FigureKind
from harness.figures.options import FigureOptions, listed_sizes
from harness.figures.size_panels import Level, level_of, truth_symbols
from harness.figures.size_panels import unmet as unmet_panels

MOST_TRUTHS = 1 << 16
"""The most true values that are looked through for those of an option."""

LARGEST_BESIDE_TRUTHS = 1 << 17
"""The most outcomes that the tables hold beside a discrete truth, which has cells enough given the
truth; this keeps memory flat for large n."""


@dataclass(frozen=True)
class ExperimentFacts:
    """The facts of an experiment by which its figures are validated.

    None, or no sizes, stands for what is not known; requirements on it are not checked.
    """

    kind: str
    """``coverage`` or ``calibration``."""
    family: Family
    family_is_valid: bool
    """Otherwise the family is a guess, and any kind of figure may fit the one that is meant."""
    sizes: Sequence[Any]
    alphas: Sequence[float] | None
    sides: Mapping[str, str] | None
    """The side of each method by its label."""
    truth: AnyTruth | None
    engines: Sequence[str] | None
    trials: str | None
    """``per_outcome``, ``per_size``, ``per_truth`` or ``half_width``."""
    outcomes: int | Sequence[int] | None
    """The number of fractions of n, or the listed outcomes; None also for all outcomes."""

    @property
    def has_true_values(self) -> bool:
        """Whether the truth is known to be a grid or a list."""
        return self.truth is not None and self.truth.is_discrete


class Unmet(NamedTuple):
    """A requirement that the experiment does not meet."""

    option: str
    """The option of the figure that asks for it."""
    message: str


def unmet_requirements(
    kind: FigureKind, options: FigureOptions, facts: ExperimentFacts
) -> Iterator[Unmet]:
    """Yield what the experiment lacks for the figure to be drawn."""
    mismatch = _mismatch(kind, facts)
    if mismatch:
        yield Unmet("kind", mismatch)
        return
    yield from _sources(kind, options, facts)
    if kind.over != "nothing":
        yield from _levels(options, facts)
    if "counts_of_samples" in kind.requires:
        yield from _counts(options, facts)
    if "trials_by_outcome" in kind.requires:
        yield from _trials_by_outcome(kind, options, facts)
    if "grid_of_fractions" in kind.requires:
        yield from _surface(kind, options, facts)
    if "panels_over_size" in kind.requires:
        yield from _panels_over_size(options, facts)


def undrawable_lengths(
    figures: Iterable[tuple[str, Mapping[str, Any]]],
    labels: set[str],
    drawn: set[str],
    has_means: bool,
) -> str:
    """Why a figure cannot draw lengths, or nothing if all of them can.

    Args:
        figures: kind and options of each figure.
        labels: all methods of the experiment.
        drawn: the methods that draw their limits, which have no length at an outcome.
        has_means: whether the tables have the mean lengths of other methods at a true value.
    """
    for kind, options in figures:
        compares = "lengths" in FIGURES[kind].requires
        if drawn and compares and not _compares_only(options, labels - drawn):
            return (
                f"{kind} compares lengths at each outcome, which limits that are drawn do "
                f"not have, found {', '.join(sorted(drawn))}"
            )
        named = labels & set(options.get("methods") or labels)
        if "mean_lengths" in FIGURES[kind].requires and not has_means and not named & drawn:
            return (
                f"{kind} draws mean lengths, which enumeration computes and Monte Carlo only of "
                f"limits that are drawn, found {', '.join(sorted(named))} without enumeration"
            )
    return ""


def _compares_only(options: Mapping[str, Any], labels: set[str]) -> bool:
    """Whether all methods that a figure of lengths compares are among the labels."""
    reference = options.get("reference")
    named = options.get("method", options.get("methods"))
    if named is None:
        return reference in labels and len(labels) > 1
    return {reference, *([named] if isinstance(named, str) else named)} <= labels


def _mismatch(kind: FigureKind, facts: ExperimentFacts) -> str:
    """Why the kind is not drawn for this kind of experiment, or for this family."""
    if kind.experiment != facts.kind:
        wanted = f"of {facts.kind}"
    elif facts.family_is_valid and not kind.fits(facts.family):
        wanted = f"for the family {facts.family.name}"
    else:
        return ""
    of_kind = (each for each in FIGURES.values() if each.experiment == facts.kind)
    fitting = ", ".join(each.name for each in of_kind if each.fits(facts.family))
    return f"expected a figure {wanted} ({fitting}), found {kind.name}"


def _sources(kind: FigureKind, options: FigureOptions, facts: ExperimentFacts) -> Iterator[Unmet]:
    """An engine and a truth that give the cells the figure reads."""
    needed = kind.engines(options)
    if needed and facts.engines is not None and not set(needed) & set(facts.engines):
        option, engines = _engine_option(options), ", ".join(facts.engines)
        message = f"expected {' or '.join(needed)} among the engines, found {engines}"
        yield Unmet(option, message)
    if kind.over == "truth" and facts.truth is not None and not facts.truth.is_discrete:
        what = f"a truth that is a grid or a list of values for {kind.name}"
        yield Unmet("kind", f"expected {what}, found {_distributions(facts.truth)}")


def _engine_option(options: FigureOptions) -> str:
    return "engine" if hasattr(options, "engine") else "kind"


def _distributions(truth: AnyTruth) -> str:
    """The names of the distributions, as in ``uniform and beta``."""
    truths = (truth.first, truth.second) if isinstance(truth, PairTruth) else (truth,)
    return " and ".join(next(iter(each.content())) for each in truths)


def _levels(options: FigureOptions, facts: ExperimentFacts) -> Iterator[Unmet]:
    """The levels that the options name: sizes, true values, alphas and methods."""
    sizes = [_written(size) for size in facts.sizes]
    for size in (getattr(options, "sizes", None) or ()) if sizes else ():
        yield from _one_of("sizes", size, _size_in_words(facts.family), sizes)
    if hasattr(options, "n") and sizes:
        for size in listed_sizes(getattr(options, "n", None), len(facts.family.sizes)):
            yield from _one_of("n", size, _size_in_words(facts.family), sizes)
    if hasattr(options, "second") and facts.truth is not None:
        yield from _second(options, facts.truth)
    if facts.alphas is not None:
        yield from _among(options, ("alpha",), "an alpha", facts.alphas)
    if facts.sides is not None:
        keys = ("method", "methods", "reference", "colours")
        yield from _among(options, keys, "the label of a method", list(facts.sides))
        yield from _compared(options, facts.sides)


def _size_in_words(family: Family) -> str:
    """``an n``, ``an exposure``, or ``a pair [n1, n2]``."""
    if family.sizes[1:]:
        return f"a pair [{', '.join(family.sizes)}]"
    return f"an {family.sizes[0]}"


def _written(size: Any) -> Any:
    """The size as a config writes it."""
    if isinstance(size, tuple):
        return [_written(each) for each in size]
    return plain_number(size)


def _second(options: FigureOptions, truth: AnyTruth) -> Iterator[Unmet]:
    """The true value of the second sample that the figure fixes."""
    found = getattr(options, "second", None)
    if isinstance(truth, PairTruth | TableTruth):
        levels = second_truths(truth)
        what = "a probability of second_only" if isinstance(truth, TableTruth) else _SECOND
        if levels:
            yield from _one_of("second", found, what, levels)
    elif found is not None:
        message = f"expected two samples for a second true value, found {flow(found)}"
        yield Unmet("second", message)


_SECOND = "a second true value"


def second_truths(truth: AnyTruth | None) -> list[float]:
    """The true values that a curve over those of the first sample holds; none if not listed."""
    if isinstance(truth, TableTruth):
        return sorted({plain_number(table[2]) for table in truth.tables})
    if isinstance(truth, PairTruth) and isinstance(truth.second, DiscreteTruth):
        return [plain_number(value) for value in truth.second.values]
    return []


def _one_of(option: str, value: Any, what: str, levels: Sequence[Any]) -> Iterator[Unmet]:
    """One level, which may be left out where there is only one."""
    named = list(value) if isinstance(value, tuple) else value
    if named not in levels and not (named is None and len(levels) == 1):
        yield Unmet(option, expected_found(level_of(what, levels), named))


def _among(
    options: FigureOptions, names: Sequence[str], what: str, levels: Sequence[Any]
) -> Iterator[Unmet]:
    """Options that name one level or several."""
    for option in names:
        value = getattr(options, option, None)
        for named in value if isinstance(value, list | tuple | dict) else [value]:
            if named is not None and named not in levels:
                message = expected_found(level_of(what, levels), named)
                yield Unmet(option, message + did_you_mean(named, levels))


def _compared(options: FigureOptions, sides: Mapping[str, str]) -> Iterator[Unmet]:
    """Where no method is named, all methods of the reference's side are compared with it."""
    reference = getattr(options, "reference", None)
    named = getattr(options, "method", None) or getattr(options, "methods", None)
    if reference is None or reference not in sides or named is not None:
        return
    others = [side for label, side in sides.items() if label != reference]
    if sides[reference] not in others:
        other = f"another {sides[reference]} method"
        yield Unmet("reference", f"expected {other} to compare with {reference}, found none")


def _counts(options: Any, facts: ExperimentFacts) -> Iterator[Unmet]:
    """Outcomes of as many counts as the family has samples."""
    counts = facts.family.counts
    for outcome in options.x or ():
        if (1 if isinstance(outcome, int) else len(outcome)) != len(counts):
            pairs = f"pairs of counts [{', '.join(counts)}]"
            wanted = pairs if len(counts) > 1 else "single counts"
            found = outcome if isinstance(outcome, int) else list(outcome)
            yield Unmet("x", expected_found(wanted, found))
            return


def _trials_by_outcome(kind: FigureKind, options: Any, facts: ExperimentFacts) -> Iterator[Unmet]:
    """Trials per outcome are binomial where the truth is drawn, and in the tables for small n."""
    if not facts.has_true_values:
        return
    if facts.trials == "per_truth":
        message = f"expected trials per_outcome or per_size for {kind.name}, found per_truth"
        yield Unmet("kind", message)
    (size, *others) = facts.sizes or (None,)
    n = size if options.n is None and not others else options.n
    large = isinstance(n, int) and n >= LARGEST_BESIDE_TRUTHS
    if facts.family.is_bounded and n in facts.sizes and large:
        most = f"an n below {LARGEST_BESIDE_TRUTHS}"
        yield Unmet("n", f"expected {most} with a grid or a list of true values, found {n}")


def _panels_over_size(options: Any, facts: ExperimentFacts) -> Iterator[Unmet]:
    """Several sizes, and not too many true values."""
    sizes = [_totals(size) for size in facts.sizes]
    truths = _listed_truths(facts) if facts.has_true_values else 0
    yield from starmap(Unmet, unmet_panels(options, facts.family, sizes, truths))


def _totals(size: Any) -> Level:
    """The sizes as the tables have them, in which those of strata are summed."""
    return tuple(
        sum(each) if isinstance(each, tuple) else each
        for each in (size if isinstance(size, tuple) else (size,))
    )


def _listed_truths(facts: ExperimentFacts) -> list[Level] | int:
    """The true values in the order of titles, or their number where there are very many."""
    truth = facts.truth
    assert truth is not None
    assert truth.is_discrete
    if isinstance(truth, DiscreteTruth):
        return [(value,) for value in truth.values]
    if truth.count > MOST_TRUTHS:
        return truth.count
    by_column = dict(zip(facts.family.truths, truth.values, strict=True))
    columns = [by_column[name].tolist() for name in truth_symbols(facts.family)]
    return sorted(zip(*columns, strict=True))


def _surface(kind: FigureKind, options: Any, facts: ExperimentFacts) -> Iterator[Unmet]:
    """Sizes, outcomes and an engine from which a surface over n and x/n can be drawn."""
    engine = next((each for each in kind.engines(options) if each in (facts.engines or ())), None)
    beside_truths = engine not in (None, POSTERIOR) and facts.has_true_values
    if beside_truths and set(facts.engines or ()) == {ENUMERATION}:
        yield Unmet(
            _engine_option(options),
            "expected posterior or monte_carlo among the engines, found enumeration, which alone "
            "has no cells per outcome over a grid or a list of true values",
        )
    elif facts.sizes:
        yield from _surface_sizes(facts.sizes, beside_truths)
    # Monte Carlo covers the outcomes that come up, whichever are reported.
    if facts.sizes and engine in (POSTERIOR, ENUMERATION):
        yield from _surface_outcomes(options.fractions, facts)


def _surface_sizes(sizes: Sequence[Any], beside_truths: bool) -> Iterator[Unmet]:
    every = set(sizes)
    small = {n for n in every if n < LARGEST_BESIDE_TRUTHS}
    if len(every) < 2:
        yield Unmet("kind", f"expected two sizes or more for a surface, found {len(every)}")
    elif beside_truths and len(small) < 2:
        yield Unmet(
            "kind",
            f"expected two sizes or more below {LARGEST_BESIDE_TRUTHS} for a surface over a grid "
            f"or a list of true values, found {len(small)}",
        )


def _surface_outcomes(fractions: int, facts: ExperimentFacts) -> Iterator[Unmet]:
    reported = facts.outcomes
    if reported is None:
        return
    if not isinstance(reported, int):
        yield Unmet("kind", "expected outcomes: all or fractions for a surface, found values")
        return
    sizes = [int(n) for n in facts.sizes if not isinstance(n, tuple)]
    if all(has_fractions(n, reported - 1, fractions - 1) for n in sizes):
        return
    fitting = [str(f) for f in range(2, min(reported, 1001) + 1) if (reported - 1) % (f - 1) == 0]
    few = ", ".join(fitting[:12]) + (", ..." if len(fitting) > 12 else "")
    yield Unmet(
        "fractions",
        f"expected fractions that outcomes: {{fractions: {reported}}} hold ({few}), "
        f"found {fractions}",
    )


def has_fractions(n: int, steps: int, wanted: int) -> bool:
    """Whether each n·i/wanted is among the n·j/steps, all of them rounded half up."""
    if steps % wanted == 0 or n <= steps:
        return True
    rounded = ((2 * n * i + wanted) // (2 * wanted) for i in range(wanted + 1))
    return all(_is_rounded_fraction(n, steps, x) for x in rounded)


def _is_rounded_fraction(n: int, steps: int, x: int) -> bool:
    """Whether x - 1/2 <= n·j/steps < x + 1/2 for a j, the least that is large enough."""
    j = max(0, -(-steps * (2 * x - 1) // (2 * n)))
    return 2 * n * j < steps * (2 * x + 1)


MOST_FIGURES = 4
MOST_METHODS = 8
"""The most methods of one figure; of more, the first ones are drawn."""
LARGEST_SIZE = 2_000
"""The largest size whose outcomes are drawn one by one."""
MOST_LISTED = 12
"""The most true values that each have a panel; of more, a curve goes over them."""

Figure = dict[str, Any]
"""A figure as a config writes it."""


def suitable_figures(facts: ExperimentFacts, settled: Sequence[str]) -> list[Figure]:
    """Return the figures that suit an experiment, the most telling first, four at the most.

    Each is of one nominal alpha, and of at most eight methods. Curves are drawn where the truth is
    a grid or a list, at the smallest and the largest size, or over the sizes if the true values
    are few; where the truth is a distribution the ranking of the methods, and the alpha of each
    outcome if n is at most 2000.

    Args:
        facts: what is known of the experiment, which is valid.
        settled: labels of the methods whose limits are known to be functions of the outcome.
    """
    found = []
    for figure in _candidates(facts, settled):
        kind = FIGURES[figure["kind"]]
        options = {key: value for key, value in figure.items() if key != "kind"}
        if not any(unmet_requirements(kind, kind.options.model_validate(options), facts)):
            found.append(figure)
    return found[:MOST_FIGURES]


def _candidates(facts: ExperimentFacts, settled: Sequence[str]) -> Iterator[Figure]:
    """Figures in the order of preference; some may ask for what the experiment lacks."""
    if facts.has_true_values:
        yield from _over_truths(facts)
        yield {"kind": "ranking", **_alpha(facts)}
    else:
        yield {"kind": "ranking", **_alpha(facts)}
        yield from _over_size(facts)
        yield from _over_outcomes(facts, settled)


def _over_truths(facts: ExperimentFacts) -> Iterator[Figure]:
    """Coverage and length over the true values, or over the size where the values are few."""
    assert facts.truth is not None
    assert facts.truth.is_discrete
    if facts.truth.count > MOST_TRUTHS:
        return
    if facts.truth.count <= MOST_LISTED and len(facts.sizes) > 1:
        yield from _over_size(facts)
        return
    seconds = second_truths(facts.truth)
    held = {"second": seconds[len(seconds) // 2]} if len(seconds) > 1 else {}
    ends = dict.fromkeys((facts.sizes[0], facts.sizes[-1]))
    for kind in ("coverage_curve", "length_curve"):
        for size in ends:
            yield {"kind": kind, **_size(facts, size), **_chosen(facts), **held}


def _over_size(facts: ExperimentFacts) -> Iterator[Figure]:
    # Means of lengths are those of an exact engine, or of data that are lists.
    exact = not set(EXACT_ENGINES).isdisjoint(facts.engines or ())
    has_lengths = exact or not facts.family.has_outcomes
    for kind in ("coverage_over_size", *(["length_over_size"] if has_lengths else [])):
        yield {"kind": kind, **_chosen(facts)}


def _over_outcomes(facts: ExperimentFacts, settled: Sequence[str]) -> Iterator[Figure]:
    """The alpha of each outcome, exact and by Monte Carlo; of two samples the limits at one."""
    small = [size for size in facts.sizes if max(_totals(size)) <= LARGEST_SIZE]
    if not small or not settled:
        return
    at = _size(facts, small[-1])
    yield {"kind": "alpha_over_outcome", **at, **_chosen(facts)}
    yield {"kind": "alpha_by_outcome", **at, "method": settled[0], **_alpha(facts)}
    yield {"kind": "bounds", **at, **_chosen(facts)}


def _chosen(facts: ExperimentFacts) -> Figure:
    """The methods and the alpha, where there is a choice."""
    methods = list(facts.sides or ())
    few = {"methods": methods[:MOST_METHODS]} if len(methods) > MOST_METHODS else {}
    return {**few, **_alpha(facts)}


def _alpha(facts: ExperimentFacts) -> Figure:
    alphas = facts.alphas or ()
    return {"alpha": alphas[0]} if len(alphas) > 1 else {}


def _size(facts: ExperimentFacts, size: Any) -> Figure:
    return {} if len(facts.sizes) == 1 else {"n": _written(size)}
