"""The figures of an experiment: each kind of the catalogue with its options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Annotated, Any, Literal, Union

from pydantic import BeforeValidator, Discriminator, Field, Tag, create_model

from harness.base.models import expected, tag, unknown
from harness.figures.catalogue import FIGURES
from harness.figures.kind import FigureKind, FigureSpec
from harness.figures.options import FigureOptions


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
