"""Right configs of every shape, for properties that hold of all of them."""

from typing import Any

from hypothesis import strategies as st

from harness.families.catalogue import FAMILIES
from harness.families.confusion import RATES
from harness.families.family import MONTE_CARLO, POSTERIOR, Family
from harness.families.judged import JUDGE, SOME_LABELLED
from harness.families.lists import BOUNDED_RUNS, CLUSTERS, RUNS, STRATA
from harness.families.paired import PAIRS
from harness.families.scores import CLUSTERED_PAIRS, CLUSTERED_SCORES, PAIRED_SCORES, SCORES
from harness.families.tasks import TASKS
from harness.methods.catalogue import methods_for

ALPHAS = st.floats(1e-10, 0.9)
PROBABILITIES = st.floats(0, 1)
# No shape is below what two samples can carry.
SHAPES = st.floats(0.05, 1e3) | st.integers(1, 50)
PRIORS = st.lists(SHAPES, min_size=2, max_size=2)
LINES = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1).filter(
    lambda text: text == text.strip()
)
COUNTS = st.integers(1, 10**6)
PRECISIONS = st.tuples(st.floats(0.001, 0.4), st.integers(1024, 10**8)).map(
    lambda pair: {"half_width": pair[0], "max": pair[1]}
)
NAMES = st.from_regex(r"[A-Za-z0-9_-]{1,9}(/[A-Za-z0-9_-]{1,9}){0,2}", fullmatch=True)
SEEDS = st.integers(0, 2**128 - 1)
EXECUTIONS = st.sampled_from(
    [
        {}, {"jobs": 2}, {"backend": "loky", "jobs": -1}, {"timeout": 2.5}, {"backend": "dask"},
        {"backend": "dask", "address": "tcp://127.0.0.1:8786", "jobs": 2},
    ]
)  # fmt: skip
PAIRED = [family for family in FAMILIES.values() if family.samples == 2]


@st.composite
def methods(draw: st.DrawFn, family: Family) -> list[Any]:
    """Methods of the catalogue and user functions, with distinct labels."""
    labels = draw(st.lists(LINES, min_size=1, max_size=5, unique=True))
    return [draw(method(family, label)) for label in labels]


@st.composite
def method(draw: st.DrawFn, family: Family, label: str) -> dict[str, Any]:
    kind = draw(st.sampled_from(["catalogue", "module", "file"]))
    if kind == "module":
        return {"module": "pack.part", "function": "f", "label": label}
    if kind == "file":
        return {"path": "mine.py", "function": "f", "label": label}
    # Sizes are drawn apart from the methods, and are larger than some methods take.
    known = {n: m for n, m in methods_for(family).items() if m.largest_size is None}
    name = draw(st.sampled_from(sorted(known)))
    entry: dict[str, Any] = {
        "name": name,
        "side": draw(st.sampled_from(known[name].sides)),
        "label": label,
    }
    if known[name].takes_prior and draw(st.booleans()):
        entry["prior"] = draw(priors(family))
    return entry


def priors(family: Family) -> st.SearchStrategy[list[float]]:
    """As many shapes as a prior of the family has."""
    length = len(family.model.PRIOR_SYMBOLS)
    return st.lists(SHAPES, min_size=length, max_size=length)


def spans(low: float, high: float) -> st.SearchStrategy[list[float]]:
    """Two numbers, the first below the second and not all but equal to it."""
    pairs = st.lists(st.floats(low, high), min_size=2, max_size=2).map(sorted)
    return pairs.filter(lambda pair: pair[1] - pair[0] > 1e-6)


def listed_truths(highest: float, lowest: float = 0.0) -> st.SearchStrategy[dict[str, Any]]:
    """Values and grids."""
    values = st.lists(st.floats(lowest, highest), min_size=1, max_size=9, unique=True)
    grids = st.tuples(spans(lowest, highest), st.integers(2, 99))
    return st.one_of(
        values.map(lambda listed: {"values": listed}),
        grids.map(lambda g: {"grid": {"start": g[0][0], "stop": g[0][1], "count": g[1]}}),
    )


HIGHEST = {"proportion": 1.0, "rate": 1e4}
LISTED = {model: listed_truths(highest) for model, highest in HIGHEST.items()}
DISTRIBUTIONS = {
    model: st.one_of(
        spans(0, highest).map(lambda pair: {"uniform": pair}),
        PRIORS.map(lambda pair, key=key: {key: pair}),
    )
    for (model, highest), key in zip(HIGHEST.items(), ("beta", "gamma"), strict=True)
}
WHOLE = st.integers(1, 10**9)
EXPOSURES = st.floats(1e-3, 1e3) | st.integers(1, 1000)
ONE_SIZE = {"n": WHOLE, "exposure": EXPOSURES}
SIZES = {
    name: st.one_of(
        one,
        st.lists(one, min_size=1, max_size=9, unique=True),
        st.integers(2, 50).map(lambda k: {"log_grid": {"start": 1, "stop": 1000, "count": k}}),
    )
    for name, one in ONE_SIZE.items()
}


