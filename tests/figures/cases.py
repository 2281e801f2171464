"""One of every figure, and the awkward ones: many outcomes, many methods, long labels, blanks."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import harness
from harness.designs.stopping.open_rule import open_rule
from harness.kinds.stored import load
from harness.tables.results import Results
from tests.figures.tables import (
    FakeResults,
    Spec,
    calibration_results,
    log_outcomes,
    outcome_cells,
    pair_outcome_cells,
    pair_truth_cells,
    rate_outcome_cells,
    rate_truth_cells,
    surface_cells,
    truth_cells,
)
from tests.simulation.ranked import WITH_DRAWS, drawn_study, ranked_study
from tests.simulation.results import METHODS, crossed, study

DECADES = tuple(sorted({round(10 ** (i / 5)) for i in range(21)}))
"""The paper's sizes: 21 from 1 to 10,000, equally spaced in log n."""
LOG_SIZES = (5, 7, 10, 14, 20, 28, 40, 56, 80, 113, 160, 200)
LONG = "my own interval with a name that goes on and on for $ever$ and_a_day"


RANKED = {"wald": 0.9, "wilson": 0.16, "jeffreys": 0.13, "blaker": 0.05, "sterne": 0.05}
"""Methods with their worst alpha."""


def ranked(sizes: Sequence[int], worst: dict[str, float]) -> FakeResults:
    """Results whose summary has worst alphas, and lengths that differ by a few per cent."""
    rows = [
        {
            "family": "proportion",
            "method": method,
            "side": "two-sided",
            "alpha": 0.05,
            "n": n,
            "engine": "enumeration",
            "worst_alpha": alpha,
            "mean_length": (1 + 0.01 * (i % 7)) / n**0.5,
        }
        for n in sizes
        for i, (method, alpha) in enumerate(worst.items())
    ]
    summary = pl.DataFrame(rows)
    return FakeResults(summary.select("family", "method", "side", "alpha", "n", "engine"), summary)


def bounded(sizes: Sequence[int], worst: dict[str, float]) -> FakeResults:
    """The same with mean and worst alphas, and with least lengths, under the uniform truth."""
    found = ranked(sizes, worst)
    summary = found.summary.with_columns(
        actual_alpha=0.8 * pl.col("worst_alpha"),
        worst_alpha_anywhere="worst_alpha",
        least_length_guaranteed=0.9 * pl.col("mean_length"),
    )
    return FakeResults(found.cells, summary, {"experiment": {"truth": {"uniform": [0, 1]}}})


Case = Callable[[], tuple[FakeResults | Results, Spec]]


def case(cells: Callable[[], pl.DataFrame], kind: str, **options: object) -> Case:
    """Results with these cells, which are made when the case is drawn, and a figure of them."""
    return lambda: (FakeResults(cells()), Spec(kind, options))


def renamed(cells: pl.DataFrame, names: dict[str, str]) -> pl.DataFrame:
    return cells.with_columns(pl.col("method").replace(names))


def many(cells: pl.DataFrame, count: int) -> pl.DataFrame:
    """The same method under many labels."""
    return pl.concat([cells.with_columns(method=pl.lit(f"method_{i}")) for i in range(count)])


def _stopped(n: int) -> pl.DataFrame:
    """Cells of trials that are looked at every fifth one."""
    rule = open_rule({"first": 5, "every": 5, "until": {"excludes": 0.5, "of": "wilson"}})
    return outcome_cells(n, ["wald"]).with_columns(stopping=pl.lit(rule.text))


def _by_chance() -> pl.DataFrame:
    """Monte Carlo cells in which the outcome 0 never came up."""
    cells = [outcome_cells(n, ["balanced_tail"]) for n in (10, 20, 50)]
    simulated = pl.concat(cells).filter(pl.col("engine") == "monte_carlo")
    return simulated.filter(pl.col("x") != 0)


def _one_sided() -> pl.DataFrame:
    """A central interval, and the two bounds at the same level."""
    cells = outcome_cells(100, ["clopper_pearson"], alphas=(0.05, 0.1))
    central, apart = (cells.filter(pl.col("alpha") == alpha) for alpha in (0.05, 0.1))
    lower = {"method": "clopper_pearson lower", "side": "lower", "upper": 1.0}
    upper = {"method": "clopper_pearson upper", "side": "upper", "lower": 0.0}
    apart = apart.with_columns(alpha=pl.lit(0.05))
    bounds = (
        apart.with_columns(**{name: pl.lit(value) for name, value in changes.items()})
        for changes in (lower, upper)
    )
    return pl.concat([central, *bounds])


