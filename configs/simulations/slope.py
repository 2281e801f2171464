"""A slope by least squares, with an interval that assumes one variance and with one that does not.

Data: y = slope · x + e with x normal and e normal of standard deviation 1 + spread · |x|.
"""

import numpy as np
from scipy.special import stdtr, stdtrit


def draw(rng, n, spread, slope):
    """Return x and y, each of shape (n,)."""
    x = rng.normal(size=n)
    return x, slope * x + rng.normal(size=n) * (1 + spread * np.abs(x))


def ols(data, alpha):
    """Least squares with one variance for all cases.

    b = Σ dᵢ yᵢ / S with dᵢ = xᵢ − x̄ and S = Σ dᵢ², se² = Σ eᵢ² / ((n − 2) S) with the residuals eᵢ,
    and b ± t se with n − 2 degrees of freedom. The coverage is exact where spread = 0.
    """
    x, y = data
    deviation, residual, estimate = _fit(x, y)
    square = deviation @ deviation
    se = np.sqrt(residual @ residual / (len(x) - 2) / square)
    return _answer(estimate, se, len(x) - 2, alpha)


def hc3(data, alpha):
    """Least squares with the standard error HC3.

    se² = Σ dᵢ² eᵢ² / (1 − hᵢ)² / S², where hᵢ = 1/n + dᵢ²/S is the leverage of case i; b and t are
    those of ``ols``.

    MacKinnon and White (1985), Journal of Econometrics 29:305, in the form that Long and Ervin
    (2000), The American Statistician 54:217, call HC3.
    """
    x, y = data
    deviation, residual, estimate = _fit(x, y)
    square = deviation @ deviation
    leverage = 1 / len(x) + deviation**2 / square
    se = np.sqrt(np.sum((deviation * residual / (1 - leverage)) ** 2)) / square
    return _answer(estimate, se, len(x) - 2, alpha)


def _fit(x, y):
    """The deviations of x from its mean, the residuals and the slope."""
    deviation = x - x.mean()
    slope = deviation @ y / (deviation @ deviation)
    return deviation, y - y.mean() - slope * deviation, slope


def _answer(estimate, se, df, alpha):
    """The limits, and the p-value of the test that the slope is 0, by Student's t."""
    half = -stdtrit(df, alpha / 2) * se
    return {
        "estimate": estimate,
        "se": se,
        "lower": estimate - half,
        "upper": estimate + half,
        "p_value": 2 * stdtr(df, -abs(estimate) / se),
        "df": df,
    }
