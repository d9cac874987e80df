"""The addresses of the pages."""

from django.urls import URLPattern, path

from api.views import installing, pages, records

urlpatterns: list[URLPattern] = [
    path("", pages.landing, name="landing"),
    path("m/<uuid:match_id>/", pages.match, name="match"),
    path("m/<uuid:match_id>/verify/", records.verify, name="verify"),
    path("players/<uuid:player_id>/", records.profile, name="player"),
    path("history/", records.history, name="history"),
    path("ranking/", records.ranking, name="ranking"),
    path("p/<str:code>/", pages.party, name="party"),
    path("rules/", pages.rules, name="rules"),
    path("settings/", pages.preferences, name="settings"),
    path("privacy/", pages.privacy, name="privacy"),
    path("offline/", installing.offline, name="offline"),
    path("manifest.webmanifest", installing.manifest, name="manifest"),
    path("sw.js", installing.worker),
    path("language/", pages.choose_language, name="language"),
    path("favicon.ico", pages.favicon),
]