def _pairs() -> pl.DataFrame:
    first, second = np.linspace(0.02, 0.98, 49), np.array([0.5, 0.9])
    return pair_truth_cells(30, 20, ["wald", "exact_union"], first=first, second=second)


def over_sizes(sizes: Sequence[int], methods: Sequence[str], truths: Sequence[float], **more: Any):
    return pl.concat([truth_cells(n, methods, truths=truths, **more) for n in sizes])


def pairs_over_sizes(*sizes: tuple[int, int]) -> pl.DataFrame:
    """Two true values of each sample, at pairs of sizes."""
    first, second = np.array([0.1, 0.5]), np.array([0.1, 0.9])
    return pl.concat(
        [
            pair_truth_cells(*pair, ["wald", "exact_union"], first=first, second=second)
            for pair in sizes
        ]
    )


def rates_over_exposures() -> pl.DataFrame:
    """Three true rates at exposures of over five decades."""
    rates = np.array([0.5, 1.0, 3.0])
    cells = [
        rate_truth_cells(["wald", "garwood"], rates=rates, exposure=exposure)
        for exposure in (0.001, 0.05, 1.0, 20.0, 500.0)
    ]
    return pl.concat(cells)


def _endless() -> pl.DataFrame:
    """Limits for rates, of which a lower bound has no other end."""
    cells = rate_outcome_cells(["garwood", "wald"], x=range(10), exposure=2.5)
    bound = cells.filter(pl.col("method") == "garwood").with_columns(
        method=pl.lit(LONG), side=pl.lit("lower"), upper=pl.lit(np.inf)
    )
    return pl.concat([cells, bound])


def _stored(name: str) -> Any:
    """Results that come with the package."""
    return load(Path(harness.__file__).parents[1] / "results" / name)


def _power() -> Any:
    """Exact one-sided limits of two samples at a few sizes and true values."""
    sizes, truths = [8, 12, 20], {"first": {"values": [0.6, 0.9]}, "second": {"values": [0.3]}}
    methods = [{"name": name, "side": "lower"} for name in ("newcombe", "wald_cc")]
    config = {"name": "power", "family": "proportion_difference", "n1": sizes, "n2": sizes}
    config |= {"methods": methods, "truth": truths, "engines": ["enumeration"], "figures": []}
    return harness.run(config, out=None)


def _recommendation(family: str) -> Any:
    """The stored results that say which method of a family to use."""
    return _stored(f"recommendation/{family}")


