"""Static files: which are served, and their names with a hash, cached for ever."""

from collections.abc import Iterable, Iterator

from django.contrib.staticfiles.finders import AppDirectoriesFinder
from django.contrib.staticfiles.storage import HashedFilesMixin
from django.core.files.storage import Storage
from servestatic.storage import CompressedManifestStaticFilesStorage

UNSERVED = ("*.map", "redoc", "rest_framework", "*.LICENSE.txt")
"""Parts of packages that no page of this project links to."""

_SOURCE_MAP = "sourceMappingURL"
_MODULE_RULES = vars(HashedFilesMixin)["_js_module_import_aggregation_patterns"]


class ServedFiles(AppDirectoriesFinder):
    """The `static` folders of the apps, without what is not served."""

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Storage]]:
        yield from super().list([*(ignore_patterns or ()), *UNSERVED])


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
