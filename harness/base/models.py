"""The pydantic base class of everything that is read from a config."""

from __future__ import annotations

from typing import Any, Self, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError
from pydantic_core.core_schema import ErrorType

UNKNOWN_KEY = "unknown_key"
"""The type of the error for an unknown key; its context has the ``known`` keys of the model."""

_PYDANTIC_ERRORS = frozenset(get_args(ErrorType))


class StrictModel(BaseModel):
    """A model without unknown keys, silent conversions (true is not 1) and infinite numbers."""

    model_config = ConfigDict(
        extra="forbid", strict=True, allow_inf_nan=False, frozen=True, defer_build=True
    )

    @model_validator(mode="wrap")
    @classmethod
    def _attach_known_keys(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Name the known keys of the model in the error for an unknown one."""
        try:
            return handler(data)
        except ValidationError as error:
            details = [cls._with_known_keys(detail) for detail in error.errors(include_url=False)]
        raise ValidationError.from_exception_data(cls.__name__, details)

    @classmethod
    def _with_known_keys(cls, detail: ErrorDetails) -> InitErrorDetails:
        """The error again; the errors of models inside this one are left as they are."""
        kind, context = detail["type"], detail.get("ctx", {})
        rebuilt: str | PydanticCustomError = kind
        if kind == "extra_forbidden" and len(detail["loc"]) == 1:
            known = list(cls.model_fields)
            rebuilt = PydanticCustomError(UNKNOWN_KEY, detail["msg"], {"known": known})
        elif kind not in _PYDANTIC_ERRORS:
            rebuilt = PydanticCustomError(kind, detail["msg"], context)
        return InitErrorDetails(type=rebuilt, loc=detail["loc"], input=detail["input"], ctx=context)
