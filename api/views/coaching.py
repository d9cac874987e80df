"""What the computed strategy says: charts for everybody, advice and analysis for who plays."""

from collections.abc import Mapping
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from msgspec import Struct
from rest_framework.request import Request

from api.endpoints import Endpoint
from api.match_answers import TAGS, MatchEndpoint, written
from api.schema import struct
from api.throttling import Limit, spend_or_refuse, who_of
from tables.analysis import Analysis
from tables.blackjack.coach import Row, chart
from tables.blackjack.ruleset import (
    DEFAULTS,
    OPTIONS,
    OptionType,
    as_mapping,
    from_words,
    ruleset_of,
)
from tables.blackjack.strategy import UP_CARDS, Choice
from tables.selectors.coaching import MatchAdvice
from tables.selectors.edges import effect_of
from tables.selectors.strategies import StrategyMissing, is_asked, ready
from tables.services import coaching, strategies


class Charted(Struct, frozen=True):
    """The strategy of a rule set as engine-cli.md tells it, and laid out as a chart.

    `effect`: percentage points of edge against the default rules, null until known.
    """

    rules: Mapping[str, str | int | bool | None]
    edge: float
    effect: float | None
    up_cards: tuple[str, ...]
    chart: tuple[Row, ...]
    hands: Mapping[str, Mapping[str, Choice]]


class Computing(Struct, frozen=True):
    """What was asked for rests on a strategy that is being computed: ask again."""

    status: str = "computing"


def _computing() -> HttpResponse:
    response = written(Computing(), status=202)
    response["Retry-After"] = _RETRY_AFTER
    return response


_TYPES = {
    OptionType.INTEGER: OpenApiTypes.INT,
    OptionType.BOOLEAN: OpenApiTypes.BOOL,
    OptionType.CHOICE: OpenApiTypes.STR,
}
_RETRY_AFTER = "2"


def _or_computing(kind: type[Struct]) -> dict[int, OpenApiResponse]:
    return {
        200: OpenApiResponse(struct(kind), "What was asked for."),
        202: OpenApiResponse(struct(Computing), "The strategy is being computed: see Retry-After."),
    }


class StrategyView(Endpoint):
    """`rules/strategy/`"""

    @extend_schema(
        operation_id="rules_strategy",
        parameters=[
            OpenApiParameter(option.key, _TYPES[option.type], description="As in `rules/`.")
            for option in OPTIONS
        ],
        responses=_or_computing(Charted),
        tags=["rules"],
    )
    def get(self, request: Request) -> HttpResponse:
        """Give the strategy that loses least by some house rules; what is not given is default.

        What nobody has asked for yet is computed: that is limited for guests by address.
        """
        ruleset = ruleset_of(from_words(request.query_params.dict()))
        try:
            strategy = ready(ruleset)
        except StrategyMissing:
            if not is_asked(ruleset):
                player = self.viewer
                limit = Limit.of("STRATEGIES" if player else "GUEST_STRATEGIES")
                spend_or_refuse(limit, who_of(player, request.META))
            strategies.want(ruleset)
            return _computing()
        return written(
            Charted(
                as_mapping(ruleset),
                strategy.edge,
                effect_of(ruleset, DEFAULTS),
                tuple(UP_CARDS),
                chart(strategy),
                strategy.hands,
            )
        )


class AdviceView(MatchEndpoint):
    """`matches/{id}/advice/`"""

    needs_player = True

    @extend_schema(operation_id="matches_advice", responses=_or_computing(MatchAdvice), tags=TAGS)
    def get(self, request: Request, match_id: UUID) -> HttpResponse:
        """Say what to do on the own turn in a casual match, and what each action is worth."""
        advice = coaching.advise(self.look_at(match_id))
        return _computing() if advice is None else written(advice)


class AnalysisView(MatchEndpoint):
    """`matches/{id}/analysis/`"""

    needs_player = True

    @extend_schema(operation_id="matches_analysis", responses=_or_computing(Analysis), tags=TAGS)
    def get(self, request: Request, match_id: UUID) -> HttpResponse:
        """Look at the own decisions of a match that is over, and what each was expected to cost."""
        sight = self.look_at(match_id)
        analysis = coaching.analyse(sight)
        return _computing() if analysis is None else self.tell(sight, analysis)