CASES: dict[str, Case] = {
    "few outcomes": case(lambda: outcome_cells(5, ["wald"]), "alpha_by_outcome"),
    "paper's outcomes": case(
        lambda: outcome_cells(100, ["clopper_pearson"]), "alpha_by_outcome", n=100
    ),
    "many outcomes": case(lambda: outcome_cells(1000, ["balanced_tail"]), "alpha_by_outcome"),
    "long label by outcome": case(
        lambda: renamed(outcome_cells(20, ["wald"]), {"wald": LONG}), "alpha_by_outcome"
    ),
    "surface cut at the scale": case(lambda: surface_cells(DECADES, ["wald"]), "alpha_surface"),
    "surface of rounding errors": case(
        lambda: surface_cells(DECADES, ["balanced_tail"]), "alpha_surface"
    ),
    "surface of few sizes": case(
        lambda: renamed(
            surface_cells((20, 50), ["clopper_pearson"], fractions=5), {"clopper_pearson": LONG}
        ),
        "alpha_surface",
        fractions=5,
    ),
    "surface with blanks": case(_by_chance, "alpha_surface", engine="monte_carlo", fractions=11),
    "surface too fine for values": case(
        lambda: surface_cells((50, 100, 1000), ["clopper_pearson"], fractions=51),
        "alpha_surface",
        fractions=51,
    ),
    "lengths": case(
        lambda: surface_cells(DECADES, ["wald", "balanced_tail"]),
        "length_surface",
        reference="balanced_tail",
    ),
    "lengths over one without length": case(
        lambda: surface_cells((10, 100, 1000), ["wald", "balanced_tail"]),
        "length_surface",
        reference="wald",
    ),
    "coverage": case(
        lambda: truth_cells(50, ["wald", "clopper_pearson", "balanced_tail"]), "coverage_curve"
    ),
    "coverage of one method": case(
        lambda: renamed(truth_cells(50, ["wald"]), {"wald": LONG}), "coverage_curve", lowest=0
    ),
    "coverage of many methods": case(
        lambda: many(truth_cells(30, ["wald"], count=29), 9), "coverage_curve"
    ),
    "expected length": case(
        lambda: truth_cells(50, ["wald", "clopper_pearson", "balanced_tail"]), "length_curve"
    ),
    "expected length of many methods": case(
        lambda: renamed(many(truth_cells(30, ["wald"], count=29), 9), {"method_4": LONG}),
        "length_curve",
    ),
    "rates in groups": case(
        lambda: rate_outcome_cells(["wald"], x=range(510), largest=458, group=10),
        "alpha_by_outcome",
        highest=0.2,
    ),
    "rates under two references": case(
        lambda: rate_outcome_cells(["wald"], x=range(60), largest=30, two_references=True),
        "alpha_by_outcome",
    ),
    "alpha over the outcome": case(
        lambda: renamed(
            rate_outcome_cells(
                ["wald", "garwood", "balanced_tail"],
                x=log_outcomes(1000),
                alphas=(0.05, 0.1, 0.01),
                engines=["posterior"],
            ),
            {"garwood": LONG},
        ),
        "alpha_over_outcome",
    ),
    "alpha over few outcomes": case(
        lambda: rate_outcome_cells(["wald"], x=range(6), engines=["posterior"]),
        "alpha_over_outcome",
    ),
    "length over the outcome": case(
        lambda: rate_outcome_cells(["wald", "garwood", "balanced_tail"], x=log_outcomes(1000)),
        "length_over_outcome",
        reference="balanced_tail",
    ),
    "length over the outcome of many methods": case(
        lambda: pl.concat(
            [many(outcome_cells(20, ["wald"]), 9), outcome_cells(20, ["balanced_tail"])]
        ),
        "length_over_outcome",
        reference="balanced_tail",
    ),
    "limits over many sizes": case(
        lambda: renamed(
            pl.concat([outcome_cells(n, ["wald", "balanced_tail"]) for n in (10, 30, 100, 2000)]),
            {"wald": LONG},
        ),
        "limits_over_size",
        fraction=0.9,
    ),
    "limits over two sizes": case(
        lambda: pl.concat([outcome_cells(n, ["wald"]) for n in (3, 4)]), "limits_over_size"
    ),
    "coverage of rates": case(
        lambda: rate_truth_cells(["wald", "garwood"], rates=np.linspace(0.1, 20, 80)),
        "coverage_curve",
    ),
    "coverage of two samples": case(_pairs, "coverage_curve", second=0.9),
    "coverage of nine methods in one panel": case(
        lambda: many(truth_cells(50, ["wald"]), 9), "coverage_curve", together=True
    ),
    "map of two samples": case(_pairs, "coverage_map", n=(30, 20)),
    "coverage over the size of nine methods": case(
        lambda: many(over_sizes((20, 50, 100), ["wald"], [0.1, 0.3]), 9), "coverage_over_size"
    ),
    "length of two samples": case(_pairs, "length_curve", second=0.5, n=(30, 20)),
    "coverage over the size": case(
        lambda: renamed(
            over_sizes(LOG_SIZES, ["wald", "clopper_pearson"], [0.05, 0.3]), {"wald": LONG}
        ),
        "coverage_over_size",
    ),
    "coverage over the size on twelve panels": case(
        lambda: many(over_sizes((20, 50, 100), ["wald"], np.linspace(0.01, 0.45, 12)), 9),
        "coverage_over_size",
    ),
    "coverage over crossed sizes": case(
        lambda: pairs_over_sizes((10, 10), (40, 10), (10, 30), (40, 30)), "coverage_over_size"
    ),
    "length over the size": case(
        lambda: over_sizes(LOG_SIZES, ["wald", "clopper_pearson"], [0.3]), "length_over_size"
    ),
    "length over exposures": case(rates_over_exposures, "length_over_size"),
    "limits at an outcome": case(lambda: outcome_cells(50, ["wald", "clopper_pearson"]), "bounds"),
    "one-sided bounds": case(_one_sided, "bounds", x=[80]),
    "bounds without an end": case(_endless, "bounds", x=[0, 3]),
    "limits of two samples": case(
        lambda: pair_outcome_cells(30, 20, ["wald", "exact_union"]),
        "bounds",
        x=[[25, 18], [30, 20]],
    ),
    "ranking": lambda: (ranked((20, 50), RANKED), Spec("ranking")),
    "ranking of many methods": lambda: (
        ranked((50,), {f"method_{i}": 0.04 + 0.003 * i for i in range(20)}),
        Spec("ranking"),
    ),
    "frontier": lambda: (bounded((20, 50), RANKED), Spec("frontier")),
    "frontier of many methods": lambda: (
        bounded((50,), {f"method_{i}": 0.04 + 0.003 * i for i in range(20)}),
        Spec("frontier"),
    ),
    "intervals drawn": case(
        lambda: renamed(outcome_cells(20, ["wald", "clopper_pearson"]), {"wald": LONG}),
        "intervals_drawn",
        truth=0.1,
        seed=1,
    ),
    "stopping outcomes": case(lambda: _stopped(40), "stopping_outcomes"),
    "expected sizes": case(
        lambda: pl.concat([_stopped(40), _stopped(80)]), "expected_size", n=[40, 80]
    ),
    "five tails": case(pl.DataFrame, "outcome_tails", truths=[0.75, 0.8, 0.83, 0.863, 0.9]),
    "tail of everything": case(pl.DataFrame, "outcome_tails", n=10, x=10, truths=[0.9]),
    "tails of very many trials": case(
        pl.DataFrame, "outcome_tails", n=10**9, x=10**6, truths=[0.001, 0.00101]
    ),
    "tails far apart": case(
        pl.DataFrame, "outcome_tails", n=10**9, x=500_010_000, truths=[0.01, 0.5]
    ),
    "calibration": lambda: (calibration_results(), Spec("calibration")),
    "calibration under two references": lambda: (
        calibration_results(("prior", "truth"), family="rate_difference", bias=0.05, empty=[4]),
        Spec("calibration"),
    ),
    "choice": lambda: (_recommendation("proportion"), Spec("choice", {"alpha": 0.05})),
    "choice of an upper limit": lambda: (
        _recommendation("precision"),
        Spec("choice", {"side": "upper"}),
    ),
    "zip plot": lambda: (study(methods=METHODS[:2], failed=3), Spec("zip_plot")),
    "coverage by truth": lambda: (drawn_study(), Spec("coverage_by_truth")),
    "ranks among draws": lambda: (ranked_study(WITH_DRAWS[:1]), Spec("rank_ecdf")),
    "ranks of three methods": lambda: (ranked_study(), Spec("rank_ecdf")),
    "coverage at all levels": lambda: (ranked_study(draws=9), Spec("coverage_by_level")),
    "zip plot of three methods": lambda: (study(has_errors=False), Spec("zip_plot")),
    "lollipop": lambda: (study(), Spec("lollipop")),
    "lollipop of many scenarios": lambda: (
        study(crossed({"n": range(20, 60), "rho": [0.0, 0.5]}), METHODS[:1], 20),
        Spec("lollipop", {"measure": "bias"}),
    ),
    "nested loop": lambda: (study(), Spec("nested_loop")),
    "nested loop of one scenario": lambda: (study([{}], [LONG], 20), Spec("nested_loop")),
    "lollipop of one scenario": lambda: (study([{}], [LONG], 20), Spec("lollipop")),
    "power over the size": lambda: (_power(), Spec("power_curve", {"truth": 0.9})),
    "power over the truth": lambda: (
        _power(),
        Spec("power_curve", {"over": "truth", "size": (12, 12)}),
    ),
    "search": lambda: (_stored("simulations/welch_power"), Spec("solve_curve")),
    "estimates": lambda: (study(methods=[*METHODS, LONG], failed=3), Spec("estimates")),
}
