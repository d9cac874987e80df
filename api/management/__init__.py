"""The API's commands."""
