"""The shapes of ratings, leaderboards and seasons in REST."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from rest_framework import serializers

from accounts.models import Player
from api.serializers import PlayerSerializer
from ratings import elo
from ratings.models import Season, SeasonStatus
from ratings.selectors.boards import Band, Entry, Missing
from ratings.selectors.ratings import MatchRatings, RatingNow


class RatingSerializer(serializers.Serializer[Any]):
    """A rating (api.md)."""

    exact = serializers.CharField()
    shown = serializers.IntegerField()
    provisional = serializers.BooleanField()
    matches = serializers.IntegerField()
    peak = serializers.IntegerField()


class EntrySerializer(serializers.Serializer[Any]):
    """A line of a leaderboard."""

    rank = serializers.IntegerField()
    player = PlayerSerializer()
    rating = RatingSerializer()


class MissingSerializer(serializers.Serializer[Any]):
    """What somebody needs to be on the leaderboard, and what they have."""

    code = serializers.CharField()
    have = serializers.IntegerField()
    need = serializers.IntegerField()


class OwnStandingSerializer(serializers.Serializer[Any]):
    """Where the own account stands; without a rank, why not."""

    rank = serializers.IntegerField(allow_null=True)
    percentile = serializers.FloatField(allow_null=True)
    missing = MissingSerializer(many=True)
    rating = RatingSerializer()


class BandSerializer(serializers.Serializer[Any]):
    """How many players show a rating within these, both included."""

    to = serializers.IntegerField()
    players = serializers.IntegerField()

    def get_fields(self) -> dict[str, Any]:
        """Add the one whose name is a word of Python."""
        return {"from": serializers.IntegerField(), **super().get_fields()}


class SeasonSerializer(serializers.ModelSerializer[Season]):
    """A season."""

    status = serializers.ChoiceField(choices=SeasonStatus.choices, read_only=True)

    class Meta:
        model = Season
        fields = ("id", "number", "starts_at", "ends_at", "status")
        read_only_fields = fields


class PairedSerializer(serializers.Serializer[Any]):
    """A player of a pair, with the rating before the match."""

    id = serializers.UUIDField()
    display_name = serializers.CharField()
    tag = serializers.CharField()
    rating = serializers.CharField()


class TransferSerializer(serializers.Serializer[Any]):
    """What one pair of a rated match moved, seen from the first of the two."""

    players = PairedSerializer(many=True)
    expectation = serializers.FloatField()
    score = serializers.FloatField()
    points = serializers.CharField()
    same_party = serializers.BooleanField()


class RatingPointSerializer(serializers.Serializer[Any]):
    """A rated match in a player's history."""

    match = serializers.UUIDField()
    season = serializers.IntegerField()
    at = serializers.DateTimeField()
    rating_before = serializers.CharField()
    rating_after = serializers.CharField()
    change = serializers.CharField()


def rating_as_mapping(rating: RatingNow) -> dict[str, object]:
    """A rating as clients read it."""
    return {
        "exact": rating.exact,
        "shown": rating.shown,
        "provisional": rating.provisional,
        "matches": rating.matches,
        "peak": elo.shown(rating.peak),
    }


def entries_as_mappings(entries: Iterable[Entry]) -> list[dict[str, object]]:
    """Lines of a leaderboard, with players under their present names."""
    entries = list(entries)
    players = Player.objects.in_bulk([entry.player_id for entry in entries])
    return [
        {
            "rank": entry.rank,
            "player": PlayerSerializer(players[entry.player_id]).data,
            "rating": {
                "exact": elo.exact(entry.rating),
                "shown": entry.shown,
                "provisional": False,
                "matches": entry.matches,
                "peak": elo.shown(entry.peak),
            },
        }
        for entry in entries
    ]


def missing_as_mappings(missing: Iterable[Missing]) -> list[dict[str, object]]:
    """What is missing to be on a leaderboard."""
    return [{"code": one.code, "have": one.have, "need": one.need} for one in missing]


def bands_as_mappings(bands: Iterable[Band]) -> list[dict[str, int]]:
    """A distribution."""
    return [{"from": band.low, "to": band.high, "players": band.players} for band in bands]


def transfers_as_mappings(rated: MatchRatings) -> list[dict[str, object]]:
    """A rated match's pairs."""
    players = Player.objects.in_bulk(rated.players)
    return [
        {
            "players": [
                _paired(players, player, rating)
                for player, rating in zip(pair.players, pair.ratings, strict=True)
            ],
            "expectation": round(pair.expectation, 6),
            "score": pair.score,
            "points": elo.exact(pair.points),
            "same_party": pair.same_party,
        }
        for pair in rated.pairs
    ]


def _paired(players: Mapping[UUID, Player], player: UUID, rating: int) -> dict[str, object]:
    return {**PlayerSerializer(players[player]).data, "rating": elo.exact(rating)}


def point_as_mapping(player_id: UUID, rated: MatchRatings) -> dict[str, object]:
    """A rated match in this player's history."""
    seat = rated.players.index(player_id)
    return {
        "match": rated.match_id,
        "season": rated.season,
        "at": rated.finished_at,
        "rating_before": elo.exact(rated.before[seat]),
        "rating_after": elo.exact(rated.after[seat]),
        "change": elo.exact(rated.changes[seat]),
    }
