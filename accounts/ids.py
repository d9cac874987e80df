"""Public identifiers: UUIDs that sort by the time they were made and cannot be counted up."""

from uuid import UUID

from uuid_utils.compat import uuid7


def new_id() -> UUID:
    """Make a new UUIDv7."""
    return uuid7()
