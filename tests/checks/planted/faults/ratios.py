"""Faults of intervals for ratios of two samples."""

from __future__ import annotations

from tests.checks.planted.fault import LEVEL, SoundMethod, table

RISK_RATIO = SoundMethod("risk_ratio", "risk_ratio", "nominal")
ODDS_RATIO = SoundMethod("odds_ratio", "odds_ratio", "conservative")
RATE_RATIO = SoundMethod("rate_ratio", "rate_ratio", "at-least")

_Z = "-ndtri(alpha / 2)"
_ALPHA = rf"alpha|{LEVEL}"
_BEYOND_20 = r"n[12] = (2[1-9]|[3-9]\d|\d{3,})\b"
_EACH = "(np.asarray(each, float) for each in (x1, n1, x2, n2))"

RISK_RATIO_FAULTS = table(
    RISK_RATIO,
    {
        "alpha ignored": (_Z, "1.959963984540054", _ALPHA),
        "half the width where an n exceeds 20": (
            _Z,
            "-ndtri(alpha / 2) * np.where(np.maximum(n1, n2) > 20, 0.5, 1)",
            _BEYOND_20,
        ),
        "no inverse above": (
            "1 / below(p2, l2, p1, u1)",
            "below(p2, l2, p1, u1)",
            r"is ordered|is monotone|holds the estimate",
        ),
        "an upper limit at x2 = 0": (
            ", np.inf)",
            ", 10.0)",
            rf"{LEVEL}|x2 = 0\b|is monotone|mirrors",
        ),
        "the second sample's lower limit below": (
            "below(p1, l1, p2, u2), 0.0",
            "below(p1, l1, p2, l2), 0.0",
            rf"mirrors|{LEVEL}|is finite|x2 = ",
        ),
        "the quotient of opposite limits": (
            "below(p1, l1, p2, u2), 0.0",
            "l1 / u2, 0.0",
            rf"mirrors|{LEVEL}",
        ),
        "n2 taken for n1": (
            "wilson(x1, n1, z)",
            "wilson(x1, n2, z)",
            r"n[12] = |holds the estimate",
        ),
        "counts as 32-bit integers": (
            _EACH,
            "(np.asarray(each, np.int32) for each in (x1, n1, x2, n2))",
            r"int32|\b1000000?\b|e\+06",
        ),
        "one-sided quantile": (_Z, "-ndtri(min(alpha, 0.499))", rf"{LEVEL}|factor of two"),
        "alpha = 0.001 taken for 0.003": (
            _Z,
            "-ndtri((0.003 if alpha == 0.001 else alpha) / 2)",
            r"alpha = 0\.001\b",
        ),
    },
)

ODDS_RATIO_FAULTS = table(
    ODDS_RATIO,
    {
        "alpha ignored": (_Z, "1.959963984540054", _ALPHA),
        "half the width where an n exceeds 20": (
            _Z,
            "-ndtri(alpha / 2) * np.where(np.maximum(n1, n2) > 20, 0.5, 1)",
            _BEYOND_20,
        ),
        "a product for a quotient": (
            "- np.log(c) + np.log(d)",
            "+ np.log(c) - np.log(d)",
            rf"holds the estimate|is monotone|{LEVEL}|mirrors",
        ),
        "a cell left out of the variance": (" + 1 / d)", ")", rf"mirrors|{LEVEL}|d ="),
        "half a count left out": ("n2 - x2 + 0.5", "n2 - x2 + 1e-9", rf"x2 = |{LEVEL}|mirrors"),
        "the risk in place of the odds": ("n1 - x1 + 0.5", "n1 + 0.5", rf"{LEVEL}|mirrors|holds"),
        "no root of the variance": ("np.sqrt(1 / a", "(1 / a", rf"{LEVEL}|has width"),
        "a difference of logarithms": (
            "return np.exp(centre - delta)",
            "return (centre - delta)",
            r"stays in range",
        ),
        "one-sided quantile": (_Z, "-ndtri(min(alpha, 0.499))", rf"{LEVEL}|factor of two"),
        "limits sorted": (
            "return np.exp(centre - delta), np.exp(centre + delta)",
            "return np.sort(np.exp(centre - delta), None).reshape(a.shape), np.exp(centre + delta)",
            r"any order|order of|arrays equal scalars|mirrors",
        ),
    },
)

_TAIL = "tail = alpha / 2"

RATE_RATIO_FAULTS = table(
    RATE_RATIO,
    {
        "alpha ignored": (_TAIL, "tail = 0.025", _ALPHA),
        "alpha on both sides": (_TAIL, "tail = alpha", rf"{LEVEL}|factor of two"),
        "exposures the wrong way round": (
            "exposure2 / exposure1",
            "exposure1 / exposure2",
            r"exposure|holds the estimate",
        ),
        "no + 1 below": ("x2 + 1, tail)", "np.maximum(x2, 0.1), tail)", rf"{LEVEL}|mirrors"),
        "always from 0 to infinity": (
            "return lower, upper",
            "return 0 * lower, upper + np.inf",
            r"shrink|length|infinite|end of the range",
        ),
        "an upper limit at x2 = 0": (", np.inf)", ", 100.0)", rf"{LEVEL}|x2 = 0\b|mirrors"),
        "no x1 above 170": (
            "np.maximum(x1, 1)",
            "np.clip(x1, 1, 170)",
            r"(x|exposure)1 = \d{3,}|mirrors",
        ),
        "no alpha below 0.01": (_TAIL, "tail = max(alpha, 0.01) / 2", r"alpha = (0\.00\d+|1e-\d+)"),
    },
)

FAULTS = (*RISK_RATIO_FAULTS, *ODDS_RATIO_FAULTS, *RATE_RATIO_FAULTS)
