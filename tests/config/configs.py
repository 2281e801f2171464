"""Right configs of every shape, for properties that hold of all of them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from harness.methods.catalogue import PROPORTION

ALPHAS = st.floats(1e-10, 0.9)
PROBABILITIES = st.floats(0, 1)
PRIORS = st.lists(st.floats(1e-3, 1e3) | st.integers(1, 50), min_size=2, max_size=2)
LINES = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1).filter(
    lambda text: text == text.strip()
)
COUNTS = st.integers(1, 10**6)


@st.composite
def methods(draw: st.DrawFn) -> list[Any]:
    """Of the catalogue and of one's own, with labels of their own."""
    labels = draw(st.lists(LINES, min_size=1, max_size=5, unique=True))
    return [draw(method(label)) for label in labels]


@st.composite
def method(draw: st.DrawFn, label: str) -> dict[str, Any]:
    kind = draw(st.sampled_from(["catalogue", "module", "file"]))
    if kind == "module":
        return {"module": "pack.part", "function": "f", "label": label}
    if kind == "file":
        return {"path": "mine.py", "function": "f", "label": label}
    name = draw(st.sampled_from(sorted(PROPORTION)))
    entry: dict[str, Any] = {
        "name": name,
        "side": draw(st.sampled_from(PROPORTION[name].sides)),
        "label": label,
    }
    if PROPORTION[name].takes_prior and draw(st.booleans()):
        entry["prior"] = draw(PRIORS)
    return entry


def spans(low: float, high: float) -> st.SearchStrategy[list[float]]:
    """Two numbers, the first below the second and not all but equal to it."""
    pairs = st.lists(st.floats(low, high), min_size=2, max_size=2).map(sorted)
    return pairs.filter(lambda pair: pair[1] - pair[0] > 1e-6)


TRUTHS = st.one_of(
    spans(0, 1).map(lambda pair: {"uniform": pair}),
    PRIORS.map(lambda pair: {"beta": pair}),
    st.lists(PROBABILITIES, min_size=1, max_size=9, unique=True).map(lambda v: {"values": v}),
    st.tuples(spans(0, 1), st.integers(2, 99)).map(
        lambda span: {"grid": {"start": span[0][0], "stop": span[0][1], "count": span[1]}}
    ),
)
SIZES = st.one_of(
    st.integers(1, 10**9),
    st.lists(st.integers(1, 10**9), min_size=1, max_size=9, unique=True),
    st.integers(2, 50).map(lambda k: {"log_grid": {"start": 1, "stop": 10**4, "count": k}}),
)


@st.composite
def configs(draw: st.DrawFn) -> dict[str, Any]:
    """A config with some of the keys that may be left out."""
    config: dict[str, Any] = {
        "name": draw(
            st.from_regex(r"[A-Za-z0-9_-]{1,9}(/[A-Za-z0-9_-]{1,9}){0,2}", fullmatch=True)
        ),
        "family": "proportion",
        "n": draw(SIZES),
        "methods": draw(methods()),
        "truth": draw(TRUTHS),
    }
    discrete = "values" in config["truth"] or "grid" in config["truth"]
    kinds = ["per_outcome", "per_size"] + ["per_truth"] * discrete
    choices = {
        "title": LINES,
        "alpha": ALPHAS | st.lists(ALPHAS, min_size=1, max_size=4, unique=True),
        "trials": st.sampled_from(kinds).flatmap(lambda kind: COUNTS.map(lambda n: {kind: n})),
        "outcomes": st.just("all") | st.integers(2, 99).map(lambda k: {"fractions": k}),
        "reference_prior": PRIORS,
        "execution": st.sampled_from([{}, {"jobs": 2}, {"backend": "loky", "jobs": -1}]),
    }
    for key, values in choices.items():
        if draw(st.booleans()):
            config[key] = draw(values)
    several = isinstance(config["n"], dict) or (isinstance(config["n"], list) and config["n"][1:])
    if several and draw(st.booleans()):
        held = {} if config.get("outcomes", "all") == "all" else config["outcomes"]
        config["figures"] = [{"kind": "alpha_surface", "scale": 0.1, **held}]
    config["seed"] = draw(st.integers(0, 2**128 - 1))
    engines = ["posterior", "enumeration"] + ["monte_carlo"] * ("trials" in config)
    if draw(st.booleans()):
        chosen = draw(st.lists(st.sampled_from(engines), min_size=1, unique=True))
        config["engines"] = sorted({*chosen, "posterior"}) if "figures" in config else chosen
    return config
