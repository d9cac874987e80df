"""Static files under names that carry a hash of their content."""

from servestatic.storage import CompressedManifestStaticFilesStorage


class HashedModules(CompressedManifestStaticFilesStorage):
    """Also rewrites the imports of ES modules to the hashed names, so that all cache for ever."""

    support_js_module_import_aggregation = True
