"""The laws by name, with their settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from harness.base.arguments import quoted, validate_choice, validate_number, validate_whole
from harness.base.errors import InputError, did_you_mean
from harness.distributions.sampling.law import Law
from harness.distributions.sampling.laws.clusters import Clusters, ClusterSizes
from harness.distributions.sampling.laws.hypergeometric import Hypergeometric
from harness.distributions.sampling.laws.mixtures import BetaBinomial, GammaPoisson


@dataclass(frozen=True)
class Setting:
    """A number that a law has, and its range."""

    name: str
    least: float
    most: float
    meaning: str
    """What the number is, in words."""
    is_whole: bool = False
    is_open: bool = False
    """Whether ``most`` itself is left out."""

    @property
    def range(self) -> str:
        """What is allowed, in words."""
        if self.is_whole:
            return f"a whole number from {self.least:.0f} to {self.most:.0f}"
        end = "below" if self.is_open else "at most"
        return f"a number of at least {self.least:g} and {end} {self.most:g}"

    def validate(self, law: str, value: Any) -> float | int:
        """Return the number.

        Raises:
            InputError: it is none, or out of range.
        """
        name = f"{self.name} of {law}"
        if self.is_whole:
            validate_whole(name, value, int(self.least))
            if value <= self.most:
                return int(value)
        else:
            validate_number(name, value, self.range)
            number = float(value)
            if self.least <= number < self.most or (number == self.most and not self.is_open):
                return number
        raise InputError(f"{name} should be {self.range}, found {quoted(value)}")


@dataclass(frozen=True)
class SizeSetting(Setting):
    """A whole number, or the law of one."""

    MEAN: ClassVar = Setting("mean", 1.0, 1e6, "the mean size of a cluster")
    SHAPE: ClassVar = Setting("shape", 1e-3, 1e6, "the shape of the size less 1")
    LAWS: ClassVar = {"poisson": (MEAN,), "negative_binomial": (MEAN, SHAPE)}

    def validate(self, law: str, value: Any) -> Any:
        """Return the number, or the law of a list or of a mapping."""
        if isinstance(value, list) and value:
            listed = (super(SizeSetting, self).validate(law, size) for size in value)
            return ClusterSizes(tuple(map(int, listed)))
        if isinstance(value, Mapping) and len(value) == 1:
            ((name, content),) = value.items()
            numbers = {"mean": content} if name == "poisson" else content
            settings = self.LAWS.get(name, ())
            names = {setting.name for setting in settings}
            if isinstance(numbers, Mapping) and set(numbers) == names:
                valid = [setting.validate(name, numbers[setting.name]) for setting in settings]
                return ClusterSizes((), *map(float, valid))
        return super().validate(law, value)


@dataclass(frozen=True)
class LawKind:
    """A law without its numbers."""

    name: str
    model: str
    """The name of the model of one sample whose counts it describes: "proportion" or "rate"."""
    settings: tuple[Setting, ...]
    make: Callable[..., Law]
    """The law with the numbers, in the order of ``settings``."""
    summary: str
    """One line of what it is."""


RHO = Setting("rho", 0.0, 1.0, "the correlation of two trials", is_open=True)

LAWS: Mapping[str, LawKind] = {
    kind.name: kind
    for kind in (
        LawKind(
            BetaBinomial.name,
            "proportion",
            (RHO,),
            BetaBinomial,
            "all trials share one proportion, drawn from a Beta distribution",
        ),
        LawKind(
            Clusters.name,
            "proportion",
            (SizeSetting("size", 1, 10**9, "the number of trials of a cluster", True), RHO),
            Clusters,
            "trials come in clusters, each with a proportion drawn from a Beta distribution",
        ),
        LawKind(
            Hypergeometric.name,
            "proportion",
            (Setting("population", 1, 10**15, "the size of the population", is_whole=True),),
            Hypergeometric,
            "trials are drawn without replacement from a finite population",
        ),
        LawKind(
            GammaPoisson.name,
            "rate",
            (Setting("dispersion", 1.0, 1e6, "the variance over the mean"),),
            GammaPoisson,
            "the mean of the Poisson count is drawn from a gamma distribution",
        ),
    )
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
    own, names = OWN[model], [name for name, kind in LAWS.items() if kind.model == model]
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
    kind = LAWS[validate_choice("sampling", name, LAWS, ())]
    names = [setting.name for setting in kind.settings]
    for key in settings:
        if key not in names:
            raise InputError(
                f"the settings of {name} are {' and '.join(names)}, found {quoted(key)}"
                f"{did_you_mean(key, names)}"
            )
    for setting in kind.settings:
        if setting.name not in settings:
            raise InputError(f"{name} needs {setting.name}, {setting.meaning}, {setting.range}")
    return kind.make(*(setting.validate(name, settings[setting.name]) for setting in kind.settings))
