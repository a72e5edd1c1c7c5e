# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Classes of attributes, as dataclasses are, that load in a tenth of the time: a run has a hundred of them.

What a dataclass takes long for is to compile the text of its methods. Here only `__init__` is one, and its code is kept by that text.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType

from .growing import RECORDS
from .typed import Any, TypeVar, dataclass_transform

T = TypeVar("T")


class _Made:
    """The default of an attribute that each object has a new one of."""

    def __init__(self, default_factory: Callable[[], Any]) -> None:
        self.default_factory = default_factory


def field(*, default_factory: Callable[[], Any]) -> Any:
    """As that of dataclasses, which will do as well."""
    return _Made(default_factory)


class Attribute:
    def __init__(self, name: str, type_: str, default: list[Any]) -> None:
        self.name, self.type = name, type_
        self.default = default  # of one item, or of none
        self.factory = getattr(default[0], "default_factory", None) if default else None

    @property
    def parameter(self) -> str:
        return f"{self.name}=default_{self.name}" if self.default else self.name

    @property
    def statement(self) -> str:
        made = f"make_{self.name}() if {self.name} is default_{self.name} else " if self.factory else ""
        return f" self.{self.name} = {made}{self.name}"


def attributes(cls: type) -> list[Attribute]:
    """Those of a record, in their order."""
    found: dict[str, Attribute] = {}
    for base in reversed(cls.__mro__):
        found |= vars(base).get("__record__", {})
    return list(found.values())


def changed(item: T, **attributes: Any) -> T:
    """A copy with other values of some attributes."""
    other: T = object.__new__(item.__class__)
    vars(other).update({**vars(item), **attributes})
    return other


def _code(text: str) -> CodeType:
    code: CodeType | None = RECORDS.get(text)
    if code is None:
        code = RECORDS.new[text] = compile(text, "<record>", "exec", dont_inherit=True)
    return code


def _init(cls: type) -> Callable[..., None]:
    own = attributes(cls)
    text = "\n".join([f"def __init__(self, {', '.join(a.parameter for a in own)}):", *(a.statement for a in own)])
    names: dict[str, Any] = {f"default_{a.name}": a.default[0] for a in own if a.default}
    names |= {f"make_{a.name}": a.factory for a in own if a.factory}
    exec(_code(text), names)
    return names["__init__"]


def _eq(self: Any, other: object) -> bool:
    return vars(self) == vars(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(tuple(vars(self).values()))


def _repr(self: Any) -> str:
    return f"{self.__class__.__qualname__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """A class whose objects are each equal to themselves alone, and print as any object does."""
    cls.__record__ = {name: Attribute(name, type_, [vars(cls)[name]] if name in vars(cls) else [])
                      for name, type_ in vars(cls).get("__annotations__", {}).items()}
    cls.__init__ = _init(cls)
    for name, attribute in cls.__record__.items():
        if attribute.factory:
            delattr(cls, name)
    return cls


@dataclass_transform(field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """A record that equals another with the same attributes, and prints them."""
    cls.__eq__, cls.__repr__, cls.__hash__ = _eq, _repr, None
    return record(cls)


@dataclass_transform(field_specifiers=(field,))
def constant(cls: type[T]) -> type[T]:
    """A value that nobody changes, so that it can be a key."""
    value(cls).__hash__ = _hash
    return cls
