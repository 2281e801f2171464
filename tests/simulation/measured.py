"""Methods and measures of studies with measures of their own, in a file that loads quickly."""

import os
import time

import numpy as np


def variance(data, alpha):
    return {"estimate": float(data.var(ddof=1))}


def positive(data, alpha):
    if data[0] < 0:
        raise ValueError("a first value below 0")
    return {"estimate": 1.0}


def mean_error(trials, alpha):
    return np.mean(trials["estimate"] - trials["truth"])


def median_bias(trials, alpha):
    return np.median(trials["estimate"]) - trials["truth"][0]


def covered(trials, alpha):
    inside = (trials["lower"] <= trials["truth"]) & (trials["truth"] <= trials["upper"])
    return inside.mean() - (1 - alpha)


def number_of_trials(trials, alpha):
    assert sorted(trials) == sorted(
        ["estimate", "se", "lower", "upper", "p_value", "df", "truth", "trial"]
    )
    return trials["trial"].size


def sorting(trials, alpha):
    trials["estimate"].sort()
    return trials["estimate"][trials["trial"] == trials["trial"].min()].mean()


def text(trials, alpha):
    return "large"


def nan(trials, alpha):
    return float("nan")


def raising(trials, alpha):
    raise KeyError("no such column")


def hanging(trials, alpha):
    time.sleep(60)


def leaving(trials, alpha):
    os._exit(3)


def of_one(trials):
    return 1.0
