"""How the outcomes of one sample arise: the key ``sampling`` of a config."""

from __future__ import annotations

from functools import cache, partial
from typing import Annotated, Any, Literal, Union

from pydantic import AfterValidator, BaseModel, Field, Tag, create_model

from harness.base.models import StrictModel
from harness.config.messages import tag
from harness.config.models.constraints import by_key, by_shape, exactly_one, expecting, not_here
from harness.distributions.sampling.law import Law
from harness.distributions.sampling.laws.catalogue import LAWS, OWN, LawKind, Setting, sampling_law
from harness.families.family import Family


def own_sampling(family: Family) -> str | None:
    """The word for the family's own law; None where it has no other one."""
    return OWN.get(family.model.NAME) if family.has_single_count else None


def sampling_type(family: Family) -> Any:
    """The type of the sampling of a family, which yields a law, or None for the family's own."""
    own = own_sampling(family)
    assert own is not None
    return _type_of(own, family.model.NAME)


def sampling_words(family: Family) -> str:
    """What a config may write, in words."""
    kinds = [kind for kind in LAWS.values() if kind.model == family.model.NAME]
    *others, last = (f"{{{kind.name}: {{{_settings(kind)}}}}}" for kind in kinds)
    return f"{', '.join([str(own_sampling(family)), *others])} or {last}"


def _settings(kind: LawKind) -> str:
    return ", ".join(setting.name for setting in kind.settings)


@cache
def _type_of(own: str, model: str) -> Any:
    kinds = {name: kind for name, kind in LAWS.items() if kind.model == model}
    elsewhere = {name: f"a {kind.model}" for name, kind in LAWS.items() if kind.model != model}
    laws: Any = Union[  # noqa: UP007
        tuple(Annotated[_entry(kind), Tag(tag(kind.name))] for kind in kinds.values())
    ]
    keys = tuple(kinds)
    mapping: Any = Annotated[
        laws, by_key(keys), exactly_one(keys, not_here(keys, **elsewhere)), Tag("<mapping>")
    ]
    words = f"{own}, or a mapping with one of the keys {', '.join(keys)}"
    return Annotated[
        Annotated[Literal[own], expecting(words), Tag("<one>")] | mapping,
        by_shape(listed="one"),
        AfterValidator(partial(_law, own, model)),
    ]


def _entry(kind: LawKind) -> type[BaseModel]:
    """The model of a mapping with the name of the law, and its settings below."""
    name = "".join(word.capitalize() for word in kind.name.split("_"))
    fields: Any = {
        each.name: (_number(each), Field(description=f"{each.meaning.capitalize()}."))
        for each in kind.settings
    }
    settings = create_model(name, __base__=StrictModel, __doc__=_sentence(kind.summary), **fields)
    entry: Any = {kind.name: (settings, Field(description=f"Its settings: {_settings(kind)}."))}
    about = f"The law {kind.name}."
    made: type[BaseModel] = create_model(f"{name}Law", __base__=StrictModel, __doc__=about, **entry)
    return made


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _number(setting: Setting) -> Any:
    """The type of a setting."""
    if setting.is_whole:
        bounds = Field(ge=int(setting.least), le=int(setting.most))
        return Annotated[int, bounds, expecting(setting.range)]
    bounds = Field(ge=setting.least, le=setting.most)
    if setting.is_open:
        bounds = Field(ge=setting.least, lt=setting.most)
    return Annotated[float, bounds, expecting(setting.range)]


def _law(own: str, model: str, written: Any) -> Law | None:
    if written == own:
        return None
    ((name, settings),) = written
    return sampling_law(model, {name: dict(settings)})
