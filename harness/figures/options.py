"""The options that kinds of figure share, with their checks.

Options called ``n``, ``alpha``, ``method``, ``methods`` and ``reference`` name levels of the
experiment: a size, a nominal alpha and labels of methods. For rates ``n`` is an exposure; a size
or an outcome of two samples is a pair, as in ``[50, 20]``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field, GetPydanticSchema, ValidationInfo
from pydantic_core import PydanticKnownError, core_schema

from harness.base.errors import did_you_mean
from harness.base.models import StrictModel

LONGEST_FILE = 1 << 16
"""The most bytes of a style file."""
MOST_PANELS = 12
"""The most panels of one drawing: six rows of two, in the column of a journal."""
MOST_SIZES = 6
"""The most columns of sizes."""

Json = dict[str, Any]
"""A JSON Schema."""


def _style_settings(value: Any, info: ValidationInfo) -> dict[str, str]:
    """The settings of a file, relative to the config, of a style by its name, or of a mapping.

    Refused are those that matplotlib does not know, or whose values it does not take.
    """
    import matplotlib

    if isinstance(value, Mapping):
        settings = {str(name): str(setting) for name, setting in value.items()}
        where = {name: f"setting {name}" for name in settings}
    elif isinstance(value, str) and value:
        folder: Path = (info.context or {}).get("folder", Path())
        settings, where = _parsed_style(_style_text(folder, value), value)
    else:
        raise ValueError("expected the name of a matplotlib style or the path of a style file")
    defaults: Any = matplotlib.rcParamsDefault
    trial: Any = matplotlib.RcParams()
    for name, setting in settings.items():
        if name not in defaults:
            guess = did_you_mean(name, list(defaults))
            raise ValueError(f"{where[name]} is no setting of matplotlib{guess}")
        try:
            trial[name] = setting
        except ValueError as fault:
            raise ValueError(f"{where[name]}: {fault}") from None
    return settings


def _style_text(folder: Path, written: str) -> str:
    """The text of a file, or else of a style that matplotlib finds as ``style.use`` does."""
    import matplotlib

    path = folder / written
    if not path.exists() and Path(written).name == written:
        homes = (matplotlib.get_configdir(), matplotlib.get_data_path())
        files = [Path(home, "stylelib", f"{written}.mplstyle") for home in homes]
        path = next((file for file in files if file.is_file()), path)
    try:
        if not path.is_file():
            styles = Path(matplotlib.get_data_path(), "stylelib").glob("*.mplstyle")
            guess = did_you_mean(written, [file.stem for file in styles])
            raise ValueError(
                "expected an existing matplotlib style file, relative to the config, or the name "
                f"of a style{guess}"
            )
        data = path.read_bytes()[: LONGEST_FILE + 1]
    except OSError as fault:
        raise ValueError(f"{written} cannot be read: {fault.strerror}") from None
    if len(data) > LONGEST_FILE:
        raise ValueError(f"expected a style file of at most {LONGEST_FILE} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ValueError("expected a text in UTF-8") from None


def _parsed_style(text: str, name: str) -> tuple[dict[str, str], dict[str, str]]:
    """The settings of a file, and where in it each of them stands."""
    settings: dict[str, str] = {}
    where: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        bare = _without_comment(line).strip()
        if not bare:
            continue
        key, colon, value = (part.strip() for part in bare.partition(":"))
        if not colon or not key:
            raise ValueError(f"line {number} of {name}: expected `setting: value`, found {bare}")
        if len(value) >= 2 and value[0] == value[-1] == '"':
            value = value[1:-1]
        settings[key], where[key] = value, f"line {number} of {name}: {key}"
    return settings, where


def _without_comment(line: str) -> str:
    """The line up to a number sign that is not within quotation marks."""
    quoted = False
    for place, letter in enumerate(line):
        if letter == '"':
            quoted = not quoted
        elif letter == "#" and not quoted:
            return line[:place]
    return line


def _colours(value: Any) -> dict[str, str]:
    """Colours of matplotlib by the labels of methods."""
    if not isinstance(value, Mapping) or not value:
        raise ValueError('expected a mapping of labels to colours, as in {wilson: "#D55E00"}')
    from matplotlib.colors import is_color_like

    for label, colour in value.items():
        if not isinstance(colour, str) or not is_color_like(colour):
            raise ValueError(f"expected a colour of matplotlib for {label}, found {colour!r}")
    return dict(value)


def _checked(check: Callable[[Any], Any], schema: Json) -> GetPydanticSchema:
    """The pydantic type of what a function returns, which is dumped as it is."""
    return GetPydanticSchema(
        lambda source, handler: core_schema.no_info_plain_validator_function(check),
        lambda core, handler: dict(schema),
    )


def _one_or_list(item: Json, most: int) -> Json:
    """The schema of one item, or of a list of 2 to ``most`` of them."""
    several = {"type": "array", "items": item, "minItems": 2, "maxItems": most}
    return {"anyOf": [*item.get("anyOf", [item]), several]}


def _number_or_list(value: Any, check: Callable[[Any], float], most: int) -> Any:
    """A number or a tuple of 2 to ``most`` numbers, each of which passes a check."""
    if not isinstance(value, list | tuple):
        return check(value)
    if not 2 <= len(value) <= most:
        several = "two for two samples" if most == 2 else f"a list of 2 to {most}"
        raise ValueError(f"expected one number, or {several}")
    return tuple(check(number) for number in value)


def _sizes(value: Any) -> Any:
    """A size, or a list of sizes; of two samples a size is a pair."""
    if not isinstance(value, list | tuple):
        return _one_size(value)
    if not 2 <= len(value) <= MOST_SIZES:
        raise ValueError(f"expected one size, or a list of two to {MOST_SIZES}")
    return tuple(_one_size(size) for size in value)


def listed_sizes(n: Any, count: int) -> list[Any]:
    """Return the sizes that an option asks for, each a number or a pair, or None for the only one.

    Args:
        n: the value of the option.
        count: how many numbers a size has; two numbers are one size of two samples.
    """
    if not isinstance(n, tuple) or (count > 1 and not any(isinstance(size, tuple) for size in n)):
        return [n]
    return list(n)


def _one_size(value: Any) -> Any:
    """A size, a pair for two samples."""
    return _number_or_list(value, _size, 2)


def _size(value: Any) -> float:
    """A whole number from 1 up, or another number above 0."""
    if isinstance(value, float) and math.isfinite(value):
        if value <= 0:
            raise PydanticKnownError("greater_than", {"gt": 0})
        return value
    return _whole(value, 1)


def _finite(value: Any) -> float:
    """Any finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PydanticKnownError("float_type")
    if not math.isfinite(value):
        raise PydanticKnownError("finite_number")
    return value


