"""The share that is right, from the shares among a judge's yes and no, with a normal interval."""

import numpy as np
from scipy.special import ndtri


def judged_share_with_labels(table, verdicts, alpha):
    table, verdicts = np.asarray(table, float), np.asarray(verdicts, float)
    right, labelled = table[..., :2], table[..., :2] + table[..., 2:]
    # Agresti and Coull's four cases more, of each verdict.
    shares = (right + 1) / (labelled + 2)
    errors = shares * (1 - shares) / (labelled + 2)
    a, b = shares[..., 0], shares[..., 1]
    total = table.sum(axis=-1) + verdicts.sum(axis=-1)
    q = (labelled + verdicts)[..., 0] / total
    estimate = q * a + (1 - q) * b
    variance = q**2 * errors[..., 0] + (1 - q) ** 2 * errors[..., 1]
    variance = variance + q * (1 - q) / total * (a - b) ** 2
    delta = -ndtri(alpha / 2) * np.sqrt(variance)
    return np.clip(estimate - delta, 0, 1), np.clip(estimate + delta, 0, 1)


judged_share_with_labels.contract = "conservative"
judged_share_with_labels.expected_failures = {
    "holds the estimate": "it lies about an estimate of its own",
}
