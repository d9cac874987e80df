"""Static files: which are served, and their names with a hash, cached for ever."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from django.contrib.staticfiles.finders import AppDirectoriesFinder
from django.contrib.staticfiles.storage import HashedFilesMixin
from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from servestatic.storage import CompressedManifestStaticFilesStorage

UNSERVED = ("*.map", "redoc", "rest_framework", "*.LICENSE.txt")
"""Parts of packages that no page of this project links to."""

_SOURCE_MAP = "sourceMappingURL"
_COMMENTS: Final = re.compile(rb"^[ \t]*(?:/\*.*?\*/|//[^\n]*)[ \t]*\n", re.DOTALL | re.MULTILINE)
_MODULE_RULES = vars(HashedFilesMixin)["_js_module_import_aggregation_patterns"]


class ServedFiles(AppDirectoriesFinder):
    """The `static` folders of the apps, without what is not served."""

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Storage]]:
        yield from super().list([*(ignore_patterns or ()), *UNSERVED])


def without_comments(source: bytes) -> bytes:
    """A script or stylesheet of ours without the comments that have their lines to themselves.

    They are for whoever reads the source, and a sixth of what would go over the line.
    """
    return _COMMENTS.sub(b"", source)


class HashedModules(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Rewrites the imports of the project's own ES modules to the hashed names as well.

    An import must end with a semicolon to be found (Django's rule). Source maps are not served.
    """

    patterns = (
        *(
            (glob, tuple(rule for rule in rules if _SOURCE_MAP not in str(rule)))
            for glob, rules in HashedFilesMixin.patterns
        ),
        ("taku/*.js", _MODULE_RULES[1]),
    )

    def _save(self, name: str, content: Any) -> str:
        if name.startswith("taku/") and name.endswith((".js", ".css")):
            content.seek(0)  # it was read before, for its hash
            content = ContentFile(without_comments(content.read()))
        return str(super()._save(name, content))
