# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What types are written with: who checks them needs all of it, and who runs no more than the names. Python's own module takes a while
to load.
"""

from __future__ import annotations

from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any as Any, BinaryIO as BinaryIO, Generic as Generic, Protocol as Protocol, TypeVar as TypeVar, dataclass_transform as dataclass_transform
else:
    Any = BinaryIO = Protocol = object

    class Generic:
        def __class_getitem__(cls, _variable: object) -> type:
            return cls

    def TypeVar(name: str, *_bounds: type) -> str:
        return name

    def dataclass_transform(**_how: object) -> Callable[[object], object]:
        return lambda made: made
