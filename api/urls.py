"""The routes under `/api/v1/`."""

from django.urls import URLPattern, URLResolver, path, re_path

from api.endpoints import NowhereEndpoint
from api.views import (
    actions,
    blocks,
    devices,
    documents,
    fairness,
    history,
    matches,
    notices,
    players,
    problems,
    statistics,
)

urlpatterns: list[URLPattern | URLResolver] = [
    path("players/", players.PlayerListView.as_view()),
    path("players/transfer/", players.TransferView.as_view()),
    path("players/me/", players.OwnPlayerView.as_view()),
    path("players/me/export/", players.ExportView.as_view()),
    path("players/me/devices/", devices.DeviceListView.as_view()),
    path("players/me/devices/<uuid:device_id>/", devices.DeviceView.as_view()),
    path("players/me/transfer-code/", devices.TransferCodeView.as_view()),
    path("players/me/recovery-key/", devices.RecoveryKeyView.as_view()),
    path("players/me/blocks/", blocks.BlockListView.as_view()),
    path("players/me/blocks/<uuid:player_id>/", blocks.BlockView.as_view()),
    path("players/me/notices/", notices.NoticeListView.as_view()),
    path("players/me/notices/read/", notices.NoticesReadView.as_view()),
    path("players/<uuid:player_id>/", players.ProfileView.as_view()),
    path("players/<uuid:player_id>/matches/", history.PlayedMatchesView.as_view()),
    path("players/<uuid:player_id>/statistics/", statistics.StatisticsView.as_view()),
    path("matches/", matches.MatchListView.as_view()),
    path("matches/<uuid:match_id>/", matches.MatchView.as_view()),
    path("matches/<uuid:match_id>/actions/", actions.ActionView.as_view()),
    path("matches/<uuid:match_id>/leave/", matches.LeaveView.as_view()),
    path("matches/<uuid:match_id>/return/", matches.ReturnView.as_view()),
    path("matches/<uuid:match_id>/share/", matches.ShareView.as_view()),
    path("matches/<uuid:match_id>/events/", history.EventsView.as_view()),
    path("matches/<uuid:match_id>/rounds/", history.RoundsView.as_view()),
    path("matches/<uuid:match_id>/fairness/", fairness.FairnessView.as_view()),
    path("problems/", problems.ProblemListView.as_view()),
    path("problems/<str:code>/", problems.ProblemView.as_view()),
    path("schema/", documents.SchemaView.as_view(), name="schema"),
    path("docs/", documents.DocsView.as_view(), name="docs"),
    re_path(r"", NowhereEndpoint.as_view()),  # last: whatever else is nowhere
]
