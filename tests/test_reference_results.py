"""The configs of Ross (2003) still give the committed results, and show what the page on it says.

Every summary is computed anew from its config. What no draw enters agrees to a relative 1e-9, and
alpha errors, differences of nearly equal numbers, to 1e-12 absolutely; counts agree exactly, as
long as NumPy's generators draw as they did.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

import harness
from harness.designs.precision import fraction_interval
from harness.tables.wording import percent, significant

ROOT = Path(__file__).parent.parent
CONFIGS = sorted((ROOT / "configs" / "ross2003").glob("*.yaml"))
REFERENCE = ROOT / "results" / "ross2003"
NAMES = [config.stem for config in CONFIGS]

RELATIVE, ABSOLUTE_ERROR = 1e-9, 1e-12
ERRORS = {"alpha_error", "alpha_error_min", "alpha_error_max"}


@cache
def fresh(name: str) -> harness.Results:
    return harness.run(ROOT / "configs" / "ross2003" / f"{name}.yaml", out=None)


def reference(name: str) -> pl.DataFrame:
    schema = fresh(name).summary.schema
    return pl.read_csv(REFERENCE / name / "summary.csv", schema=schema)


def method(table: pl.DataFrame, label: str) -> pl.DataFrame:
    return table.filter(pl.col("method") == label)


def test_the_pack_holds_the_figures_of_the_paper() -> None:
    proportions = ["fig03", "fig04-left", "fig05", "fig06", "fig07", "fig09", "fig10"]
    rates = ["fig04-right", "fig08", "fig11"]
    assert sorted([*proportions, *rates, "fig12-proportions", "fig12-rates"]) == NAMES


def differing(name: str, drawn: bool) -> list[str]:
    """Columns in which the rows that are drawn, or those that are not, are not as committed."""
    found, expected = fresh(name).summary, reference(name)
    assert found.height == expected.height
    rows = expected["trials"].is_not_null() == drawn
    found, expected = found.filter(rows), expected.filter(rows)
    columns = []
    for column, kind in expected.schema.items():
        if kind != pl.Float64:
            if not found[column].equals(expected[column]):
                columns.append(column)
            continue
        a, b = (table[column].cast(pl.Float64).to_numpy() for table in (found, expected))
        absolute = ABSOLUTE_ERROR if column in ERRORS else 0.0
        if not np.isclose(a, b, rtol=RELATIVE, atol=absolute, equal_nan=True).all():
            columns.append(column)
    return columns


MANIFESTS = sorted(ROOT.glob("results/**/manifest.json"))


@pytest.mark.parametrize("file", MANIFESTS, ids=lambda file: str(file.parent.relative_to(ROOT)))
def test_the_engines_of_a_committed_result_agree(file: Path) -> None:
    manifest = json.loads(file.read_text(encoding="utf-8"))
    assert manifest.get("agreement", {}).get("agrees") is not False
    assert manifest.get("identity", {}).get("holds") is not False


@pytest.mark.parametrize("name", NAMES)
def test_what_no_draw_enters_is_as_committed(name: str) -> None:
    assert differing(name, drawn=False) == []


@pytest.mark.parametrize("name", ["fig03", "fig04-left"])
def test_what_is_drawn_is_exactly_as_committed(name: str) -> None:
    committed = json.loads((REFERENCE / name / "manifest.json").read_text(encoding="utf-8"))
    found = fresh(name).manifest
    assert found["content_hash"] == committed["content_hash"]
    assert found["trials"] == committed["trials"]
    counts = [[row["misses"] for row in each["overall"]] for each in (found, committed)]
    if counts[0] != counts[1] or differing(name, drawn=True):
        here, there = found["versions"]["numpy"], committed["versions"]["numpy"]
        why = f"drawn here by NumPy {here}, committed from draws by NumPy {there}"
        if here != there:
            pytest.skip(f"another NumPy may draw other binomials: {why}")
        pytest.fail(f"misses {counts[0]}, committed {counts[1]}; {why}")


def test_fig03_has_the_trials_of_the_paper_and_its_engines_agree() -> None:
    manifest = fresh("fig03").manifest
    assert manifest["trials"]["total"] == 567_900
    assert manifest["trials"]["by_size"]["1000"] == 300 * 1001
    assert manifest["agreement"]["agrees"]
    assert manifest["identity"]["holds"]


def test_posterior_methods_have_an_alpha_error_below_1e_12() -> None:
    error = fresh("fig05").cells["alpha_error"].to_numpy()
    assert error.size == 5 * (2 + 3 + 4 + 5 + 7 + 11 + 17 + 14 * 21)
    assert np.abs(error).max() <= 1e-12


def test_clopper_pearson_is_never_short_of_alpha() -> None:
    error = fresh("fig06").cells["alpha_error"]
    assert 0.0011 < error.min() < 0.0012  # type: ignore[operator]
    assert round(float(error.max()), 4) == 0.0494  # type: ignore[arg-type]


def test_wald_has_an_alpha_error_of_minus_095_where_its_interval_has_no_width() -> None:
    cells = fresh("fig07").cells
    flat = cells.filter(pl.col("length") == 0)
    assert flat.height == 2 * 21
    assert np.allclose(flat["alpha_error"].to_numpy(), -0.95, rtol=0, atol=1e-12)
    assert cells["alpha_error"].min() == pytest.approx(-0.95, abs=1e-12)


def test_clopper_pearson_is_half_a_per_cent_to_34_per_cent_longer_than_minimal_length() -> None:
    cells = fresh("fig10").cells
    shortest = method(cells, "minimal_length")["length"].to_numpy()
    longer = 100 * (method(cells, "clopper_pearson")["length"].to_numpy() / shortest - 1)
    assert 0.5 < longer.min() < 0.6
    assert 34.0 < longer.max() < 34.5


def test_no_interval_of_the_same_alpha_is_shorter_than_minimal_length() -> None:
    cells = fresh("fig09").cells
    shortest = method(cells, "minimal_length")["length"].to_numpy()
    for other in ("balanced_width", "balanced_tail"):
        assert (method(cells, other)["length"].to_numpy() >= shortest * (1 - 1e-12)).all()


# What docs/ross2003.md says of every claim of the paper, and of those of another one: the number
# that is found here, and the verdict by the rule that stands beside it.


HOLDS, IN_PART, FAILS = "holds", "holds in part", "does not hold"
ALPHA = 0.05
STORED = "brown2001/recommended"


@cache
def claims() -> dict[str, tuple[str, str]]:
    """What is found of each claim, and the verdict on it."""
    page = (ROOT / "docs" / "ross2003.md").read_text("utf-8")
    lines = [line for line in page.splitlines() if line.count(" | ") == 5]
    rows = [line.strip("| ").split(" | ") for line in lines if not line.startswith("| where")]
    return {says: (here, verdict) for _, says, _, here, verdict, _ in rows}


def stated(beginning: str) -> tuple[str, str]:
    """What the page states of the only claim with this beginning."""
    (answer,) = (answer for says, answer in claims().items() if says.startswith(beginning))
    return answer


def judged(whole: bool, part: bool = False) -> str:
    return HOLDS if whole else IN_PART if part else FAILS


def held(rows: pl.DataFrame, target: pl.Expr) -> tuple[str, str]:
    """How many of 95 % intervals hold a value, and whether neither tail of that is below 2.5 %."""
    inside = rows.filter(pl.col("ci_lower") <= target, target <= pl.col("ci_upper")).height
    missed = rows.height - inside
    few = binom.cdf(missed, rows.height, 0.05)
    many = binom.sf(missed - 1, rows.height, 0.05)
    return f"{inside} of {rows.height}", judged(min(few, many) >= 0.025)


def drawn(name: str) -> pl.DataFrame:
    """The estimates of Monte Carlo at the outcomes of a figure's config."""
    return fresh(name).cells.filter(engine="monte_carlo", alpha=ALPHA, given="outcome")


