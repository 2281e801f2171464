"""Requirements of each kind of figure on the experiment, and the figures that suit it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.base.errors import did_you_mean
from harness.base.plain_data import expected_found, flow
from harness.base.text import plain_number
from harness.designs.design import AnyTruth
from harness.distributions.paired_truths import TableTruth
from harness.distributions.truths import DiscreteTruth, PairTruth
from harness.families.family import ENUMERATION, EXACT_ENGINES, POSTERIOR, Family
from harness.figures.catalogue import FIGURES
from harness.figures.kind import FigureKind, Unmet
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
    """The kind of experiment: ``coverage``, ``calibration`` or ``simulation``."""
    family: Family
    family_is_valid: bool
    """Otherwise the family is a guess, and any kind of figure may fit the one that is meant."""
    sizes: Sequence[Any] = ()
    alphas: Sequence[float] | None = None
    sides: Mapping[str, str] | None = None
    """The side of each method by its label."""
    truth: AnyTruth | None = None
    engines: Sequence[str] | None = None
    trials: str | None = None
    """``per_outcome``, ``per_size``, ``per_truth`` or ``half_width``."""
    outcomes: int | Sequence[int] | None = None
    """The number of fractions of n, or the listed outcomes; None also for all outcomes."""

    @property
    def has_true_values(self) -> bool:
        """Whether the truth is known to be a grid or a list."""
        return self.truth is not None and self.truth.is_discrete

    def listed_truths(self) -> list[Level] | int:
        """The true values in the order of titles, or how many where there are very many."""
        if self.truth is None or not self.truth.is_discrete:
            return 0
        if isinstance(self.truth, DiscreteTruth):
            return [(value,) for value in self.truth.values]
        if self.truth.count > MOST_TRUTHS:
            return self.truth.count
        by_column = dict(zip(self.family.truths, self.family.true_values(self.truth), strict=True))
        columns = [by_column[name].tolist() for name in truth_symbols(self.family)]
        return sorted(zip(*columns, strict=True))


def unmet_requirements(kind: FigureKind, options: Any, facts: ExperimentFacts) -> Iterator[Unmet]:
    """Yield what the experiment lacks for the figure to be drawn."""
    if kind.experiment != facts.kind:
        wanted = f"of {facts.kind}"
    elif facts.family_is_valid and not kind.drawn_for(facts.family):
        wanted = f"for the family {facts.family.name}"
    else:
        wanted = ""
    if wanted:
        same = (other for other in FIGURES.values() if other.experiment == facts.kind)
        fitting = ", ".join(other.name for other in same if other.drawn_for(facts.family))
        yield Unmet("kind", f"expected a figure {wanted} ({fitting}), found {kind.name}")
        return
    yield from _unmet_sources(kind, options, facts)
    if kind.over != "nothing":
        yield from _unmet_sizes(options, facts)
        yield from _unmet_second_truth(options, facts.truth)
        yield from _unmet_methods(options, facts)
    if "counts_of_samples" in kind.requires:
        counts = facts.family.counts
        pairs = f"pairs of counts [{', '.join(counts)}]"
        wanted = pairs if len(counts) > 1 else "single counts"
        for outcome in options.x or ():
            written = list(outcome) if isinstance(outcome, tuple) else outcome
            if len(_as_level(outcome)) != len(counts):
                yield Unmet("x", expected_found(wanted, written))
                break
    if "trials_by_outcome" in kind.requires:
        yield from _unmet_trials_by_outcome(kind, options, facts)
    if "grid_of_fractions" in kind.requires:
        yield from _unmet_surface(kind, options, facts)
    if "grid_of_truths" in kind.requires and facts.has_true_values:
        truth = facts.truth
        assert isinstance(truth, PairTruth)
        if not truth.is_crossed or min(len(set(values.tolist())) for values in truth.values) < 2:
            message = f"expected several true values of both samples, crossed, for {kind.name}"
            yield Unmet("kind", f"{message}, found {flow(truth.content())}")
    if "panels_over_size" in kind.requires:
        sizes = [_as_level(size) for size in facts.sizes]
        yield from unmet_panels(options, facts.family, sizes, facts.listed_truths())


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
        requires = FIGURES[kind].requires
        if drawn and "lengths" in requires and not _compares_only(options, labels - drawn):
            return (
                f"{kind} compares lengths at each outcome, which limits that are drawn do "
                f"not have, found {', '.join(sorted(drawn))}"
            )
        named = labels & set(options.get("methods") or labels)
        if "mean_lengths" in requires and not has_means and not named & drawn:
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


def _unmet_sources(kind: FigureKind, options: Any, facts: ExperimentFacts) -> Iterator[Unmet]:
    """Yield the engines or the truth without which there are no cells that the figure reads."""
    needed, truth = kind.engines(options), facts.truth
    if needed and facts.engines is not None and not set(needed) & set(facts.engines):
        engines = ", ".join(facts.engines)
        message = f"expected {' or '.join(needed)} among the engines, found {engines}"
        yield Unmet(_engine_option(options), message)
    if kind.over == "truth" and truth is not None and not truth.is_discrete:
        truths = (truth.first, truth.second) if isinstance(truth, PairTruth) else (truth,)
        distributions = " and ".join(next(iter(part.content())) for part in truths)
        what = f"a truth that is a grid or a list of values for {kind.name}"
        yield Unmet("kind", f"expected {what}, found {distributions}")


def _engine_option(options: FigureOptions) -> str:
    """The option that names the engine, or the kind where the kind decides it."""
    return "engine" if hasattr(options, "engine") else "kind"


def _unmet_sizes(options: Any, facts: ExperimentFacts) -> Iterator[Unmet]:
    """Yield the sizes in the options that the experiment does not have."""
    sizes, names = [_written(size) for size in facts.sizes], facts.family.sizes
    if not sizes:
        return
    what = f"a pair [{', '.join(names)}]" if len(names) > 1 else f"an {names[0]}"
    for size in getattr(options, "sizes", None) or ():
        yield from _one_of("sizes", size, what, sizes)
    if hasattr(options, "n"):
        for size in listed_sizes(options.n, len(names)):
            yield from _one_of("n", size, what, sizes)


def _written(size: Any) -> Any:
    """The size as a config writes it."""
    if isinstance(size, tuple):
        return [plain_number(number) for number in size]
    return plain_number(size)


def _unmet_second_truth(options: Any, truth: AnyTruth | None) -> Iterator[Unmet]:
    """Yield the true value of the second sample that the figure holds, where there is none."""
    if not hasattr(options, "second") or truth is None:
        return
    if isinstance(truth, PairTruth | TableTruth):
        is_table = isinstance(truth, TableTruth)
        what = "a probability of second_only" if is_table else "a second true value"
        levels = second_truths(truth)
        if levels:
            yield from _one_of("second", options.second, what, levels)
    elif options.second is not None:
        message = f"expected two samples for a second true value, found {flow(options.second)}"
        yield Unmet("second", message)


def second_truths(truth: AnyTruth) -> list[float]:
    """The true values that a curve over those of the first sample holds; none if not listed."""
    if isinstance(truth, TableTruth):
        return sorted({plain_number(table[2]) for table in truth.rows})
    if not isinstance(truth, PairTruth) or not truth.is_crossed:
        return []
    if isinstance(truth.second, DiscreteTruth):
        return [plain_number(value) for value in truth.second.values]
    return []


def _one_of(option: str, value: Any, what: str, levels: Sequence[Any]) -> Iterator[Unmet]:
    """Yield a level that is not among these; it may be left out where there is only one."""
    named = list(value) if isinstance(value, tuple) else value
    if named not in levels and not (named is None and len(levels) == 1):
        yield Unmet(option, expected_found(level_of(what, levels), named))


def _unmet_methods(options: Any, facts: ExperimentFacts) -> Iterator[Unmet]:
    """Yield the alphas and the methods in the options that the experiment does not have."""
    sides = facts.sides
    if facts.alphas is not None:
        yield from _among(options, "alpha", "an alpha", facts.alphas)
    if sides is None:
        return
    for option in ("method", "methods", "reference", "colours"):
        yield from _among(options, option, "the label of a method", list(sides))
    reference = getattr(options, "reference", None)
    named = getattr(options, "method", None) or getattr(options, "methods", None)
    if reference is not None and reference in sides and named is None:
        # All methods of the reference's side are compared with it.
        others = [side for label, side in sides.items() if label != reference]
        if sides[reference] not in others:
            other = f"another {sides[reference]} method"
            yield Unmet("reference", f"expected {other} to compare with {reference}, found none")


def _among(options: Any, option: str, what: str, levels: Sequence[Any]) -> Iterator[Unmet]:
    """Yield each level in an option, which has one or several, that is not among these."""
    value = getattr(options, option, None)
    for named in value if isinstance(value, list | tuple | dict) else [value]:
        if named is not None and named not in levels:
            message = expected_found(level_of(what, levels), named)
            yield Unmet(option, message + did_you_mean(named, levels))


def _unmet_trials_by_outcome(
    kind: FigureKind, options: Any, facts: ExperimentFacts
) -> Iterator[Unmet]:
    """Yield why the tables have no trials by outcome: they have them of small n only.

    Trials per outcome are binomial where the truth is drawn.
    """
    if not facts.has_true_values:
        return
    if facts.trials == "per_truth":
        message = f"expected trials per_outcome or per_size for {kind.name}, found per_truth"
        yield Unmet("kind", message)
    n = facts.sizes[0] if options.n is None and len(facts.sizes) == 1 else options.n
    large = isinstance(n, int) and n >= LARGEST_BESIDE_TRUTHS
    if facts.family.has_fractions and n in facts.sizes and large:
        most = f"an n below {LARGEST_BESIDE_TRUTHS}"
        yield Unmet("n", f"expected {most} with a grid or a list of true values, found {n}")


def _as_level(size: Any) -> Level:
    """The size of each sample."""
    return size if isinstance(size, tuple) else (size,)


def _unmet_surface(kind: FigureKind, options: Any, facts: ExperimentFacts) -> Iterator[Unmet]:
    """Yield why there is no surface over n and x/n: too few sizes, or other outcomes."""
    engine = next((name for name in kind.engines(options) if name in (facts.engines or ())), None)
    beside_truths = engine not in (None, POSTERIOR) and facts.has_true_values
    if beside_truths and set(facts.engines or ()) == {ENUMERATION}:
        yield Unmet(
            _engine_option(options),
            "expected posterior or monte_carlo among the engines, found enumeration, which alone "
            "has no cells per outcome over a grid or a list of true values",
        )
    elif facts.sizes:
        sizes = set(facts.sizes)
        small = {n for n in sizes if n < LARGEST_BESIDE_TRUTHS}
        if len(sizes) < 2:
            yield Unmet("kind", f"expected two sizes or more for a surface, found {len(sizes)}")
        elif beside_truths and len(small) < 2:
            yield Unmet(
                "kind",
                f"expected two sizes or more below {LARGEST_BESIDE_TRUTHS} for a surface over a "
                f"grid or a list of true values, found {len(small)}",
            )
    # Monte Carlo covers the outcomes that come up, whichever are reported.
    if facts.sizes and engine in (POSTERIOR, ENUMERATION) and facts.outcomes is not None:
        yield from _unmet_fractions(options.fractions, facts.outcomes, facts.sizes)


def _unmet_fractions(
    fractions: int, reported: int | Sequence[int], sizes: Sequence[Any]
) -> Iterator[Unmet]:
    """Yield why the reported outcomes do not have these equally spaced fractions of each size."""
    if not isinstance(reported, int):
        yield Unmet("kind", "expected outcomes: all or fractions for a surface, found values")
        return
    whole = [int(n) for n in sizes if not isinstance(n, tuple)]
    if all(has_fractions(n, reported - 1, fractions - 1) for n in whole):
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
    for i in range(wanted + 1):
        x = (2 * n * i + wanted) // (2 * wanted)
        # The least j with n·j/steps >= x - 1/2, which should be below x + 1/2.
        j = max(0, -(-steps * (2 * x - 1) // (2 * n)))
        if 2 * n * j >= steps * (2 * x + 1):
            return False
    return True


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
    suitable = []
    for figure in _candidates(facts, settled):
        kind = FIGURES[figure["kind"]]
        options = {key: value for key, value in figure.items() if key != "kind"}
        if not any(unmet_requirements(kind, kind.options.model_validate(options), facts)):
            suitable.append(figure)
    return suitable[:MOST_FIGURES]


def _candidates(facts: ExperimentFacts, settled: Sequence[str]) -> Iterator[Figure]:
    """Yield figures in the order of preference; some may ask for what the experiment lacks."""
    alphas, methods = facts.alphas or (), list(facts.sides or ())
    alpha = {"alpha": alphas[0]} if len(alphas) > 1 else {}
    few = {"methods": methods[:MOST_METHODS]} if len(methods) > MOST_METHODS else {}
    chosen = {**few, **alpha}
    truth = facts.truth
    if truth is not None and truth.is_discrete:
        seconds = second_truths(truth)
        # A curve over the first of two true values holds the middle one of the second sample.
        held = {"second": seconds[len(seconds) // 2]} if len(seconds) > 1 else {}
        if truth.count <= MOST_LISTED and len(facts.sizes) > 1:
            yield from _over_size(facts, chosen)
        elif truth.count <= MOST_TRUTHS:
            for kind in ("coverage_curve", "length_curve"):
                for size in dict.fromkeys((facts.sizes[0], facts.sizes[-1])):
                    yield {"kind": kind, **_n_option(facts, size), **chosen, **held}
        yield {"kind": "ranking", **alpha}
        return
    yield {"kind": "ranking", **alpha}
    yield from _over_size(facts, chosen)
    small = [size for size in facts.sizes if max(_as_level(size)) <= LARGEST_SIZE]
    if small and settled:
        n = _n_option(facts, small[-1])
        yield {"kind": "alpha_over_outcome", **n, **chosen}
        yield {"kind": "alpha_by_outcome", **n, "method": settled[0], **alpha}
        yield {"kind": "bounds", **n, **chosen}


def has_mean_lengths(family: Family, engines: Collection[str]) -> bool:
    """Whether tables have mean lengths whatever the method: of an exact engine, or of lists.

    A trial of lists computes limits anew for every method, as one of drawn limits does.
    """
    return not family.has_outcomes or not set(EXACT_ENGINES).isdisjoint(engines)


def _over_size(facts: ExperimentFacts, chosen: Figure) -> Iterator[Figure]:
    """Yield coverage over the size, and length where the tables have its mean."""
    yield {"kind": "coverage_over_size", **chosen}
    if has_mean_lengths(facts.family, facts.engines or ()):
        yield {"kind": "length_over_size", **chosen}


def _n_option(facts: ExperimentFacts, size: Any) -> Figure:
    """The option that names a size, where the experiment has several."""
    return {} if len(facts.sizes) == 1 else {"n": _written(size)}
