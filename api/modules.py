"""Which ES modules a page needs, so that the browser can fetch all of them at once."""

import re
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

from django.contrib.staticfiles import finders

ROOT: Final = PurePosixPath("taku/js")
_IMPORT: Final = re.compile(r"""^(?:import|export)\b[^"';]*?["'](\.[^"']+)["'];""", re.MULTILINE)


def modules_of(entry: str) -> tuple[str, ...]:
    """Every module that `entry` (like `pages/match.js`) imports, itself first, each once.

    The names are those of static files.
    """
    found: dict[str, None] = {}
    waiting = [str(ROOT / entry)]
    while waiting:
        name = waiting.pop(0)
        if name in found:
            continue
        found[name] = None
        waiting.extend(_imports(name))
    return tuple(found)


@cache
def _imports(name: str) -> tuple[str, ...]:
    path = finders.find(name)
    if path is None:
        raise LookupError(f"There is no module {name}.")
    folder = PurePosixPath(name).parent
    return tuple(_resolved(folder / target) for target in _IMPORT.findall(Path(path).read_text()))


def _resolved(path: PurePosixPath) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
