"""Sound methods as they are written elsewhere, each with the contract that it should pass."""

from dataclasses import dataclass

from tests.checks.planted.fault import METHODS, SoundMethod
from tests.checks.planted.faults import FAULTS

AT_LEAST, NOMINAL, CONSERVATIVE, APPROXIMATE, NONE = (
    "at-least",
    "nominal",
    "conservative",
    "approximate",
    "none",
)

_FILE = METHODS.parent / "textbook.py"


@dataclass(frozen=True)
class Sound:
    """A sound method by the name that a check takes."""

    method: str
    family: str
    contract: str
    planted_in: SoundMethod | None = None
    """The method of the corpus of faults that it is."""
    grid: str | None = None
    """The only sizes and alphas at which it exists, or is asked for where a call takes long."""


def _textbook(name: str, contract: str, family: str = "proportion") -> Sound:
    return Sound(f"{_FILE}:{name}", family, contract)


def _planted_in() -> tuple[Sound, ...]:
    """The sound methods in which faults are planted."""
    methods: dict[str, SoundMethod] = {fault.method.name: fault.method for fault in FAULTS}
    return tuple(
        Sound(f"{METHODS / name}.py:{name}", method.family, method.contract, method)
        for name, method in methods.items()
    )


SOUND: tuple[Sound, ...] = (
    _textbook("clopper_pearson", AT_LEAST),
    _textbook("clopper_pearson_scalar", AT_LEAST),
    _textbook("jeffreys", NOMINAL),
    _textbook("jeffreys_with_ends", NOMINAL),
    _textbook("mid_p", APPROXIMATE),
    _textbook("wilson", NOMINAL),
    _textbook("wilson_cc", CONSERVATIVE),
    _textbook("likelihood_ratio", APPROXIMATE),
    _textbook("arcsine", APPROXIMATE),
    _textbook("logit", APPROXIMATE),
    _textbook("agresti_coull", APPROXIMATE),
    _textbook("add_four", APPROXIMATE),
    _textbook("garwood", AT_LEAST, "rate"),
    _textbook("rate_jeffreys", APPROXIMATE, "rate"),
    _textbook("byar", APPROXIMATE, "rate"),
    _textbook("agresti_caffo", APPROXIMATE, "proportion_difference"),
    _textbook("woolf_half", CONSERVATIVE, "odds_ratio"),
    _textbook("bonett_price", APPROXIMATE, "paired_difference"),
    Sound("scipy:exact", "proportion", AT_LEAST),
    Sound("scipy:wilson", "proportion", NOMINAL),
    Sound("scipy:wilsoncc", "proportion", CONSERVATIVE),
    Sound("astropy:flat", "proportion", NOMINAL),
    Sound("astropy:wilson", "proportion", NOMINAL),
    Sound("astropy:jeffreys", "proportion", NOMINAL),
    Sound("astropy:pearson", "rate", NONE, grid="alpha=0.3173"),  # and no contract there
    Sound("astropy:frequentist_confidence", "rate", AT_LEAST),
    Sound("statsmodels:beta", "proportion", AT_LEAST),
    Sound("statsmodels:wilson", "proportion", NOMINAL),
    Sound("statsmodels:jeffreys", "proportion", NOMINAL),
    Sound("statsmodels:agresti_coull", "proportion", APPROXIMATE),
    Sound("statsmodels:binom_test", "proportion", AT_LEAST, grid="n=10,20;alpha=0.05"),
    Sound("statsmodels:exact_c", "rate", AT_LEAST),
    Sound("statsmodels:score", "rate", NOMINAL),
    Sound("statsmodels:jeffreys", "rate", APPROXIMATE),
    *(
        Sound(name, "proportion", contract)
        for name, contract in {
            "wilson": NOMINAL,
            "clopper_pearson": AT_LEAST,
            "mid_p": APPROXIMATE,
            "jeffreys": NOMINAL,
            "blaker": AT_LEAST,
            "sterne": AT_LEAST,
            "minimal_length": NOMINAL,
            "balanced_tail": NOMINAL,
            "likelihood_ratio": APPROXIMATE,
            "scas": APPROXIMATE,
            "arcsine": APPROXIMATE,
            "logit": APPROXIMATE,
            "probit": APPROXIMATE,
        }.items()
    ),
    *(Sound(name, "rate", AT_LEAST) for name in ("garwood", "blaker", "sterne")),
    *(Sound(name, "rate", APPROXIMATE) for name in ("score", "mid_p", "jeffreys", "sqrt", "byar")),
    *(
        Sound(name, "proportion_difference", APPROXIMATE)
        for name in ("newcombe", "agresti_caffo", "mee", "miettinen_nurminen")
    ),
    *(Sound(name, "rate_difference", APPROXIMATE) for name in ("score", "mover_score")),
    Sound("mover_jeffreys", "rate_difference", NONE),  # a mean of 0.069 of 0.05 at exposures of 1
    *(Sound(name, "risk_ratio", APPROXIMATE) for name in ("koopman", "mover_wilson")),
    *(Sound(name, "odds_ratio", APPROXIMATE) for name in ("mid_p", "mover_wilson")),
    Sound("cornfield", "odds_ratio", AT_LEAST),
    Sound("score", "rate_ratio", APPROXIMATE),
    Sound("mid_p", "rate_ratio", CONSERVATIVE),
    Sound("exact_conditional", "rate_ratio", AT_LEAST),
    *(Sound(name, "paired_difference", APPROXIMATE) for name in ("newcombe", "tango")),
    Sound("tang", "paired_ratio", CONSERVATIVE),
    Sound("student_t", "mean", NOMINAL),
    *_planted_in(),
)
