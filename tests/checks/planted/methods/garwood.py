"""Garwood's exact interval of a rate, by quantiles of the gamma distribution."""

import numpy as np
from scipy.special import gammainccinv, gammaincinv


def garwood(x, exposure, alpha):
    x, exposure = np.asarray(x, float), np.asarray(exposure, float)
    tail = alpha / 2
    lower = np.where(x > 0, gammaincinv(np.maximum(x, 1), tail), 0.0)
    upper = gammainccinv(x + 1, tail)
    return lower / exposure, upper / exposure


garwood.contract = "at-least"
