"""Which language a request is answered in (api.md, Conventions).

`Accept-Language` decides. Where there is none, a signed-in player's own setting does (`speak_to`),
else Japanese.
"""

from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.decorators import sync_and_async_middleware

from accounts.languages import preferred
from accounts.models import Player

HEADER = "HTTP_ACCEPT_LANGUAGE"
Responder = Callable[[HttpRequest], HttpResponseBase]
AsyncResponder = Callable[[HttpRequest], Awaitable[HttpResponseBase]]


def speak_to(request: HttpRequest, player: Player | None) -> None:
    """Use the player's own language where the request names none."""
    if player is not None and not request.META.get(HEADER):
        _speak(request, player.language)


@sync_and_async_middleware
def language_middleware(get_response: Responder) -> Responder | AsyncResponder:
    """Answer in the request's language, and say so in `Content-Language` and `Vary`."""
    if iscoroutinefunction(get_response):

        async def answer_async(request: HttpRequest) -> HttpResponseBase:
            with translation.override(None):
                _speak(request, preferred(request.META.get(HEADER, "")))
                return _marked(request, await get_response(request))

        return answer_async

    def answer(request: HttpRequest) -> HttpResponseBase:
        with translation.override(None):
            _speak(request, preferred(request.META.get(HEADER, "")))
            return _marked(request, get_response(request))

    return answer


def _speak(request: HttpRequest, language: str) -> None:
    translation.activate(language)
    request.LANGUAGE_CODE = language


def _marked(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    response.headers.setdefault("Content-Language", str(request.LANGUAGE_CODE))
    patch_vary_headers(response, ("Accept-Language",))
    return response
