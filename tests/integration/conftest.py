"""What the tests of the running service share."""

import itertools
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from tests.conftest import Service
from tests.journeys.guests import Guest, Invite


@pytest.fixture
def invite(service: Service) -> Iterator[Invite]:
    """Makes guests, who go when the test ends."""
    guests: list[Guest] = []

    def guest(name: str) -> Guest:
        guests.append(Guest(service.url, name))
        return guests[-1]

    yield guest
    for each in guests:
        each.close()


@pytest.fixture
def known_shoes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every shoe of this test comes from the same seeds in every run."""
    seeds = itertools.count(1)

    def token_bytes(size: int) -> bytes:
        return next(seeds).to_bytes(size, "big")

    monkeypatch.setattr("tables.services.batch.secrets", SimpleNamespace(token_bytes=token_bytes))