def outcomes(name: str, label: str, alpha: float = ALPHA) -> pl.DataFrame:
    """What the posterior says of a method at each outcome of a figure's config."""
    cells = fresh(name).cells.filter(engine="posterior", alpha=alpha, given="outcome", method=label)
    return cells.with_columns(share=pl.col("x") / pl.col("n")) if "n" in cells.columns else cells


def longer(name: str, label: str, *keys: str) -> pl.DataFrame:
    """The cells of a method with the part ``longer`` by which its intervals exceed the shortest."""
    unit = outcomes(name, "minimal_length").select(*keys, unit="length")
    joined = outcomes(name, label).join(unit, on=keys)
    return joined.with_columns(longer=pl.col("length") / pl.col("unit") - 1)


def at_outcome(rows: pl.DataFrame, column: str, x: int) -> float:
    return float(rows.filter(x=x)[column].item())


def test_fig03_misses_as_often_as_alpha_says() -> None:
    rows = fresh("fig03").summary.filter(engine="monte_carlo", alpha=ALPHA)
    trials = rows["trials"].to_numpy()
    misses = int(np.rint(rows["actual_alpha"].to_numpy() * trials).sum())
    total = int(trials.sum())
    lower, upper = (float(limit[0]) for limit in fraction_interval(*np.array([[misses], [total]])))
    here = f"{misses / total:.6f} ({lower:.4f}, {upper:.4f}) in {total:,} trials"
    assert stated("Overall the share") == (here, judged(lower <= ALPHA <= upper))
    assert stated("The 95 % intervals of the sizes") == held(rows, pl.lit(ALPHA))
    at_hundred = held(drawn("fig03").filter(n=100), pl.lit(ALPHA))
    assert stated("At n = 100 the 95 % intervals") == at_hundred


