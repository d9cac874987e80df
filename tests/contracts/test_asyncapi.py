"""The AsyncAPI document says what really goes over the socket."""

import json
from collections.abc import Iterator
from uuid import UUID

import jsonschema
import pytest
from django.utils import timezone

from api.asyncapi import CLIENT_MESSAGES, SERVER_MESSAGES, document
from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import Ruleset
from tables.services.matches import start_match
from tables.services.parties import create_party
from tests.conftest import Service
from tests.journeys.guests import Guest, Message

NAMED_BY_THE_CONTRACT = {
    *("hello", "subscribe", "unsubscribe", "action", "return", "resume", "ping"),
    *("welcome", "snapshot", "events", "presence", "party", "notice", "ack", "error"),
    *("pong", "closing"),
}


def validator(name: str) -> jsonschema.Draft202012Validator:
    """Checks messages of one type against the published schema."""
    schema = {
        "$ref": document()["components"]["messages"][name]["payload"]["$ref"],
        "components": document()["components"],
    }
    return jsonschema.Draft202012Validator(schema)


def test_every_message_of_the_contract_is_described() -> None:
    assert set(document()["components"]["messages"]) >= NAMED_BY_THE_CONTRACT
    assert len(document()["components"]["messages"]) == len(CLIENT_MESSAGES + SERVER_MESSAGES)


def test_every_reference_leads_somewhere() -> None:
    def references(node: object) -> Iterator[str]:
        if isinstance(node, dict):
            if "$ref" in node:
                yield node["$ref"]
            for value in node.values():
                yield from references(value)
        elif isinstance(node, list):
            for value in node:
                yield from references(value)

    for reference in references(document()):
        node: object = document()
        for part in reference.removeprefix("#/").split("/"):
            assert isinstance(node, dict)
            node = node[part]


@pytest.mark.django_db(transaction=True)
def test_what_is_heard_over_a_match_is_as_described(service: Service) -> None:
    guests = [Guest(service.url, name) for name in ("Anna", "Bert")]
    try:
        for guest in guests:
            guest.open()
        create_party(player_id=UUID(guests[0].id), now=timezone.now())
        match = start_match(
            kind=MatchKind.PARTY,
            ruleset=Ruleset(rounds=1, turn_seconds=60),
            player_ids=[UUID(guest.id) for guest in guests],
        )
        for guest in guests:
            guest.wait_for("snapshot", match=str(match.pk))
        guests[1].drop()
        guests[0].wait_for("presence")
        guests[1].open()
        guests[1].wait_for("snapshot")
        while not guests[0].over:
            for guest in guests:
                if guest.my_turn:
                    offer = guest.view["to_act"]["legal"][0]
                    decision: Message = {"action": offer["action"]}
                    if "min" in offer:
                        decision["amount"] = offer["min"]
                    guest.act({**decision, "version": guest.view["version"]})
                    version = guest.view["version"]
            for guest in guests:
                while not guest.over and guest.view["version"] < version:
                    guest.receive()
        guests[0].send("action", match=str(match.pk), action="hit", version=10**6)
        guests[0].wait_for("error")
        guests[0].send("ping")
        guests[0].wait_for("pong")
        heard = [message for guest in guests for message in guest.heard]
        for message in heard:
            validator(message["type"]).validate(message)
        assert {message["type"] for message in heard} >= {
            *("welcome", "snapshot", "events", "presence", "party", "ack", "error", "pong")
        }
    finally:
        for guest in guests:
            guest.close()


def test_the_document_is_served(client) -> None:  # type: ignore[no-untyped-def]
    answer = client.get("/api/v1/asyncapi.json")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/json"
    assert json.loads(answer.content)["asyncapi"] == "3.0.0"
