"""The label of the next case by the probabilities of a classifier: sets of labels."""

import numpy as np

LABELS = np.array(["cat", "dog", "fox"])


def draw(rng, n, sharpness):
    label = rng.integers(3, size=n + 1)
    logits = sharpness * np.eye(3)[label] + rng.normal(size=(n + 1, 3))
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return {"data": (shares[:-1], label[:-1], shares[-1]), "truth": str(LABELS[label[-1]])}


def conformal(data, alpha):
    shares, label, new = data
    rank = int(np.floor((len(label) + 1) * alpha))
    least = np.sort(shares[np.arange(len(label)), label])[rank - 1] if rank else 0.0
    return {"set": [*LABELS[new >= least]]}


def most_likely(data, alpha):
    new = data[2]
    order = np.argsort(-new)
    count = np.searchsorted(np.cumsum(new[order]), 1 - alpha) + 1
    return {"set": [*LABELS[order[:count]]]}