def test_fig04_has_intervals_that_hold_alpha_and_rates_that_end() -> None:
    at_fifty = held(drawn("fig04-left").filter(n=50), pl.lit(ALPHA))
    assert stated("At n = 50 the 95 % intervals") == at_fifty
    groups = drawn("fig04-right")
    below = held(groups.filter(pl.col("x") < 400), pl.lit(ALPHA))
    assert stated("The 95 % intervals of the first 40 groups") == below
    dip = at_outcome(groups, "actual_alpha", 430)
    assert stated("No rate lies above 458") == (
        f"{dip:.3f}",
        judged(1 / 3 <= dip / ALPHA <= 2 / 3),
    )
    last = at_outcome(groups, "actual_alpha", 500)
    exact = fresh("fig04-right").cells.filter(engine="posterior", alpha=ALPHA)
    exact_last = at_outcome(exact, "actual_alpha", 500)
    assert stated("From x = 500 on") == (
        f"{significant(last, 3)}; exact {exact_last:.3f}",
        judged(exact_last > 0.999, exact_last >= 0.95),
    )


def errors_by_posterior(name: str, **level: str) -> tuple[float, float]:
    """The least and the largest alpha error of a figure's config."""
    rows = fresh(name).summary.filter(engine="posterior", alpha=ALPHA, **level)
    least, largest = (rows[f"alpha_error_{end}"].to_numpy() for end in ("min", "max"))
    return float(np.nanmin(least)), float(np.nanmax(largest))


def test_fig05_has_errors_below_those_of_the_paper() -> None:
    largest = max(map(abs, errors_by_posterior("fig05")))
    here, verdict = stated("The alpha errors of the four posterior methods")
    # The error is rounding alone, which differs between kinds of machines.
    assert here == "at most 5.5e−13"
    assert largest <= 1e-12
    assert verdict == judged(largest < 1e-5, largest < 5e-5)


