"""The scripted matches of the rules' own sample, and the documents that are none."""

import json
from pathlib import Path

import pytest

from tables.blackjack.script import MalformedScript, play, read, write

VECTORS = Path(__file__).parent / "vectors"


def lines(name: str) -> list[dict]:
    return [json.loads(line) for line in (VECTORS / name).read_text("utf-8").splitlines()]


PLAYED = lines("edge.jsonl") + lines("random.jsonl")


def without_message(transcript: dict) -> dict:
    error = transcript["error"]
    if error is None:
        return transcript
    assert error["message"]
    return {**transcript, "error": {"index": error["index"], "code": error["code"]}}


@pytest.mark.parametrize("vector", PLAYED, ids=[vector["name"] for vector in PLAYED])
def test_a_scripted_match_comes_out_as_written(vector: dict) -> None:
    script = read(json.dumps(vector["input"]).encode())
    transcript = json.loads(write(play(script)))
    assert without_message(transcript) == vector["expected"]
    assert list(transcript) == [*vector["expected"]]


BAD = lines("bad_input.jsonl")


@pytest.mark.parametrize("vector", BAD, ids=[vector["name"] for vector in BAD])
def test_a_malformed_script_is_refused_naming_what_is_wrong(vector: dict) -> None:
    with pytest.raises(MalformedScript) as caught:
        read(vector["text"].encode())
    message = str(caught.value)
    assert message.count("\n") == 0
    for name in vector["stderr_names"]:
        assert name in message
