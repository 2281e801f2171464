"""A normal mean with a normal prior, and draws of three posteriors of it."""


def draw(rng, n):
    mean = rng.normal()
    return {"data": rng.normal(mean, 1, n), "truth": mean}


def exact(data, alpha, rng):
    return {"draws": posterior(data, rng)}


def too_narrow(data, alpha, rng):
    draws = posterior(data, rng)
    return {"draws": draws.mean() + 0.8 * (draws - draws.mean())}


def without_prior(data, alpha, rng):
    return {"draws": rng.normal(data.mean(), len(data) ** -0.5, 199)}


def posterior(data, rng):
    precision = 1 + len(data)
    return rng.normal(data.sum() / precision, precision**-0.5, 199)
