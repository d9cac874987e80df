"""Every address outside `/api/v1/`, which `api.urls` holds."""

from django.contrib import admin
from django.urls import include, path
from django_prometheus.exports import ExportToDjangoView

from config import health

urlpatterns = [
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("metrics", ExportToDjangoView, name="metrics"),
    path("version", health.version, name="version"),
    path("admin/", admin.site.urls),
    path("api/v1/", include("api.urls")),
    path("", include("api.page_urls")),
]
handler400 = "api.views.pages.bad_request"
handler403 = "api.views.pages.forbidden"
handler404 = "api.views.pages.not_found"
handler500 = "api.views.pages.server_error"