def test_fig06_has_clopper_pearson_below_alpha_and_where() -> None:
    least, largest = errors_by_posterior("fig06", method="clopper_pearson")
    assert stated("The alpha error of Clopper-Pearson is never negative") == (
        f"at least {significant(least, 3)}",
        judged(least >= -1e-12),
    )
    assert stated("It is above 0.03") == (
        f"up to {significant(largest, 3)}",
        judged(largest > 0.03),
    )
    cells = outcomes("fig06", "clopper_pearson")
    errors = cells["alpha_error"].to_numpy()
    median, share = float(np.median(errors)), float((errors >= 0.01).mean())
    assert stated("It is generally on the order of 0.01") == (
        f"median {significant(median, 3)}, {percent(share)} of the cells from 0.01 on",
        judged(median >= 0.005),
    )
    large = cells.filter(pl.col("alpha_error") > 0.02)
    expected = large.filter(
        (pl.col("n") < 100) | (pl.col("share") <= 0.05) | (pl.col("share") >= 0.95)
    )
    assert stated("It is greatest at n below 100") == (
        f"{expected.height} of {large.height} errors above 0.02 are there",
        judged(expected.height == large.height),
    )


def test_fig07_has_wald_wrong_at_the_ends_and_by_the_usual_rules() -> None:
    summary = fresh("fig07").summary.filter(engine="posterior", method="wald")
    least = summary["alpha_error_min"].drop_nulls().to_numpy()
    share = float((np.abs(least + 0.95) < 1e-12).mean())
    assert stated("At x = 0 and x = n Wald's interval") == (
        f"{significant(float(least.min()), 3)} at {percent(share)} of the sizes",
        judged(share == 1.0),
    )
    cells = outcomes("fig07", "wald")
    ends = cells.filter((pl.col("share") <= 0.1) | (pl.col("share") >= 0.9))
    negative = float((ends["alpha_error"].to_numpy() < 0).mean())
    assert stated("Its error tends to be negative") == (
        f"negative at {percent(negative)} of them",
        judged(negative >= 0.95),
    )
    x, n, part = pl.col("x"), pl.col("n"), pl.col("share")
    usual = cells.filter((n > 30) & (x > 5) & (n - x > 5))
    strict = cells.filter((n > 600) & (part > 0.2) & (part < 0.8))
    first, second = (np.abs(rows["alpha_error"]).max() / ALPHA for rows in (usual, strict))
    assert stated("The usual rules, n > 30") == (
        f"error up to {percent(first)} of α; for n > 600 and 0.2 < x/n < 0.8 {percent(second)}",
        judged(first > 0.1 > second),
    )


def test_fig08_has_exact_tails_half_of_alpha_off_and_wald_more() -> None:
    half = at_outcome(outcomes("fig08", "garwood"), "alpha_error", 1) / ALPHA
    assert stated("The alpha error of exact tails (Garwood)") == (
        f"{percent(half)} of α",
        judged(0.45 <= half <= 0.55),
    )
    farthest = {}
    for label in ("garwood", "wald"):
        cells = outcomes("fig08", label)
        farthest[label] = cells["x"][int(np.abs(cells["alpha_error"].to_numpy()).argmax())]
    assert stated("The largest errors of exact tails and of Wald") == (
        ", ".join(f"{label} at x = {x}" for label, x in farthest.items()),
        judged(set(farthest.values()) == {0}),
    )
    least, _ = errors_by_posterior("fig08", method="wald")
    _, largest = errors_by_posterior("fig08", method="garwood")
    assert stated("Wald's largest error is larger") == (
        f"{significant(least, 3)} against {significant(largest, 3)}",
        judged(least < 0 and -least > largest),
    )


def test_fig08_has_errors_in_percent_of_alpha_that_agree_for_exact_tails_alone() -> None:
    alphas = (0.05, 0.1, 0.01)
    texts, alike = [], []
    for label in ("garwood", "wald"):
        cells = [outcomes("fig08", label, alpha) for alpha in alphas]
        shares = [
            at_outcome(rows, "alpha_error", 1) / alpha
            for rows, alpha in zip(cells, alphas, strict=True)
        ]
        if max(shares) - min(shares) <= 0.1 * max(map(abs, shares)):
            alike.append(label)
        signed = ", ".join(
            percent(share, 4 if abs(share) >= 10 else 3).replace("-", "−") for share in shares
        )
        texts.append(f"{label} at x = 1: {signed}")
    assert stated("In percent of alpha") == (
        f"{'; '.join(texts)} of α = 0.05, 0.1, 0.01; the same of {', '.join(alike)}",
        judged(len(alike) == 2, bool(alike)),
    )


