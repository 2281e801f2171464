"""Nominal alphas, as pydantic models."""

from __future__ import annotations

from typing import Annotated

from pydantic import Discriminator, Field, Tag

from harness.config.constraints import expecting

_ALPHA = "a number above 0 and below 1"

Alpha = Annotated[float, Field(gt=0, lt=1)]
Alphas = Annotated[
    Annotated[Alpha, expecting(f"{_ALPHA}, or a list of them"), Tag("<one>")]
    | Annotated[list[Annotated[Alpha, expecting(_ALPHA)]], Field(min_length=1), Tag("<list>")],
    Discriminator(lambda value: "<list>" if isinstance(value, list) else "<one>"),
]
