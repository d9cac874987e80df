"""Functions on numbers and arrays, compiled to machine code for bulk work."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function) -> _Function:
    """Machine code of the function, kept between processes where the file system lets it be. No
    fast-math: floating point gives the bits that the interpreter gives."""
    try:
        return cast(_Function, numba.njit(cache=True)(function))
    except RuntimeError:  # no folder for the cache
        return cast(_Function, numba.njit(function))
