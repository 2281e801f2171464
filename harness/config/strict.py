"""What every model of the config holds to, and the numbers it is made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Strict(BaseModel):
    """No unknown key, no silent conversion (true is not 1, "5" is not 5), nothing infinite."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


Probability = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
Pair = Annotated[list[Positive], Field(min_length=2, max_length=2)]
