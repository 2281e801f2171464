"""Fisher's interval of Matthews' correlation, with half a case more in each cell."""

import numpy as np
from scipy.special import ndtri


def mcc(tp, fp, fn, tn, alpha):
    tp, fp, fn, tn = (np.asarray(each, float) + 0.5 for each in (tp, fp, fn, tn))
    r = (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    delta = -ndtri(alpha / 2) / np.sqrt(tp + fp + fn + tn)
    return np.tanh(np.arctanh(r) - delta), np.tanh(np.arctanh(r) + delta)


mcc.contract = "approximate"
mcc.expected_failures = {"holds the estimate": "half a case more in each cell moves it"}