def test_fig09_has_lengths_that_differ_at_the_ends() -> None:
    parts = [longer("fig09", label, "n", "x") for label in ("balanced_width", "balanced_tail")]
    moderate = [
        rows.filter((pl.col("n") == rows["n"].max()) & pl.col("share").is_between(0.2, 0.8))
        for rows in parts
    ]
    most = max(float(np.abs(rows["longer"].to_numpy()).max()) for rows in moderate)
    assert stated("For large n and moderate x") == (f"within {percent(most)}", judged(most <= 0.01))
    tops = [
        rows.sort("longer", descending=True).row(0, named=True)
        for rows in parts[1].filter(pl.col("n") >= 10).partition_by("n")
    ]
    at_end = sum(row["x"] in (0, row["n"]) for row in tops)
    highest = max(row["longer"] for row in tops)
    assert stated("Intervals with balanced tails are lengthened") == (
        f"longest there at {at_end} of {len(tops)} sizes from 10 on, by up to {percent(highest)}",
        judged(at_end == len(tops) and highest >= 0.1),
    )
    every = np.concatenate([rows["longer"].to_numpy() for rows in parts])
    differences = every[every > 0.01]
    median = float(np.median(differences))
    assert stated("Where the lengths differ") == (
        f"median {percent(median)}, up to {percent(float(differences.max()))}",
        judged(0.1 / 1.5 <= median <= 0.1 * 1.5),
    )


@pytest.mark.parametrize(
    ("label", "beginning"),
    [("clopper_pearson", "Clopper-Pearson is up"), ("wald", "Wald's are up")],
)
def test_fig10_has_intervals_that_are_more_than_a_fifth_longer(label: str, beginning: str) -> None:
    rows = longer("fig10", label, "n", "x")
    top = rows.sort("longer", descending=True).row(0, named=True)
    share = float((rows["longer"].to_numpy() <= 0.205).mean())
    assert stated(beginning) == (
        f"up to {percent(top['longer'])}, at x = {top['x']}, n = {top['n']}; "
        f"{percent(share)} of the cells up to 20 %",
        judged(top["longer"] <= 0.205),
    )


def test_fig10_has_wald_shorter_only_where_it_misses_more() -> None:
    shorter = longer("fig10", "wald", "n", "x").filter(pl.col("longer") < -1e-9)
    above = shorter.filter(pl.col("actual_alpha") > pl.col("alpha")).height
    assert stated("Wald's intervals are shorter") == (
        f"{above} of {shorter.height}",
        judged(above == shorter.height),
    )


def test_fig11_has_lengths_that_meet_at_large_outcomes() -> None:
    labels = ("balanced_width", "balanced_tail", "garwood", "wald")
    last = [longer("fig11", label, "x").sort("x")["longer"][-1] for label in labels]
    most = max(map(abs, last))
    assert stated("For large x all methods") == (
        f"within {percent(most)} at the largest x",
        judged(most <= 0.01),
    )
    garwood = longer("fig11", "garwood", "x")
    for x, about, beginning in ((1, 0.15, "At x = 1 minimal"), (50, 0.03, "At x = 50 they")):
        excess = at_outcome(garwood, "longer", x)
        shorter = excess / (1 + excess)
        assert stated(beginning) == (
            percent(shorter),
            judged(about / 1.2 <= shorter <= about * 1.2),
        )


def p_value(name: str, under: str) -> float:
    return float(fresh(name).summary.filter(reference=under)["p_value"].item())


