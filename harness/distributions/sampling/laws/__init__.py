"""The laws by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from harness.base.arguments import quoted, validate_choice
from harness.base.errors import InputError, did_you_mean
from harness.distributions.sampling.law import Law
from harness.distributions.sampling.laws.clusters import Clusters
from harness.distributions.sampling.laws.hypergeometric import Hypergeometric
from harness.distributions.sampling.laws.mixtures import BetaBinomial, GammaPoisson

LAWS: Mapping[str, type[Law]] = {
    law.name: law for law in (BetaBinomial, Clusters, Hypergeometric, GammaPoisson)
}
"""How the counts of one sample may arise beside the binomial and the Poisson law."""


OWN: Mapping[str, str] = {"proportion": "binomial", "rate": "poisson"}
"""The law that a model of one sample has of its own, by the name of the model."""


def sampling_law(model: str, sampling: str | Mapping[str, Any]) -> Law | None:
    """Return the law that a config or an argument ``sampling`` says; None for the model's own.

    >>> sampling_law("proportion", {"beta_binomial": {"rho": 0.1}}).title
    'beta-binomial, ρ = 0.1'
    >>> sampling_law("rate", "poisson") is None
    True

    Args:
        model: the model of one sample, "proportion" or "rate".
        sampling: the word for its own law, or the name of a law with its settings.

    Raises:
        InputError: it is neither, or a setting is wrong.
    """
    own, names = OWN[model], [name for name, law in LAWS.items() if law.model == model]
    if sampling == own:
        return None
    if isinstance(sampling, Mapping) and len(sampling) == 1:
        ((name, settings),) = sampling.items()
        if name in names and isinstance(settings, Mapping):
            return law_of(name, settings)
    example = ", ".join(f"{setting.name}: ..." for setting in LAWS[names[0]].settings)
    raise InputError(
        f"sampling should be {own}, or one of {', '.join(names)} with its settings, as in "
        f"{{{names[0]}: {{{example}}}}}, found {quoted(sampling)}"
    )


def law_of(name: str, settings: Mapping[str, Any]) -> Law:
    """Return the law with that name and these numbers.

    >>> law_of("clusters", {"size": 10, "rho": 0.1}).title
    'clusters of 10, ρ = 0.1'

    Args:
        name: one of ``LAWS``.
        settings: all of its settings, and no others.

    Raises:
        InputError: there is no such law, or a setting is missing, unknown or out of range.
    """
    law = LAWS[validate_choice("sampling", name, LAWS, ())]
    make: Callable[..., Law] = law
    names = [setting.name for setting in law.settings]
    for key in settings:
        if key not in names:
            raise InputError(
                f"the settings of {name} are {' and '.join(names)}, found {quoted(key)}"
                f"{did_you_mean(key, names)}"
            )
    for setting in law.settings:
        if setting.name not in settings:
            raise InputError(f"{name} needs {setting.name}, {setting.meaning}, {setting.range}")
    return make(*(setting.validate(name, settings[setting.name]) for setting in law.settings))
