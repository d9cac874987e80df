"""What the tests of the running service share."""

from collections.abc import Iterator

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
