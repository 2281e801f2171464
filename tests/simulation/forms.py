"""Models that draw truths, and methods with several estimands, sets and draws."""

import os
import time

import numpy as np

LABELS = np.array(["cat", "dog", "owl"])
NORMAL = np.random.default_rng(7).normal(size=99)
Z = 1.959963984540054


def normal_mean(rng, n):
    """A mean that is drawn from N(0, 1), and n values around it."""
    mean = rng.normal()
    return {"data": mean + rng.normal(size=n), "truth": mean}


def normal_means(rng, trials, n):
    mean = rng.normal(size=trials)
    return {"data": mean[:, None] + rng.normal(size=(trials, n)), "truth": mean}


def mean_or_nan(rng, n):
    found = normal_mean(rng, n)
    return {**found, "truth": np.nan} if found["truth"] > 1 else found


def two_means(rng, n, second):
    """A first mean that is drawn, and a second one that is a factor."""
    first = rng.normal()
    data = np.array([[first], [second]]) + rng.normal(size=(2, n))
    return {"data": data, "truth": {"first": first}}


def label(rng, n):
    place = rng.integers(3)
    return {"data": place + rng.normal(size=n), "truth": LABELS[place]}


def labels(rng, trials, n):
    place = rng.integers(3, size=trials)
    return {"data": place[:, None] + rng.normal(size=(trials, n)), "truth": LABELS[place]}


def _posterior(data):
    variance = 1 / (data.shape[-1] + 1)
    return variance * data.sum(axis=-1), variance**0.5


def conjugate(data, alpha):
    mean, se = _posterior(data)
    return {"estimate": mean, "se": mean * 0 + se}


def narrow(data, alpha):
    mean, se = _posterior(data)
    return {"estimate": mean, "se": mean * 0 + 0.7 * se}


def drawing(data, alpha, rng):
    mean, se = _posterior(data)
    return {"draws": rng.normal(np.asarray(mean)[..., None], se, (*np.shape(mean), 20))}


def quantiles(data, alpha):
    """Draws that do not differ between runs, with limits of its own."""
    mean, se = _posterior(data)
    draws = np.asarray(mean)[..., None] + se * NORMAL
    return {"draws": draws, "lower": mean - Z * se, "upper": mean + Z * se}


def both(data, alpha):
    means, se = data.mean(axis=1), data.shape[1] ** -0.5
    return {"estimates": {n: {"estimate": m, "se": se} for n, m in zip(NAMES, means, strict=True)}}


def both_or_none(data, alpha):
    found = both(data, alpha)
    if data[0, 0] > 2:
        found["estimates"]["second"] = (1.0, 0.0)
    return found


NAMES = ("first", "second")


def near(data, alpha):
    """The labels near the mean of a trial, or of each trial of a batch."""
    means = np.atleast_1d(data.mean(axis=-1))
    found = [LABELS[abs(mean - np.arange(3)) < 1].tolist() for mean in means]
    return {"set": found if data.ndim > 1 else found[0]}


def raising(data, alpha):
    if data.flat[0] > 2:
        raise ValueError("a large first value")
    return conjugate(data, alpha)


def leaving(data, alpha):
    if data.flat[0] > 2:
        os._exit(7)
    return conjugate(data, alpha)


def median_error(trials, alpha):
    return np.median(trials["estimate"] - trials["truth"])


# Functions that do something wrong in some calls.


def raises(found):
    raise ValueError("a large first value")


def hangs(found):
    time.sleep(60)


def reshapes(found):
    """Numbers of another shape; in place of a set a number."""
    if isinstance(found, dict) and found.keys() != {"set"}:
        return {name: reshapes(value) for name, value in found.items()}
    return {"set": 7} if isinstance(found, dict) else np.zeros((2, 3, 4))


def loses(found):
    """NaN in place of numbers; in place of a set nothing."""
    if isinstance(found, dict):
        return {name: loses(value) for name, value in found.items()}
    return None if isinstance(found, list) else np.asarray(found) * np.nan


def loses_truths(found):
    """Truths that are not finite; nothing in place of labels."""
    truth = found["truth"]
    if isinstance(truth, dict):
        return {**found, "truth": dict.fromkeys(truth, np.nan)}
    return {**found, "truth": None if np.asarray(truth).dtype.kind == "U" else truth * np.nan}


def reshapes_truths(found):
    truth, wrong = found["truth"], np.zeros((2, 3, 4))
    return {**found, "truth": dict.fromkeys(truth, wrong) if isinstance(truth, dict) else wrong}


def _faulty_method(method, fault):
    def function(data, alpha):
        found = method(data, alpha)
        return fault(found) if data.flat[0] > 1 else found

    return function


def _faulty_model(model, fault):
    def function(rng, *trials, **factors):
        found = model(rng, *trials, **factors)
        return fault(found) if found["data"].flat[0] > 1 else found

    return function


METHOD_FAULTS = (raises, hangs, reshapes, loses)
MODEL_FAULTS = (raises, hangs, reshapes_truths, loses_truths)
for _method in (conjugate, narrow, both, near, quantiles):
    for _fault in METHOD_FAULTS:
        globals()[f"{_method.__name__}_{_fault.__name__}"] = _faulty_method(_method, _fault)
for _model in (normal_mean, normal_means, two_means, label, labels):
    for _fault in MODEL_FAULTS:
        globals()[f"{_model.__name__}_{_fault.__name__}"] = _faulty_model(_model, _fault)
