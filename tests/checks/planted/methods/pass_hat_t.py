"""Student's interval of pass^2 over tasks, with the unbiased value of each task."""

import numpy as np
from scipy.stats import t


def pass_hat_t(x, n, alpha):
    x, n = np.asarray(x, float), np.asarray(n, float)
    values = x * (x - 1) / (n * (n - 1))
    tasks = values.shape[-1]
    mean = values.mean(axis=-1)
    error = values.std(axis=-1, ddof=1) / np.sqrt(tasks)
    delta = t.isf(alpha / 2, tasks - 1) * error
    return np.clip(mean - delta, 0, 1), np.clip(mean + delta, 0, 1)


pass_hat_t.contract = "nominal"
pass_hat_t.expected_failures = {"has width": "of no width where all tasks have one value"}
