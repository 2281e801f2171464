"""Faults of intervals for a rate."""

from __future__ import annotations

from tests.checks.planted.fault import LEVEL, SoundMethod, table

GARWOOD = SoundMethod("garwood", "rate", "at-least")
RATE_SCORE = SoundMethod("rate_score", "rate", "nominal")

_ABOVE = "gammainccinv(x + 1, tail)"
_BELOW = "gammaincinv(np.maximum(x, 1), tail)"
_TAIL = "tail = alpha / 2"
_RETURN = "return lower / exposure, upper / exposure"
_DATA = "x, exposure = np.asarray(x, float), np.asarray(exposure, float)"

GARWOOD_FAULTS = table(
    GARWOOD,
    {
        "no x above 170": (_ABOVE, "gammainccinv(np.minimum(x, 170) + 1, tail)", r"x = \d{3,}"),
        "half the distance above for x > 170": (
            _ABOVE,
            "x + (gammainccinv(x + 1, tail) - x) * np.where(x > 170, 0.5, 1)",
            r"x = \d{3,}",
        ),
        "upper limit not divided by the exposure": (
            "upper / exposure",
            "upper",
            rf"exposure = |{LEVEL}|is ordered",
        ),
        "lower limit times the exposure": (
            "lower / exposure",
            "lower * exposure",
            rf"exposure = |{LEVEL}|is ordered",
        ),
        "no + 1 above": (_ABOVE, "gammainccinv(np.maximum(x, 0.5), tail)", rf"{LEVEL}|x = "),
        "alpha on both sides": (_TAIL, "tail = alpha", rf"{LEVEL}|factor of two"),
        "whole exposures": (
            "np.asarray(exposure, float)",
            "np.ceil(np.asarray(exposure, float))",
            rf"exposure = |{LEVEL}",
        ),
        "no exposure below 1": (
            "np.asarray(exposure, float)",
            "np.maximum(np.asarray(exposure, float), 1.0)",
            rf"exposure = |{LEVEL}",
        ),
        "alpha on both sides for exposures above 7": (
            _TAIL,
            "tail = alpha / np.where(exposure > 7, 1, 2)",
            r"exposure = ([89]|\d\d|1e|7\.)",
        ),
        "limits in single precision": (
            _RETURN,
            "return np.float32(lower / exposure), np.float32(upper / exposure)",
            r"precision",
        ),
        "half the upper limit at x = 50": (
            _ABOVE,
            "gammainccinv(x + 1, tail) * np.where(x == 50, 0.9, 1)",
            r"x = 50\b|the next x",
        ),
        "no alpha below 0.01": (_TAIL, "tail = max(alpha, 0.01) / 2", r"alpha = (0\.00\d+|1e-\d+)"),
        "x of the caller divided in place": (
            _RETURN,
            "x /= exposure; return lower / exposure, upper / exposure",
            r"leaves its arguments alone|takes every type",
        ),
        "no number for x > 100000": (
            _ABOVE,
            "np.where(x > 1e5, np.nan, gammainccinv(x + 1, tail))",
            r"is finite|x = \d{6,}",
        ),
        "limits sorted": (
            _RETURN,
            "return np.sort(lower / exposure, None).reshape(x.shape), np.sort(upper / exposure, "
            "None).reshape(x.shape)",
            r"any order|order of",
        ),
        "the upper quantile below": (
            _BELOW,
            "gammainccinv(np.maximum(x, 1), tail)",
            rf"holds the estimate|side|{LEVEL}",
        ),
        "scalar exposures only": (
            _DATA,
            "x, exposure = np.asarray(x, float), float(exposure)",
            r"exposure as|exposure is|array|takes every type",
        ),
    },
)

_Z = "-ndtri(alpha / 2)"

RATE_SCORE_FAULTS = table(
    RATE_SCORE,
    {
        "a bracket too short for large counts": (
            "x + 4 * z * sqrt(x) + 4 * z * z",
            "x + 100",
            r"x = \d{3,}",
        ),
        "twenty bisections": (
            "range(100)",
            "range(20)",
            rf"{LEVEL}|neighbours|x = \d{{3,}}|precision",
        ),
        "one-sided quantile": (_Z, "-ndtri(min(alpha, 0.499))", rf"{LEVEL}|factor of two"),
        "z for z²": ("z * z * middle", "z * middle", rf"{LEVEL}|alpha = "),
        "one event more at x = 13": (
            "x, exposure = float(x), float(exposure)",
            "x, exposure = float(x) + (x == 13), float(exposure)",
            r"x = 1[234]\b",
        ),
        "divided twice by the exposure": (
            "lower / exposure,",
            "lower / exposure / exposure,",
            rf"exposure = |{LEVEL}",
        ),
        "limits as text": (
            "return lower / exposure, upper / exposure",
            "return str(lower / exposure), str(upper / exposure)",
            r"text|str|answers every outcome",
        ),
        "alpha = 0.2 taken for 0.1": (
            _Z,
            "-ndtri((0.1 if alpha == 0.2 else alpha) / 2)",
            r"alpha = 0\.2\b",
        ),
        "alpha = 0.001 taken for 0.003": (
            _Z,
            "-ndtri((0.003 if alpha == 0.001 else alpha) / 2)",
            r"alpha = 0\.001\b",
        ),
        "floating-point counts refused": (
            "float(x), float(exposure)",
            "float(range(10**9)[x]), float(exposure)",
            r"float",
        ),
    },
)

FAULTS = (*GARWOOD_FAULTS, *RATE_SCORE_FAULTS)
