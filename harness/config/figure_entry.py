"""The figures of a config: each kind of the catalogue with its own options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Union, cast

from pydantic import BeforeValidator, Discriminator, Field, Tag, create_model

from harness.config.constraints import expected, unknown
from harness.figures.catalogue import FIGURES
from harness.figures.kind import FigureKind
from harness.figures.options import FigureOptions


def _with_kind(kind: FigureKind) -> type[FigureOptions]:
    """The kind's options and the key ``kind`` itself."""
    key: Any = (Literal[kind.name], Field(description=kind.title))
    return cast(
        type[FigureOptions],
        create_model(kind.options.__name__, __base__=kind.options, __doc__=kind.title, kind=key),
    )


def _known_kind(value: Any) -> Any:
    if not isinstance(value, Mapping):
        raise expected("a mapping with kind and options, as in {kind: alpha_by_outcome, n: 100}")
    if "kind" not in value:
        raise expected(f"the key kind ({', '.join(FIGURES)})")
    if value["kind"] not in tuple(FIGURES):
        raise unknown(
            f"a kind of figure ({', '.join(FIGURES)})", tuple(FIGURES), "kind", value["kind"]
        )
    return value


def _tag(value: Any) -> str:
    return f"<{value['kind']}>"


TAGGED = {f"<{kind.name}>": _with_kind(kind) for kind in FIGURES.values()}


def union() -> Any:
    """The union of all kinds, told apart by ``kind``."""
    kinds = tuple(Annotated[model, Tag(tag)] for tag, model in TAGGED.items())
    return Annotated[Union[kinds], Discriminator(_tag), BeforeValidator(_known_kind)]  # noqa: UP007


def options_of(entry: FigureOptions) -> dict[str, Any]:
    """Options as plain data, defaults filled in; those that are None are left out."""
    options = entry.model_dump(mode="json")
    fields = type(entry).model_fields
    return {
        key: value
        for key, value in options.items()
        if key != "kind" and not (value is None and fields[key].default is None)
    }


def kind_of(entry: FigureOptions) -> str:
    """The entry's kind."""
    kind: str = entry.kind  # type: ignore[attr-defined]
    return kind
