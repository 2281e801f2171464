"""The kinds of figure. This file is the list; each kind has a module in ``kinds``. For
``plot --list`` the kinds and their options are records.

Importing it loads neither matplotlib nor polars, so that a config is checked without them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.base.arguments import validate_choice
from harness.figures.kind import FigureKind
from harness.figures.kinds import (
    alpha_by_outcome,
    bounds,
    coverage_map,
    intervals_drawn,
    outcome_tails,
    over_outcome,
    over_size,
    over_truth,
    power,
    ranking,
    reliability_diagram,
    stopping,
    surfaces,
)
from harness.figures.kinds.simulation import conditional, measures, ranks, search, trials

FIGURES: dict[str, FigureKind] = {
    kind.name: kind
    for kind in (
        alpha_by_outcome.KIND,
        over_outcome.ALPHA_KIND,
        over_outcome.LENGTH_KIND,
        surfaces.ALPHA_KIND,
        surfaces.LENGTH_KIND,
        over_truth.COVERAGE_KIND,
        over_truth.LENGTH_KIND,
        coverage_map.KIND,
        over_size.COVERAGE_KIND,
        over_size.LENGTH_KIND,
        over_size.LIMITS_KIND,
        power.KIND,
        bounds.KIND,
        outcome_tails.KIND,
        ranking.RANKING_KIND,
        ranking.FRONTIER_KIND,
        ranking.CHOICE_KIND,
        intervals_drawn.KIND,
        stopping.OUTCOMES_KIND,
        stopping.SIZE_KIND,
        reliability_diagram.KIND,
        trials.ZIP_PLOT_KIND,
        conditional.COVERAGE_BY_TRUTH_KIND,
        ranks.RANK_ECDF_KIND,
        ranks.COVERAGE_BY_LEVEL_KIND,
        measures.LOLLIPOP_KIND,
        measures.NESTED_LOOP_KIND,
        search.SOLVE_CURVE_KIND,
        trials.ESTIMATES_KIND,
    )
}


def kinds_of_figure() -> list[dict[str, str]]:
    """Return each kind of figure, what it shows, and the kind of experiment it is of."""
    return [
        {"kind": each.name, "shows": each.title, "experiment": each.experiment}
        for each in FIGURES.values()
    ]


def options_of_figure(kind: str) -> list[dict[str, str]]:
    """Return a record for each option of a kind of figure: its value, its default, its meaning.

    Args:
        kind: of figure.

    Raises:
        InputError: there is no such kind.
    """
    schema = FIGURES[validate_choice("kind", kind, FIGURES)].options.model_json_schema()
    required = schema.get("required", ())
    return [
        {
            "option": name,
            "value": _value(each),
            "default": "required" if name in required else str(each.get("default") or ""),
            "meaning": each.get("description", ""),
        }
        for name, each in schema.get("properties", {}).items()
    ]


def _value(schema: Mapping[str, Any]) -> str:
    """What a value may be, in words."""
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return " or ".join(dict.fromkeys(_value(each) for each in choices if each != _NOTHING))
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    if schema.get("type") == "array":
        return f"list, each {_value(schema.get('items', {}))}"
    return _WORDS.get(str(schema.get("type")), str(schema.get("const", "mapping")))


_NOTHING = {"type": "null"}
_WORDS = {
    "number": "number",
    "integer": "whole number",
    "boolean": "true, false",
    "string": "text",
}