def truths(family: Family) -> st.SearchStrategy[dict[str, Any]]:
    """Of one sample any, of two samples two of a kind, of pairs cells, margins or a Dirichlet."""
    if family.design == PAIRS:
        some = listed_truths(0.3)
        # Few of the others, since all are crossed; not 0, where a ratio is no number.
        few = st.lists(st.floats(0.01, 0.3), min_size=1, max_size=3, unique=True)
        few = few.map(lambda listed: {"values": listed})
        cells = {"first_only": some, "second_only": few, "both": few}
        margins = {"first": some, "second": few, "correlation": st.just({"values": [0]})}
        listed = st.fixed_dictionaries(cells) | st.fixed_dictionaries(margins)
        if POSTERIOR not in family.engines:
            return listed
        return listed | priors(family).map(lambda shapes: {"dirichlet": shapes})
    if family.as_pairs is not None:
        # Neither all nor none, where a metric may be 0/0.
        rates = st.lists(st.floats(0.05, 0.95), min_size=1, max_size=3, unique=True)
        listed = st.fixed_dictionaries(dict.fromkeys(RATES, rates))
        if POSTERIOR not in family.engines:
            return listed
        return listed | priors(family).map(lambda shapes: {"dirichlet": shapes})
    if family.design == JUDGE:
        rates = st.lists(st.floats(0.55, 0.95), min_size=1, max_size=3, unique=True)
        return st.fixed_dictionaries(
            {name: rates.map(lambda listed: {"values": listed}) for name in family.truth_parts}
        )
    listed = LISTED[family.model.NAME]
    if family.is_ratio:
        # A ratio is no number where a proportion is 0 or 1.
        listed = listed_truths(0.9 * HIGHEST[family.model.NAME], 0.01)
    kinds = (listed, DISTRIBUTIONS[family.model.NAME])
    if family.samples == 1:
        return st.one_of(*kinds)
    return st.one_of(*(st.fixed_dictionaries({"first": k, "second": k}) for k in kinds))


@st.composite
def sizes(draw: st.DrawFn, family: Family) -> dict[str, Any]:
    """Of one sample, or paired, or crossed."""
    if family.design == JUDGE:
        return {name: draw(st.integers(1, 1000)) for name in family.sizes}
    one = ONE_SIZE[family.model.SIZE]
    if family.samples == 1:
        return {family.sizes[0]: draw(SIZES[family.model.SIZE])}
    pairs = draw(st.lists(st.tuples(one, one), min_size=1, max_size=6, unique=True))
    first, second = (list(column) for column in zip(*pairs, strict=True))
    shape = draw(st.sampled_from(["paired", "single", "crossed"]))
    if shape == "single":
        return dict(zip(family.sizes, (first[0], list(dict.fromkeys(second))), strict=True))
    if shape == "crossed":
        columns = [list(dict.fromkeys(column)) for column in (first, second)]
        return {**dict(zip(family.sizes, columns, strict=True)), "cross": True}
    return dict(zip(family.sizes, (first, second), strict=True))


def outcomes(family: Family) -> st.SearchStrategy[Any]:
    """all, fractions or values."""
    if not family.has_single_count:
        return st.just("all")
    if family.name == "proportion":
        return (
            st.just("all")
            | st.integers(2, 99).map(lambda k: {"fractions": k})
            | st.just({"values": [1, 0]})
        )
    listed = st.lists(st.integers(0, 10**9), min_size=1, max_size=9, unique=True)
    grids = st.integers(2, 61).map(lambda k: {"log_grid": {"start": 1, "stop": 1000, "count": k}})
    return st.just("all") | listed.map(lambda x: {"values": x}) | grids


