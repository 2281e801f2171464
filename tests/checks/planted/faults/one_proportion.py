"""Faults of intervals for a proportion."""

from __future__ import annotations

from tests.checks.planted.fault import LEVEL, SoundMethod, table

WILSON = SoundMethod("wilson", "proportion", "nominal")
CLOPPER_PEARSON = SoundMethod("clopper_pearson", "proportion", "at-least")
JEFFREYS = SoundMethod("jeffreys", "proportion", "nominal")
MID_P = SoundMethod("mid_p", "proportion", "approximate")
UPPER_BOUND = SoundMethod("upper_bound", "proportion", "at-least")

_Z = "-ndtri(alpha / 2)"
_X = "np.asarray(x, float)"
_N = "np.asarray(n, float)"
_BOTH = "x, n = np.asarray(x, float), np.asarray(n, float)"
_DELTA = "delta = z * np.sqrt("
_RETURN = "return np.clip(lower, 0, 1), np.clip(upper, 0, 1)"
_ABOVE_1000 = r"n = ([2-9]\d{3}|1[1-9]\d\d|10[1-9]\d|100[1-9]|\d{5,}|1e\+0?6)\b"

WILSON_FAULTS = table(
    WILSON,
    {
        "limits swapped at n = 40": (
            _RETURN,
            "return (np.clip(lower, 0, 1), np.clip(upper, 0, 1))[:: -1 if n == 40 else 1]",
            r"n = 40\b",
        ),
        "one-sided quantile at n = 37": (_Z, "-ndtri(alpha / (1 if n == 37 else 2))", r"n = 37\b"),
        "half the width for n in 31 ... 49": (
            _DELTA,
            "delta = np.where((n > 30) & (n < 50), 0.5, 1) * z * np.sqrt(",
            r"n = (3[1-9]|4\d)\b",
        ),
        "half the width for n in 171 ... 199": (
            _DELTA,
            "delta = np.where((n > 170) & (n < 200), 0.5, 1) * z * np.sqrt(",
            r"n = 1(7[1-9]|[89]\d)\b",
        ),
        "half the width for n > 1000": (
            _DELTA,
            "delta = np.where(n > 1000, 0.5, 1) * z * np.sqrt(",
            _ABOVE_1000,
        ),
        "counts as 32-bit integers": (
            _BOTH,
            "x, n = np.asarray(x, np.int32), np.asarray(n, np.int32)",
            r"int32|n = 1000000\b|1e\+06",
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
        "no alpha below 0.01": (
            _Z,
            "-ndtri(max(alpha, 0.01) / 2)",
            r"alpha = (0\.00\d+|1e-\d+)",
        ),
        "x of the caller divided in place": (
            _RETURN,
            "x /= n; " + _RETURN,
            r"leaves its arguments alone|takes every type",
        ),
        "32-bit x refused": (
            _X,
            "np.asarray(x, float if np.asarray(x).dtype != np.int32 else set)",
            r"int32",
        ),
        "floating-point x refused": (
            _X,
            'np.asarray(x).astype(np.int64, casting="safe")',
            r"float",
        ),
        "scalars of NumPy counted once more": (
            _X,
            "np.asarray(x + isinstance(x, np.generic), float)",
            r"int64|float64|numpy|NumPy|takes every type",
        ),
        "lists read backwards": (
            _X,
            "np.asarray(x[::-1] if isinstance(x, list) else x, float)",
            r"list",
        ),
        "read-only x refused": (
            _BOTH,
            _BOTH + "; x += 0",
            r"read-only|takes every type",
        ),
        "only the first of several n": (
            _N,
            "np.asarray(n, float).flat[0]",
            r"n as|n is|array|takes every type",
        ),
        "complex limits": (
            _RETURN,
            "return np.clip(lower, 0, 1) + 0j, np.clip(upper, 0, 1) + 0j",
            r"complex",
        ),
        "limits as text": (
            _RETURN,
            "return np.clip(lower, 0, 1).astype(str), np.clip(upper, 0, 1).astype(str)",
            r"text|str",
        ),
        "limits sorted": (
            _RETURN,
            "return np.sort(np.clip(lower, 0, 1), None).reshape(x.shape), np.sort(upper, None)"
            ".reshape(x.shape)",
            r"any order|order of",
        ),
        "one-sided quantile": (_Z, "-ndtri(min(alpha, 0.499))", rf"{LEVEL}|factor of two"),
        "too high a lower limit at x = 0": (
            _RETURN,
            "return np.clip(lower + 0.02 * (x == 0), 0, 1), np.clip(upper, 0, 1)",
            r"x = 0\b|holds the estimate|mirrors",
        ),
        "off by one in x": (_X, "np.minimum(np.asarray(x, float) + 1, n)", rf"mirrors|{LEVEL}"),
        "alpha used as coverage": (_Z, "-ndtri((1 - alpha) / 2)", r"nested in alpha"),
        "limits in single precision": (
            _RETURN,
            "return np.float32(np.clip(lower, 0, 1)), np.float32(np.clip(upper, 0, 1))",
            r"precision",
        ),
        "seeds NumPy's global state": (_BOTH, _BOTH + "; np.random.seed(1)", r"random state"),
        "no number at x = 3, n = 10": (
            _RETURN,
            "return np.where((x == 3) & (n == 10), np.nan, np.clip(lower, 0, 1)), upper",
            r"x = 3, n = 10|is finite",
        ),
        "the whole range for some alpha": (
            _RETURN,
            "return lower * (not 0.05 < alpha < 0.8), upper ** (not 0.05 < alpha < 0.8)",
            r"nested in alpha|alpha = 0\.\d",
        ),
        "no z²/4 under the root": (" + z * z / 4", "", rf"{LEVEL}|has width|holds the estimate"),
        "failures for successes": (
            _X,
            "np.asarray(n - x, float)",
            r"rises with x|holds the estimate",
        ),
        "z = 1.96 at any alpha": (_Z, "1.959963984540054", rf"{LEVEL}|alpha = "),
        "the first quantile is kept": (
            _Z,
            'wilson.__dict__.setdefault("z", -ndtri(alpha / 2))',
            rf"order of|calls|twice|{LEVEL}",
        ),
        "limits of three digits": (
            _RETURN,
            "return np.round(np.clip(lower, 0, 1), 3), np.round(np.clip(upper, 0, 1), 3)",
            rf"{LEVEL}|neighbours agree|has width|precision|decimals|digits",
        ),
        "limits side by side in a row": (
            _RETURN,
            "return np.stack([np.clip(lower, 0, 1), np.clip(upper, 0, 1)], -1)",
            r"shape",
        ),
    },
)

_TAIL = "tail = alpha / 2"
_BELOW = "beta.ppf(tail, np.maximum(x, 1), n - x + 1)"

CLOPPER_PEARSON_FAULTS = table(
    CLOPPER_PEARSON,
    {
        "always [0, 1]": (
            "return lower, upper",
            "return 0 * lower, 0 * upper + 1",
            r"shrink|length|\[0, 1\]|whole range",
        ),
        "[0, 1] for n > 300": (
            "return lower, upper",
            "return np.where(n > 300, 0, lower), np.where(n > 300, 1, upper)",
            r"shrink|n = (3[0-9]\d|[4-9]\d\d|\d{4,})\b",
        ),
        "no + 1 in the lower limit": (
            _BELOW,
            "beta.ppf(tail, np.maximum(x, 1), n - x)",
            rf"{LEVEL}|is finite|mirrors",
        ),
        "no + 1 in the upper limit": ("x + 1, np.maximum", "x, np.maximum", rf"{LEVEL}|is finite"),
        "alpha on both sides": (_TAIL, "tail = alpha", rf"{LEVEL}|factor of two"),
        "a lower limit too high at x = 3, n = 40": (
            "    return lower",
            "    return lower * np.where((x == 3) & (n == 40), 2, 1)",
            r"x = 3, n = 40",
        ),
        "half a count too few for n > 500": (
            _BELOW,
            "beta.ppf(tail, np.maximum(x, 1), n - x + np.where(n > 500, 0.2, 1))",
            r"n = ([5-9]\d\d|\d{4,})\b|mirrors",
        ),
        "an upper limit below 1 at x = n": (
            "x < n",
            "x <= n",
            rf"{LEVEL}|mirrors|holds the estimate",
        ),
        "the rule of three at x = 0": (
            "    return lower, upper",
            "    return lower, np.where(x == 0, np.minimum(3 / n, 1), upper)",
            r"x = 0\b|nested in alpha|mirrors",
        ),
        "alpha on both sides for odd n": (_TAIL, "tail = alpha / (2 - n % 2)", r"n = \d*[13579]\b"),
        "a table of three tails": (
            _TAIL,
            "tail = {0.01: 0.005, 0.05: 0.025, 0.1: 0.05}.get(alpha, 0.025)",
            r"alpha = |nested in alpha",
        ),
        "tails of three digits": (_TAIL, "tail = round(alpha / 2, 3)", r"alpha = |nested in alpha"),
        "an upper tail of 0.025 at any alpha": (
            "beta.isf(tail",
            "beta.isf(0.025",
            r"alpha|mirrors",
        ),
        "no upper limit above 1 - 0.1/n": (
            "    return lower, upper",
            "    return lower, np.minimum(upper, 1 - 0.1 / n)",
            rf"{LEVEL}|mirrors|holds the estimate",
        ),
    },
)

JEFFREYS_FAULTS = table(
    JEFFREYS,
    {
        "alpha for alpha / 2 below": (
            "betaincinv(x + 0.5, n - x + 0.5, alpha / 2)",
            "betaincinv(x + 0.5, n - x + 0.5, alpha)",
            rf"mirrors|{LEVEL}",
        ),
        "1 above at x = 0": ("x == n", "(x == n) | (x == 0)", r"x = 0\b|mirrors|rises with x"),
        "failures and successes swapped below": (
            "betaincinv(x + 0.5, n - x + 0.5",
            "betaincinv(n - x + 0.5, x + 0.5",
            r"is ordered|rises with x",
        ),
        "a distance from 1 taken for a limit": (
            "1.0 - above",
            "above",
            r"is ordered|rises with x|holds the estimate",
        ),
        "no lower limit at n = 83": ("x == 0", "(x == 0) | (n == 83)", r"n = 83\b"),
        "two successes and two failures more": (
            "x, n = np.asarray(x, float), np.asarray(n, float)",
            "x, n = np.asarray(x, float) + 2, np.asarray(n, float) + 4",
            rf"{LEVEL}|holds the estimate",
        ),
        "no n above 2000": (
            "np.asarray(n, float)",
            "np.minimum(np.asarray(n, float), 2000)",
            r"n = ([2-9]\d{3}|\d{5,})\b|e\+06",
        ),
        "x in half precision": (
            "np.asarray(x, float)",
            "np.asarray(x, np.float16).astype(float)",
            r"n = \d{4,}\b|e\+06",
        ),
        "alpha = 0.3173 taken for 0.05": (
            "betaincinv(x + 0.5, n - x + 0.5, alpha / 2)",
            "betaincinv(x + 0.5, n - x + 0.5, (0.05 if alpha == 0.3173 else alpha) / 2)",
            r"alpha = 0\.3173",
        ),
    },
)

MID_P_FAULTS = table(
    MID_P,
    {
        "a product that overflows": (
            "np.sum(np.log(np.arange(n - x + 1, n + 1) / np.arange(1, x + 1)))",
            "np.log(np.prod(np.arange(n - x + 1, n + 1) / np.arange(1, x + 1)))",
            r"n = \d{4,}\b|e\+06",
        ),
        "fifteen bisections": (
            "range(60)",
            "range(15)",
            rf"{LEVEL}|neighbours agree|has width|precision|n = \d{{4,}}\b",
        ),
        "a bracket that ends at 0.9": ("high = 0.0, 1.0", "high = 0.0, 0.9", rf"{LEVEL}|n = \d+"),
        "twice the tail": ("above < tail", "above < 2 * tail", rf"{LEVEL}|factor of two"),
        "a tail kept from the first alpha": (
            "tail = alpha / 2",
            "tail = mid_p.__dict__.setdefault((x, n), alpha / 2)",
            rf"order of|calls|twice|{LEVEL}|nested in alpha",
        ),
        "a lower limit of 0 at x = 1 and 2": (
            "x == 0",
            "x <= 2",
            rf"x = [12]\b|{LEVEL}|neighbours",
        ),
        "no limits at x = n": (
            "x, n = int(x), int(n)",
            "x, n = int(x), int(n) + 0 // (n - x)",
            r"x = (\d+), n = \1\b",
        ),
    },
)

UPPER_BOUND_FAULTS = table(
    UPPER_BOUND,
    {
        "alpha / 2 for a one-sided bound": (
            "x + 1, alpha)",
            "x + 1, alpha / 2)",
            rf"{LEVEL}|factor",
        ),
        "twice alpha": ("x + 1, alpha)", "x + 1, min(2 * alpha, 0.99))", rf"{LEVEL}|factor"),
        "the lower limit in its place": (
            "return np.zeros_like(upper), upper",
            "return upper, np.ones_like(upper)",
            r"reaches the end|side",
        ),
        "no + 1": ("x + 1, alpha)", "np.maximum(x, 0.1), alpha)", rf"{LEVEL}"),
        "1 for n in 60 ... 90": (
            "x < n",
            "(x < n) & ((n < 60) | (n > 90))",
            r"shrink|n = (6\d|[78]\d|90)\b",
        ),
    },
)

FAULTS = (
    *WILSON_FAULTS,
    *CLOPPER_PEARSON_FAULTS,
    *JEFFREYS_FAULTS,
    *MID_P_FAULTS,
    *UPPER_BOUND_FAULTS,
)