def test_fig12_has_significances_that_are_right_under_the_distribution_of_the_truths() -> None:
    held_here = held(
        fresh("fig12-proportions").cells.filter(reference="prior"), pl.col("mean_probability")
    )
    assert stated("The 95 % intervals of the fraction in each bin") == held_here
    trusted = p_value("fig12-proportions", "prior")
    assert stated("The computed significances") == (
        f"p = {significant(trusted, 3)}",
        judged(trusted >= 0.05),
    )
    cells = fresh("fig12-rates").cells.filter(reference="prior")
    inside, _ = held(cells, pl.col("mean_probability"))
    flat, own = p_value("fig12-rates", "prior"), p_value("fig12-rates", "truth")
    assert stated("The bias that comes from the largest rate") == (
        f"{inside} intervals hold, p = {significant(flat, 3)}",
        judged(flat >= 0.05),
    )
    assert stated("The bias is one of the simulation") == (
        f"p = {significant(own, 3)} under the distribution of the rates, "
        f"{significant(flat, 3)} under the flat prior",
        judged(own >= 0.05 and own > flat),
    )


def brown(column: str, label: str) -> dict[int, float]:
    """A column of the stored results of Brown, Cai and DasGupta (2001), by the size."""
    table = pl.read_csv(ROOT / "results" / STORED / "summary.csv", infer_schema_length=None)
    rows = table.filter(engine="enumeration", method=label, alpha=ALPHA).sort("n")
    return dict(rows.select("n", column).rows())


RECOMMENDED = ("wilson", "agresti_coull", "jeffreys")


def test_brown2001_has_wald_too_low_and_clopper_pearson_conservative() -> None:
    mean, least = brown("mean_coverage", "wald"), brown("min_coverage", "wald")
    low = all(mean[n] < 0.95 for n in mean)
    erratic = all(least[n] < mean[n] - 0.05 for n in mean)
    assert stated("The coverage of the Wald interval") == (
        "; ".join(
            f"{percent(mean[n])} on average, {percent(least[n])} at worst at n = {n}" for n in mean
        ),
        judged(low and erratic, low),
    )
    mean, least = (brown(f"{column}_coverage", "clopper_pearson") for column in ("mean", "min"))
    assert stated("The Clopper-Pearson interval is conservative") == (
        "; ".join(
            f"at least {percent(least[n])}, {percent(mean[n])} on average at n = {n}" for n in mean
        ),
        judged(min(least.values()) >= 0.95 - 1e-12),
    )


def test_brown2001_has_two_of_three_recommended_intervals_near_nominal() -> None:
    means = {label: brown("mean_coverage", label) for label in RECOMMENDED}
    near = [
        label
        for label, by_size in means.items()
        if all(abs(coverage - 0.95) <= 0.01 for coverage in by_size.values())
    ]
    texts = [
        f"{label} {', '.join(map(percent, by_size.values()))}" for label, by_size in means.items()
    ]
    sizes = ", ".join(map(str, means["wilson"]))
    assert stated("On average over p the coverage") == (
        f"{'; '.join(texts)} at n = {sizes}; close of {', '.join(near)}",
        judged(len(near) == len(RECOMMENDED), bool(near)),
    )


def test_brown2001_has_agresti_coull_longest_at_small_n_and_all_alike_beyond() -> None:
    lengths = {label: brown("mean_length", label) for label in RECOMMENDED}
    small = {label: lengths[label][10] for label in RECOMMENDED}
    assert stated("Where n is small") == (
        ", ".join(f"{label} {length:.3f}" for label, length in small.items()) + " at n = 10",
        judged(max(small.values()) == small["agresti_coull"]),
    )
    large = [lengths[label][50] for label in RECOMMENDED]
    spread = max(large) / min(large) - 1
    assert stated("For n above 40") == (
        f"within {percent(spread)} at n = 50",
        judged(spread <= 0.05),
    )


def test_every_claim_of_the_page_is_computed() -> None:
    assert len(claims()) == 37
