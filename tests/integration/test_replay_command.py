"""`manage.py replay` from outside: what it prints, and how it ends."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests" / "contracts" / "vectors"
EMPTY = b'{"seats": 1, "shoe": [], "decisions": []}'


def lines(name: str) -> list[dict]:
    return [json.loads(line) for line in (VECTORS / name).read_text("utf-8").splitlines()]


def replay(path: Path, *options: str) -> str:
    out = io.StringIO()
    call_command("replay", str(path), *options, stdout=out)
    return out.getvalue()


def without_messages(text: str) -> list[dict]:
    printed = [json.loads(line) for line in text.splitlines()]
    for transcript in printed:
        if transcript["error"] is not None:
            del transcript["error"]["message"]
    return printed


def test_one_script_per_line_gives_one_answer_per_line(tmp_path: Path) -> None:
    vectors = lines("edge.jsonl") + lines("random.jsonl")
    scripts = tmp_path / "scripts.jsonl"
    scripts.write_text("".join(json.dumps(vector["input"]) + "\n" for vector in vectors))
    assert without_messages(replay(scripts, "--jsonl")) == [v["expected"] for v in vectors]


def test_a_single_script_may_stretch_over_lines(tmp_path: Path) -> None:
    vector = lines("edge.jsonl")[0]
    path = tmp_path / "script.json"
    path.write_text(json.dumps(vector["input"], indent=2))
    assert without_messages(replay(path)) == [vector["expected"]]


def test_the_last_line_needs_no_line_break(tmp_path: Path) -> None:
    path = tmp_path / "scripts.jsonl"
    path.write_bytes(EMPTY + b"\r\n" + EMPTY)
    assert len(replay(path, "--jsonl").splitlines()) == 2


@pytest.mark.parametrize("bad", [b"", b"{", b"[]", b'{"seats": 9}', b"\xff"])
def test_a_malformed_line_ends_it_after_the_answers_before(tmp_path: Path, bad: bytes) -> None:
    path = tmp_path / "scripts.jsonl"
    path.write_bytes(EMPTY + b"\n" + EMPTY + b"\n" + bad + b"\n" + EMPTY + b"\n")
    out = io.StringIO()
    with pytest.raises(CommandError, match="line 3") as caught:
        call_command("replay", str(path), "--jsonl", stdout=out)
    assert caught.value.returncode == 2
    assert len(out.getvalue().splitlines()) == 2


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.json", tmp_path):
        with pytest.raises(CommandError, match="cannot read") as caught:
            replay(path)
        assert caught.value.returncode == 2


def manage(*arguments: str, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run the command as people do, with no server, no database and no secret in reach."""
    environment = {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C",
        "DATABASE_URL": "postgres://nobody@127.0.0.1:9/nothing",
        "REDIS_URL": "redis://127.0.0.1:9/0",
    }
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment,
        input=stdin,
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_it_runs_without_server_database_and_secrets() -> None:
    ended = manage("replay", "-", stdin=EMPTY)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert json.loads(ended.stdout)["chips"] == [1000]


def test_bad_input_exits_with_2_and_one_line_after_the_answers_before() -> None:
    ended = manage("replay", "-", "--jsonl", stdin=EMPTY + b"\n" + '{"ルール": 1}\n'.encode())
    assert ended.returncode == 2
    assert len(ended.stdout.splitlines()) == 1
    assert len(ended.stderr.splitlines()) == 1
    assert b"line 2" in ended.stderr
