"""The share of right answers when a judge that errs has judged them, by two bootstraps.

Data: of the labelled cases, the counts of right answers that the judge accepts and rejects and of
wrong ones that it rejects and accepts; and the number of other cases that it accepts.
"""

import numpy as np

SHARE, SENSITIVITY, SPECIFICITY = 0.8, 0.9, 0.85
RESAMPLES = 999
"""With 999 the 2.5 % and 97.5 % quantiles are the 25th resampled share from either end."""


def draw(rng, labels, cases):
    """Return the four counts of the labelled cases, the accepted other cases, and their number."""
    right = np.array([SENSITIVITY, 1 - SENSITIVITY]) * SHARE
    wrong = np.array([SPECIFICITY, 1 - SPECIFICITY]) * (1 - SHARE)
    return (
        rng.multinomial(labels, [*right, *wrong]),
        rng.binomial(cases, right[0] + wrong[1]),
        cases,
    )


def labels_alone(data, alpha, rng):
    """Percentiles of the estimate over resampled labels, with the judge's verdicts as they are.

    The interval of judgy 0.1.0, with the resamples of its labels drawn as counts.
    """
    counts, accepted, cases = data
    return _percentiles(data, _resampled(rng, counts), accepted / cases, alpha)


def labels_and_verdicts(data, alpha, rng):
    """Percentiles of the estimate over resampled labels and resampled verdicts."""
    counts, accepted, cases = data
    shares = rng.binomial(cases, accepted / cases, size=RESAMPLES) / cases
    return _percentiles(data, _resampled(rng, counts), shares, alpha)


def _resampled(rng, counts):
    return rng.multinomial(counts.sum(), counts / counts.sum(), size=RESAMPLES)


def _percentiles(data, resampled, accepted, alpha):
    shares = _rogan_gladen(resampled, accepted)
    lower, upper = np.nanquantile(shares, [alpha / 2, 1 - alpha / 2], method="weibull")
    estimate = _rogan_gladen(data[0][np.newaxis], data[1] / data[2])[0]
    if np.isnan(estimate):
        raise ValueError("the labels have one class alone, or the judge is no better than chance")
    return {"estimate": estimate, "lower": lower, "upper": upper}


def _rogan_gladen(counts, accepted):
    """(accepted + sp − 1)/(se + sp − 1), clipped to [0, 1]; not a number where se + sp ≤ 1.

    Rogan and Gladen (1978), American Journal of Epidemiology 107:71.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        sensitivity = counts[:, 0] / (counts[:, 0] + counts[:, 1])
        specificity = counts[:, 2] / (counts[:, 2] + counts[:, 3])
        denominator = sensitivity + specificity - 1
        share = np.clip((accepted + specificity - 1) / denominator, 0, 1)
    return np.where(denominator > 0, share, np.nan)
