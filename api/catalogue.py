"""The one list of what can go wrong: each code's HTTP status and its texts for people."""

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Entry:
    """A code's status, its short name and a sentence that helps."""

    status: int
    title: str | Promise
    detail: str | Promise


CATALOGUE: Final[dict[str, Entry]] = {
    # Requests
    "invalid": Entry(400, _("Invalid input"), _("Some of the fields are not as they must be.")),
    "parse_error": Entry(400, _("Unreadable request"), _("The body is not valid JSON.")),
    "bad_request": Entry(400, _("Bad request"), _("The request cannot be understood.")),
    "bad_cursor": Entry(400, _("Unknown page"), _("This page address is not one we gave.")),
    "bad_idempotency_key": Entry(
        400,
        _("Bad Idempotency-Key"),
        _("The key must be visible ASCII characters, 16 to 200 where an account is made."),
    ),
    "not_authenticated": Entry(
        401, _("Not signed in"), _("This needs an account: send a token or sign in first.")
    ),
    "invalid_token": Entry(
        401, _("Token not valid"), _("The token is unknown, has ended or was signed out.")
    ),
    "permission_denied": Entry(403, _("Not allowed"), _("You may not do this.")),
    "csrf_failed": Entry(
        403, _("CSRF check failed"), _("Reload the page and try again, with cookies allowed.")
    ),
    "banned": Entry(403, _("Account banned"), _("This account may not play at present.")),
    "not_found": Entry(404, _("Not found"), _("There is nothing at this address.")),
    "method_not_allowed": Entry(
        405, _("Method not allowed"), _("This address does not take this method.")
    ),
    "not_acceptable": Entry(
        406, _("Not acceptable"), _("This address answers in JSON, which was not accepted.")
    ),
    "precondition_failed": Entry(
        412, _("Changed meanwhile"), _("This was changed since you read it; read it again.")
    ),
    "payload_too_large": Entry(413, _("Too large"), _("The body is larger than is read here.")),
    "unsupported_media_type": Entry(
        415, _("Unsupported media type"), _("The body must be JSON (application/json).")
    ),
    "throttled": Entry(429, _("Too many requests"), _("Wait a moment and try again.")),
    "internal_error": Entry(
        500, _("Internal error"), _("Something went wrong on our side. It has been recorded.")
    ),
    "unavailable": Entry(
        503, _("Not available"), _("This cannot be done at the moment; try again soon.")
    ),
    "idempotency_key_reused": Entry(
        422, _("Key used before"), _("This Idempotency-Key was sent with another request.")
    ),
    "idempotency_key_in_use": Entry(
        409, _("Still running"), _("The first request with this key is still being worked on.")
    ),
    # Accounts
    "bad_name": Entry(400, _("Name not allowed"), _("This display name cannot be used.")),
    "bad_settings": Entry(
        400, _("Settings not allowed"), _("Some of these settings are unknown or wrong.")
    ),
    "player_not_found": Entry(404, _("No such player"), _("There is no player with this id.")),
    "device_not_found": Entry(
        404, _("No such device"), _("You have no signed-in device with this id.")
    ),
    "device_too_young": Entry(
        403,
        _("Device too new"),
        _("For its first 72 hours a new device may not do this while there are older ones."),
    ),
    "too_many_devices": Entry(
        409, _("Too many devices"), _("Sign out one of the account's devices first.")
    ),
    "transfer_code_unknown": Entry(
        404, _("Code not valid"), _("This code or key is unknown, was used, or its time is over.")
    ),
    "would_lose_account": Entry(
        409,
        _("Account would be lost"),
        _("The account signed in here has matches and no other device. Confirm to go on."),
    ),
    "cannot_block_yourself": Entry(409, _("That is you"), _("You cannot block your own account.")),
    "too_many_blocks": Entry(
        409, _("Too many blocks"), _("You block as many players as one can; end a block first.")
    ),
    "already_reported": Entry(
        409, _("Reported already"), _("You have reported this player for this match.")
    ),
    "cannot_report_yourself": Entry(
        409, _("That is you"), _("You cannot report your own account.")
    ),
    "too_many_reports": Entry(
        409,
        _("Too many reports"),
        _("As many of your reports wait for us as can; we are looking at them."),
    ),
    # Parties
    "party_not_found": Entry(404, _("No such party"), _("No open party has this code.")),
    "party_full": Entry(409, _("Party full"), _("All seats of this party are taken.")),
    "party_started": Entry(409, _("Party playing"), _("This party's match has started.")),
    "kicked": Entry(403, _("Removed"), _("You were removed from this party.")),
    "blocked": Entry(403, _("Not possible"), _("You cannot join this party.")),
    "already_in_party": Entry(409, _("In a party already"), _("Leave your present party first.")),
    "not_in_party": Entry(409, _("Not in this party"), _("You are not a member of this party.")),
    "not_a_member": Entry(409, _("Not a member"), _("That player is not a member of this party.")),
    "cannot_kick_yourself": Entry(
        409, _("That is you"), _("You cannot remove yourself; leave the party instead.")
    ),
    "in_match": Entry(409, _("In a match already"), _("Finish or leave your present match first.")),
    "searching": Entry(409, _("Searching"), _("Stop searching for a ranked match first.")),
    "not_host": Entry(403, _("Not the host"), _("Only the party's host may do this.")),
    "not_everyone_ready": Entry(
        409, _("Not everyone is ready"), _("All other members must be ready first.")
    ),
    "bad_rules": Entry(400, _("Rules not allowed"), _("Some of these house rules cannot be used.")),
    # The ranked queue
    "party_too_large": Entry(
        409, _("Party too large"), _("At most five players can search together.")
    ),
    "already_queued": Entry(409, _("Searching already"), _("You are searching already.")),
    "not_queued": Entry(409, _("Not searching"), _("You are not searching for a match.")),
    "ready_check_over": Entry(409, _("Ready check over"), _("This ready check has ended.")),
    "queue_closed": Entry(
        409, _("Queue closed"), _("Nobody can search for ranked matches at present.")
    ),
    "penalty": Entry(
        403, _("Out of the queue"), _("You may not search for ranked matches for a while.")
    ),
    # Matches
    "match_not_found": Entry(404, _("No such match"), _("There is no match with this id.")),
    "not_your_seat": Entry(403, _("Not your seat"), _("You have no seat in this match.")),
    "match_over": Entry(409, _("Match over"), _("This match has ended.")),
    "match_not_over": Entry(409, _("Match not over"), _("This match is still being played.")),
    "not_finished": Entry(
        409, _("Not finished"), _("Only a finished match can be made void or restored.")
    ),
    "reason_needed": Entry(400, _("Reason needed"), _("Give a reason of at most 300 characters.")),
    "stale_version": Entry(
        409, _("Out of date"), _("The table has moved on; look at the present view.")
    ),
    "not_your_turn": Entry(409, _("Not your turn"), _("Another seat is to act.")),
    "cpu_has_seat": Entry(
        409, _("The CPU has your seat"), _("Return to your seat before you act.")
    ),
    "illegal_action": Entry(
        422, _("Action not possible"), _("This action is not among those that are possible now.")
    ),
    "bad_amount": Entry(
        422, _("Amount not possible"), _("The amount is not among those that are possible now.")
    ),
    "not_enough_chips": Entry(422, _("Not enough chips"), _("You do not have the chips for this.")),
    "shoe_empty": Entry(422, _("No cards left"), _("There are no cards left for this.")),
    "no_advice": Entry(403, _("No advice"), _("There is no advice in ranked matches.")),
    "no_rematch": Entry(
        409, _("No rematch"), _("Ranked matches have no rematch; search again instead.")
    ),
    "match_busy": Entry(
        503, _("Match busy"), _("The match is being worked on; try again in a moment.")
    ),
    "strategy_missing": Entry(
        503, _("Not computed yet"), _("The strategy for these rules is still being computed.")
    ),
    "nothing_to_decide": Entry(
        409, _("Nothing to decide"), _("There is no decision to be made here.")
    ),
    "malformed_script": Entry(
        400, _("Unreadable script"), _("The script of a match is not as it must be.")
    ),
    # Ratings
    "season_not_found": Entry(404, _("No such season"), _("There is no season with this number.")),
    "season_has_begun": Entry(
        409, _("Season has begun"), _("A season's numbers are fixed from its beginning.")
    ),
    "not_rateable": Entry(
        409, _("Cannot be rated"), _("Only a match between at least two players is rated.")
    ),
    "recompute_running": Entry(
        409, _("Recomputation running"), _("Ratings are being recomputed already.")
    ),
    "ratings_busy": Entry(
        503, _("Ratings busy"), _("Ratings are being worked on; try again in a moment.")
    ),
    # The socket
    "too_many_matches": Entry(
        409, _("Too many matches"), _("This socket follows as many matches as one may.")
    ),
    "bad_message": Entry(400, _("Unreadable message"), _("The message cannot be understood.")),
    "unknown_type": Entry(400, _("Unknown message"), _("There is no message of this type.")),
    "message_too_large": Entry(413, _("Too large"), _("The message is larger than is read here.")),
}

FIELD_TEXTS: Final[dict[str, str | Promise]] = {
    "name_blank": _("A name needs at least one visible character."),
    "name_too_long": _("A name has at most 20 characters."),
    "name_control_character": _("A name has no line breaks or control characters."),
    "name_character": _("A name has a character that cannot be used."),
    "name_mixed_scripts": _("A name does not mix Latin, Greek and Cyrillic letters."),
    "name_like_staff": _("This name could be taken for one of our staff."),
    "unknown_setting": _("There is no such setting."),
    "bad_setting": _("This setting cannot have this value."),
    "unknown_field": _("There is no such field."),
}
"""Texts of the codes that stand in `errors`, where a field is at fault."""