def _whole(value: Any, least: int = 0) -> int:
    """A whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise PydanticKnownError("int_type")
    if value < least:
        raise PydanticKnownError("greater_than_equal", {"ge": least})
    return value


def _distinct(labels: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(labels)) != len(labels):
        raise ValueError("each may be named once")
    return labels


def _increasing(values: tuple[float, ...]) -> tuple[float, ...]:
    if any(later <= earlier for earlier, later in pairwise(values)):
        raise ValueError("expected values that increase")
    return values


_SETTINGS_SCHEMA: Json = {"type": "object", "additionalProperties": {"type": "string"}}

Format = Literal["png", "svg", "pdf"]
FORMATS: tuple[Format, ...] = get_args(Format)


def _one_line(text: str) -> str:
    if not text.isprintable() or text != text.strip():
        raise ValueError("expected one line of text without spaces around it")
    return text


def _two(value: Any) -> Any:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError("expected two numbers in increasing order, as in [0, 1]")
    return value


Formats = Annotated[
    tuple[Format, ...],
    BeforeValidator(
        lambda value: [value] if isinstance(value, str) else value,
        json_schema_input_type=Format | list[Format],
    ),
    Field(strict=False, min_length=1, max_length=len(FORMATS)),
    AfterValidator(_distinct),
]
Style = Annotated[
    dict[str, str],
    GetPydanticSchema(
        lambda source, handler: core_schema.with_info_plain_validator_function(_style_settings),
        lambda core, handler: {"anyOf": [{"type": "string"}, _SETTINGS_SCHEMA]},
    ),
]
Colours = Annotated[dict[str, str], _checked(_colours, _SETTINGS_SCHEMA)]
Limits = Annotated[
    tuple[float, float], Field(strict=False), BeforeValidator(_two), AfterValidator(_increasing)
]
Label = Annotated[str, Field(min_length=1)]
Labels = Annotated[tuple[Label, ...], Field(strict=False, min_length=1), AfterValidator(_distinct)]
_ONE_SIZE = _one_or_list({"type": "number", "exclusiveMinimum": 0}, 2)
Size = Annotated[float | tuple[float, float], _checked(_one_size, _ONE_SIZE)]
Sizes = Annotated[
    float | tuple[float | tuple[float, float], ...],
    _checked(_sizes, _one_or_list(_ONE_SIZE, MOST_SIZES)),
]
PanelSizes = Annotated[tuple[Size, ...], Field(strict=False, min_length=1, max_length=MOST_PANELS)]
Outcome = Annotated[
    int | tuple[int, int],
    _checked(
        partial(_number_or_list, check=_whole, most=2),
        _one_or_list({"type": "integer", "minimum": 0}, 2),
    ),
]
Outcomes = Annotated[tuple[Outcome, ...], Field(strict=False, min_length=1, max_length=12)]
Levels = Annotated[
    float | tuple[float, ...],
    _checked(partial(_number_or_list, check=_finite, most=4), _one_or_list({"type": "number"}, 4)),
]
"""The first of several numbers that belong together, or the first few of them."""
ListedLevels = Annotated[
    tuple[Levels, ...], Field(strict=False, min_length=1, max_length=MOST_PANELS)
]
Alpha = Annotated[float, Field(gt=0, lt=1)]
Truth = Annotated[float, Field(ge=0)]
Fractions = Annotated[int, Field(ge=2, le=1001)]
Probabilities = Annotated[
    tuple[Annotated[float, Field(gt=0, lt=1)], ...],
    Field(strict=False, min_length=1, max_length=5),
    AfterValidator(_increasing),
]

# What several kinds have, with what is said of it; without a value it may be left out.
SIZE: Any = Field(
    None,
    description="Size to draw, trials or an exposure; may be left out when the experiment has "
    "only one.",
)
SIZES: Any = Field(
    None,
    description="Size to draw, trials or an exposure, or a list of up to six, a column of "
    "panels each; may be left out "
    "when the experiment has only one.",
)
METHODS: Any = Field(
    None, description="Labels of the methods to draw, in this order; left out, all of them."
)
ALPHA: Any = Field(
    None, description="Nominal alpha to draw, a probability; left out, one drawing per alpha."
)
ALPHA_OF_A_SET: Any = Field(
    None,
    description="Nominal alpha to draw, a probability; left out, one set of drawings per alpha.",
)
SECOND_TRUTH: Any = Field(
    None,
    description="Of two samples: the true value of the second to hold, in its unit; "
    "may be left out when the experiment has only one.",
)
REFERENCE: Any = Field(
    "minimal_length", description="Label of the method whose length counts as 100 per cent."
)
FRACTIONS: Any = Field(
    21,
    description="Number of equally spaced proportions x/n from 0 to 1; x is n times it, half up.",
)
LOWEST_COVERAGE: Any = Field(
    None,
    ge=0,
    lt=1,
    description="Lower end of the coverage axis, a probability; left out, the lowest coverage "
    "that is drawn, on an axis stretched near 100 % where that is below 1 - 4 alpha.",
)


class FigureOptions(StrictModel):
    """The options that every kind of figure has."""

    title: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_one_line)] | None = (
        Field(None, description="Title above the figure; the heading with the setting stays.")
    )
    width: float | None = Field(
        None,
        ge=40,
        le=400,
        description="Width in mm; left out, 85, the column of a journal, or 175, its page.",
    )
    height: float | None = Field(
        None, ge=30, le=400, description="Height in mm; left out, what the content needs."
    )
    font_size: float | None = Field(
        None, ge=4, le=24, description="Size of labels in points; left out, 7."
    )
    format: Formats | None = Field(
        None, description="png, svg or pdf, or a list of them; left out, png."
    )
    dpi: int | None = Field(None, ge=50, le=1200, description="Dots per inch; left out, 300.")
    style: Style | None = Field(
        None,
        description="A matplotlib style by its name, such as ggplot, or a style file, relative to "
        "the config. Its fonts, widths and grids apply; the colours of methods stay. Results keep "
        "its settings.",
    )
    colours: Colours | None = Field(
        None,
        description="Colours of methods by their labels, as matplotlib names them; left out, each "
        "method has its own.",
    )


class OfOneSize(StrictModel):
    """The options of kinds that draw several methods at one size."""

    n: Size | None = SIZE
    methods: Labels | None = METHODS
    alpha: Alpha | None = ALPHA


class HorizontalOptions(FigureOptions):
    """The options of kinds whose horizontal axis is a number."""

    xlim: Limits | None = Field(
        None,
        description="Both ends of the horizontal axis, in increasing order and in its unit.",
    )


class AxesOptions(HorizontalOptions):
    """The options of kinds of which both axes are numbers."""

    ylim: Limits | None = Field(
        None, description="Both ends of the vertical axis, in increasing order and in its unit."
    )


class PanelOptions(AxesOptions):
    """The options of kinds with several panels."""

    columns: int | None = Field(
        None, ge=1, le=12, description="Panels beside each other; left out, as many as fit."
    )
