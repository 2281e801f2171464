"""The kinds of figure. This file is the list; each kind has a module in ``kinds``. For
``plot --list`` the kinds and their options are records, and for a config they are a type.

Importing it loads neither matplotlib nor polars, so that a config is checked without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Annotated, Any, Literal, Union

from pydantic import BeforeValidator, Discriminator, Field, Tag, create_model

from harness.base.arguments import validate_choice
from harness.base.models import expected, tag, unknown
from harness.figures.kind import FigureKind, FigureSpec
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
from harness.figures.kinds.simulation import measures, ranks, trials
from harness.figures.options import FigureOptions

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
        trials.COVERAGE_BY_TRUTH_KIND,
        ranks.RANK_ECDF_KIND,
        ranks.COVERAGE_BY_LEVEL_KIND,
        measures.LOLLIPOP_KIND,
        measures.NESTED_LOOP_KIND,
        measures.SOLVE_CURVE_KIND,
        trials.ESTIMATES_KIND,
    )
}


def kinds_of_figure() -> list[dict[str, str]]:
    """Return each kind of figure, what it shows, and the kind of experiment it is of."""
    return [
        {"kind": kind.name, "shows": kind.title, "experiment": kind.experiment}
        for kind in FIGURES.values()
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
            "value": _value(option),
            "default": "required" if name in required else str(option.get("default") or ""),
            "meaning": option.get("description", ""),
        }
        for name, option in schema.get("properties", {}).items()
    ]


def _value(schema: Mapping[str, Any]) -> str:
    """What a value may be, in words."""
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return " or ".join(
            dict.fromkeys(_value(choice) for choice in choices if choice != _NOTHING)
        )
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


def _known_kind(value: Any) -> Any:
    kinds = ", ".join(FIGURES)
    if not isinstance(value, Mapping):
        raise expected("a mapping with kind and options, as in {kind: alpha_by_outcome, n: 100}")
    if "kind" not in value:
        raise expected(f"the key kind ({kinds})")
    if value["kind"] not in tuple(FIGURES):
        raise unknown(f"a kind of figure ({kinds})", tuple(FIGURES), "kind", value["kind"])
    return value


@cache
def figure_type() -> Any:
    """The union of all kinds of figures, told apart by ``kind``, which yields their options."""
    tagged: list[Any] = []
    for name, kind in FIGURES.items():
        # The options of the kind, and the key ``kind`` itself.
        key: Any = (Literal[kind.name], Field(description=kind.title))
        model_name = kind.name.title().replace("_", "")
        model: Any = create_model(model_name, __base__=kind.options, __doc__=kind.title, kind=key)
        tagged.append(Annotated[model, Tag(tag(name))])
    kinds = tuple(tagged)
    by_kind = Discriminator(lambda value: tag(value["kind"]))
    return Annotated[Union[kinds], by_kind, BeforeValidator(_known_kind)]  # noqa: UP007


def kind_of(options: FigureOptions) -> FigureKind:
    """The kind of a figure with these options."""
    name: str = options.kind  # type: ignore[attr-defined]
    return FIGURES[name]


def figure_spec(options: FigureOptions) -> FigureSpec:
    """The figure with its options as plain data, without those that are None by default."""
    fields = type(options).model_fields
    given = {
        key: value
        for key, value in options.model_dump(mode="json").items()
        if key != "kind" and not (value is None and fields[key].default is None)
    }
    return FigureSpec(kind_of(options).name, given)


def figures_of_config(document: Mapping[str, Any]) -> list[FigureSpec]:
    """The figures that a resolved config asks for."""
    return [
        FigureSpec(figure["kind"], {k: v for k, v in figure.items() if k != "kind"})
        for figure in document["figures"]
    ]


def write_figures(figures: Iterable[FigureSpec]) -> list[dict[str, Any]]:
    """The figures as a config has them."""
    return [{"kind": figure.kind, **figure.options} for figure in figures]
