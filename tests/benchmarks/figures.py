"""What a benchmark measured, as one JSON object a line for machines."""

import json
import os

import pytest

FULL = bool(os.environ.get("BENCHMARK"))
"""Whether the promises themselves are measured, at full size; else a small size with room."""


def tell(capsys: pytest.CaptureFixture[str], benchmark: str, **figures: float) -> None:
    """Print the figures of a full run, past pytest's capturing."""
    if FULL:
        with capsys.disabled():
            print(json.dumps({"benchmark": benchmark, **figures}), flush=True)
