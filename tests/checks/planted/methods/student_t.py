"""Student's interval of the mean of repeated runs, of a list or of a row for each list."""

import numpy as np
from scipy.special import stdtrit


def student_t(values, alpha):
    values = np.asarray(values, float)
    k = values.shape[-1]
    mean, sd = values.mean(axis=-1), values.std(axis=-1, ddof=1)
    delta = -stdtrit(k - 1, alpha / 2) * sd / np.sqrt(k)
    return mean - delta, mean + delta


student_t.contract = "nominal"
student_t.expected_failures = {"has width": "of no width where all values are equal"}