@st.composite
def coverage(draw: st.DrawFn, family: Family) -> dict[str, Any]:
    """A config with some of the keys that may be left out."""
    config: dict[str, Any] = {
        "name": draw(NAMES),
        "family": family.name,
        **draw(sizes(family)),
        "methods": draw(methods(family)),
        "truth": draw(truths(family)),
    }
    parts = [config["truth"].get(key, config["truth"]) for key in ("first", "first_only", RATES[0])]
    # A list of rates stands alone.
    discrete = any(isinstance(part, list) or "values" in part or "grid" in part for part in parts)
    kinds = ["per_size"] + ["per_truth"] * discrete
    kinds += ["per_outcome"] * (family.is_bounded)
    choices = {
        "title": LINES,
        "alpha": ALPHAS | st.lists(ALPHAS, min_size=1, max_size=4, unique=True),
        "trials": st.sampled_from(kinds).flatmap(lambda kind: COUNTS.map(lambda n: {kind: n}))
        | PRECISIONS,
        "outcomes": outcomes(family),
        "reference_prior": priors(family),
        "execution": EXECUTIONS,
    }
    for key, values in choices.items():
        if draw(st.booleans()):
            config[key] = draw(values)
    whole = config.get("outcomes", "all") == "all"
    if family.has_single_count and whole and draw(st.booleans()):
        width = draw(st.integers(1, 50))
        last = {"last": width * draw(st.integers(1, 50))} if draw(st.booleans()) else {}
        config["group"] = {"width": width, **last}
    surface = family.name == "proportion" and draw(st.booleans())
    if surface and "values" not in config.get("outcomes", {}) and _several(config["n"]):
        held = {} if whole else config["outcomes"]
        config["figures"] = [{"kind": "alpha_surface", "scale": 0.1, **held}]
    if whole and not discrete and POSTERIOR in family.engines and draw(st.booleans()):
        config["reference"] = "truth"
    config["seed"] = draw(SEEDS)
    engines = [name for name in family.engines if name != MONTE_CARLO or "trials" in config]
    if draw(st.booleans()):
        chosen = draw(st.lists(st.sampled_from(engines), min_size=1, unique=True))
        needed = {"figures", "reference"} & set(config)
        config["engines"] = sorted({*chosen, "posterior"}) if needed else chosen
    return config


RHOS = st.lists(st.floats(0, 0.99), min_size=1, max_size=4, unique=True)
ESTIMANDS = st.sampled_from(["mean", "median"]) | st.floats(0.01, 0.99).map(
    lambda probability: {"quantile": probability}
)
LAWS_OF_RUNS = st.one_of(
    st.tuples(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6)).map(
        lambda pair: {"normal": dict(zip(("mean", "sd"), pair, strict=True))}
    ),
    st.floats(0.1, 4).map(lambda g: {"gamma": {"mean": 0.5, "sd": 0.1, "skewness": g}}),
    st.tuples(st.floats(0.1, 99), st.floats(0.1, 99)).map(lambda pair: {"beta": list(pair)}),
    st.floats(0.01, 0.9).map(
        lambda share: {
            "mixture": {
                "normal": {"mean": 0.7, "sd": 0.02},
                "failed": {"share": share, "mean": 0.1, "sd": 0},
            }
        }
    ),
)


@st.composite
def _strata(draw: st.DrawFn) -> dict[str, Any]:
    """Sizes and truths over the same strata."""
    strata, scenarios = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    rows = st.lists(st.integers(1, 99), min_size=strata, max_size=strata)
    sizes = st.lists(rows, min_size=scenarios, max_size=scenarios, unique_by=tuple)
    listed = st.lists(st.floats(0, 0.5), min_size=strata, max_size=strata)
    one = draw(st.booleans()) and scenarios == 1
    first, second = (draw(rows) if one else draw(sizes) for _ in range(2))
    truth = {"second": draw(listed)}
    if draw(st.booleans()):
        truth["first"] = draw(listed)
    else:
        truth |= {"difference": {"values": [0, 0.25, 0.5]}}
    return {"n1": first, "n2": second, "truth": truth}


def any_numbers(least: float, most: float) -> st.SearchStrategy[Any]:
    """A number, a list of them, or a list below ``values``."""
    one = st.floats(least, most)
    listed = st.lists(one, min_size=1, max_size=3, unique=True)
    return one | listed | listed.map(lambda found: {"values": found})


AREAS = any_numbers(0.01, 0.99) | st.just({"grid": {"start": 0.6, "stop": 0.9, "count": 4}})


