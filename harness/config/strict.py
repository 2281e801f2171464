"""The numbers that models of a config are made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

Probability = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
Pair = Annotated[list[Positive], Field(min_length=2, max_length=2)]