def scored(**truth: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Sizes of both classes, and a truth of these parts."""
    return st.fixed_dictionaries({"n1": WHOLE, "n2": WHOLE, "truth": st.fixed_dictionaries(truth)})


def in_clusters(*systems: str) -> st.SearchStrategy[dict[str, Any]]:
    """Clusters of the scores of systems."""
    truth = st.fixed_dictionaries(
        {
            **dict.fromkeys(systems, LAWS_OF_RUNS),
            "rho": RHOS.map(lambda listed: {"values": listed}),
        },
        optional={"largest_share": st.floats(0.5, 0.99)},
    )
    clusters = st.lists(st.integers(2, 10**6), min_size=1, max_size=4, unique=True)
    return st.fixed_dictionaries({"clusters": clusters, "size": WHOLE, "truth": truth})


@st.composite
def of_lists(draw: st.DrawFn, family: Family) -> dict[str, Any]:
    """A config of a family of lists."""
    of_design = {
        RUNS: st.fixed_dictionaries(
            {"k": st.lists(st.integers(2, 99), min_size=1, unique=True), "truth": LAWS_OF_RUNS},
            optional={"estimand": ESTIMANDS},
        ),
        BOUNDED_RUNS: st.fixed_dictionaries(
            {
                "k": st.lists(st.integers(2, 99), min_size=1, unique=True),
                "truth": st.sampled_from(
                    [{"beta": [9, 0.5]}, {"points": {"values": [0, 1], "weights": [0.2, 0.8]}}]
                ),
            }
        ),
        CLUSTERS: st.fixed_dictionaries(
            {
                "clusters": st.lists(WHOLE, min_size=1, max_size=4, unique=True),
                "size": WHOLE,
                "truth": st.fixed_dictionaries(
                    {
                        "p": listed_truths(1.0),
                        "rho": RHOS.map(lambda listed: {"values": listed})
                        | st.just({"grid": {"start": 0, "stop": 0.5, "count": 6}}),
                    }
                ),
            }
        ),
        CLUSTERED_SCORES: in_clusters("scores"),
        CLUSTERED_PAIRS: in_clusters("first", "second"),
        TASKS: st.fixed_dictionaries(
            {
                "tasks": st.lists(st.integers(2, 99), min_size=1, max_size=4, unique=True),
                "samples": st.integers(9, 99),
                "truth": st.sampled_from(
                    [
                        {"beta": [2, 0.5]},
                        {"mixture": {"never": 0.3, "always": 0.2}},
                        {"points": {"values": [0, 1], "weights": [0.2, 0.8]}},
                    ]
                ),
            },
            optional={"k": st.integers(1, 9)},
        ),
        STRATA: _strata(),
        SCORES: scored(auc=AREAS, sd_ratio=any_numbers(0.1, 10), levels=st.integers(2, 99)),
        SOME_LABELLED: st.fixed_dictionaries(
            {
                "labelled": st.lists(WHOLE, min_size=1, max_size=4, unique=True),
                "unlabelled": WHOLE,
                "truth": st.fixed_dictionaries(
                    dict.fromkeys(("share", "sensitivity", "specificity"), listed_truths(1.0))
                ),
            }
        ),
        PAIRED_SCORES: scored(auc1=AREAS, auc2=AREAS, correlation=any_numbers(-1, 1)),
    }
    kind, config = draw(st.sampled_from(["per_size", "per_truth"])), draw(of_design[family.design])
    trials = draw(COUNTS.map(lambda count: {kind: count}) | PRECISIONS)
    return {
        "name": draw(NAMES),
        "family": family.name,
        **config,
        "methods": draw(methods(family)),
        "trials": trials,
        "seed": draw(SEEDS),
    }


def _several(n: Any) -> bool:
    return isinstance(n, dict) or (isinstance(n, list) and len(n) > 1)


def _one_or_range(one: st.SearchStrategy[Any], least: float, most: float) -> st.SearchStrategy[Any]:
    whole = isinstance(least, int)
    pairs = (
        st.lists(st.integers(least, most), min_size=2, max_size=2, unique=True).map(sorted)
        if whole
        else spans(least, most)
    )
    return one | pairs.map(lambda pair: {"uniform": pair})


@st.composite
def calibrations(draw: st.DrawFn) -> dict[str, Any]:
    """A config of the kind calibration."""
    family = draw(st.sampled_from(PAIRED))
    truth = DISTRIBUTIONS[family.model.NAME]
    size = {
        "n": _one_or_range(WHOLE, 1, 10**9),
        "exposure": _one_or_range(EXPOSURES, 1e-3, 1e3),
    }[family.model.SIZE]
    low, high = (max(min(end, 100.0), -100.0) for end in family.support)
    config: dict[str, Any] = {
        "name": draw(NAMES),
        "kind": "calibration",
        "family": family.name,
        **{name: draw(size) for name in family.sizes},
        "truth": {"first": draw(truth), "second": draw(truth)},
        "delta": draw(_one_or_range(st.floats(low, high), low, high)),
        "trials": draw(COUNTS),
        "seed": draw(SEEDS),
    }
    choices = {
        "title": LINES,
        "bins": st.integers(2, 1000),
        "prior": PRIORS,
        "execution": EXECUTIONS,
        "figures": st.just([{"kind": "calibration"}]),
    }
    for key, values in choices.items():
        if draw(st.booleans()):
            config[key] = draw(values)
    return config


def configs() -> st.SearchStrategy[dict[str, Any]]:
    """Of every kind and family."""
    numbered = [family for family in FAMILIES.values() if family.has_outcomes]
    lists = [family for family in FAMILIES.values() if not family.has_outcomes]
    return (
        st.sampled_from(numbered).flatmap(coverage)
        | st.sampled_from(lists).flatmap(of_lists)
        | calibrations()
    )
