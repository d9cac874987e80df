"""Two people at one table, while one process after the other dies or stands still."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path

import psutil
import pytest
import redis

from tables.blackjack import engine
from tables.blackjack.actions import Action, ActionName
from tables.blackjack.ruleset import Ruleset
from tests.instances import Instance
from tests.journeys.guests import Guest, Message
from tests.journeys.surviving import (
    asked,
    come_back,
    deadline,
    kill,
    last_outage,
    manage,
    play_together,
    same_table,
    verify,
)

pytestmark = [pytest.mark.slow_start, pytest.mark.timeout(300)]

CLOCKED = {"turn_seconds": 60, "rounds": 50}
WORKERS = {
    "sweep": ("celery", "--queues=sweep"),
    "worker": ("celery", "--queues=default"),
    "strategy": ("celery", "--queues=strategy"),
    "beat": ("celery", "beat"),
}
Pair = tuple[Guest, Guest]


@pytest.fixture(scope="module")
def instance() -> Iterator[Instance]:
    folder = Path(tempfile.mkdtemp(prefix="taku-pair-"))
    folder.chmod(0o711)
    # Who joined by REST counts as there for a second, so that a dropped socket shows at once.
    # The CPU takes its time, so that somebody may come back in the middle of a hand.
    instance = Instance(folder / "one", MATCH_PRESENCE="1", TAKEOVER_GRACE="6", CPU_PAUSE="10")
    instance.start()
    yield instance
    instance.kill()
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def at_a_table(instance: Instance, elsewhere: str | None = None, **rules: object) -> Iterator[Pair]:
    """Two guests some decisions into a match; the second may be on another web process."""
    instance.wait(instance.is_ready)
    anna, bert = Guest(instance.url, "Anna"), Guest(elsewhere or instance.url, "Bert")
    with closing(anna), closing(bert):
        code = anna.post("parties/", 201, rules=rules)["code"]
        bert.post(f"parties/{code}/join/")
        bert.post(f"parties/{code}/ready/", ready=True)
        anna.post(f"parties/{code}/start/", 201)
        for guest in (anna, bert):
            guest.open()
            guest.wait_for("snapshot")
        play_together((anna, bert), 4)
        yield anna, bert


@contextmanager
def standing_still(process: psutil.Process) -> Iterator[None]:
    """SIGSTOP, and SIGCONT at the end."""
    process.suspend()
    try:
        yield
    finally:
        with suppress(psutil.NoSuchProcess):
            process.resume()


@pytest.mark.parametrize("words", WORKERS.values(), ids=WORKERS)
def test_nobody_notices_a_dead_worker(instance: Instance, words: tuple[str, ...]) -> None:
    with at_a_table(instance, **CLOCKED) as pair:
        kill(instance, *words)
        play_together(pair, 6)
    verify(instance)


def test_a_dead_web_process_takes_nothing_with_it(instance: Instance) -> None:
    """And a table without a clock has none afterwards (RT-22)."""
    with at_a_table(instance, turn_seconds=None, rounds=50) as pair:
        before = pair[0].view
        kill(instance, "manage.py", "web")
        for guest in pair:
            come_back(instance, guest)
            assert same_table(before, guest.view)
            assert guest.view["to_act"]["deadline"] is None
        play_together(pair, 6)
        controllers = [seat["controller"] for seat in pair[0].view["seats"]]
        assert controllers == ["human", "human"]
    verify(instance)


def test_a_dead_database_takes_no_time_and_no_socket(instance: Instance) -> None:
    """The deadline moves by the outage, everybody is told, and workers work on (RT-22)."""
    with at_a_table(instance, **CLOCKED) as pair:
        before, was_due = pair[0].view, deadline(pair[0])
        outages, _ = last_outage(instance)
        workers = {name: instance.child(*words).pid for name, words in WORKERS.items()}
        killed_at = time.time()
        kill(instance, "postgres", "-D")
        instance.wait(instance.is_ready)
        for guest in pair:
            guest.wait_until(lambda guest=guest: deadline(guest) != was_due)
            assert same_table(before, guest.view)
        counted, length = last_outage(instance)
        assert counted == outages + 1
        assert deadline(pair[0]) == was_due + length
        play_together(pair, 6)
        assert workers == {name: instance.child(*words).pid for name, words in WORKERS.items()}
        with closing(redis.Redis.from_url(instance.layout.redis_url)) as valkey:
            for queue in ("sweep", "default"):
                instance.wait(
                    lambda queue=queue: int(valkey.get(f"taku:heartbeat:{queue}") or 0) > killed_at
                )
    verify(instance)


def test_while_the_web_process_stands_still_no_time_passes(instance: Instance) -> None:
    with at_a_table(instance, **CLOCKED) as pair:
        before, was_due = pair[0].view, deadline(pair[0])
        outages, _ = last_outage(instance)
        age = "SELECT clock_timestamp() - max(heartbeat_at) > '11 s' FROM tables_webprocess"
        with standing_still(instance.child("manage.py", "web")):
            instance.wait(lambda: asked(instance, age)[0])
        for guest in pair:
            guest.wait_until(lambda guest=guest: deadline(guest) != was_due)
            assert same_table(before, guest.view)
        counted, length = last_outage(instance)
        assert counted == outages + 1
        assert deadline(pair[0]) == was_due + length
        play_together(pair, 4)
    verify(instance)


def away(guest: Guest, seat: int) -> Message:
    """Wait until a guest is told that a seat's player is away; gives what it was told."""
    while True:
        told = guest.wait_for("presence")["seats"][seat - 1]
        if not told["connected"]:
            return dict(told)


@pytest.mark.parametrize("how", ["dead", "hanging"])
@pytest.mark.parametrize("where", ["here", "elsewhere"])
def test_without_valkey_play_goes_on_and_all_see_who_is_away(
    instance: Instance, how: str, where: str
) -> None:
    """Each at a process of their own, or both at one (OP-07)."""
    with instance.another_web() as another:
        elsewhere = another if where == "elsewhere" else None
        with at_a_table(instance, elsewhere, **CLOCKED) as pair:
            anna, bert = pair
            valkey = instance.child("valkey-server")
            with standing_still(valkey):
                if how == "dead":
                    valkey.kill()
                    play_together(pair, 4)
                else:
                    play_together(pair, 4)
                seat = bert.seat
                bert.drop()
                told = away(anna, seat)
                assert told["away_since"]
                assert told["takeover_at"]
                bert.open(resume=True)
                anna.wait_until(
                    lambda: (
                        anna.heard[-1]["type"] == "presence"
                        and anna.heard[-1]["seats"][seat - 1]["connected"]
                    )
                )
                play_together(pair, 4)
    instance.wait(instance.is_ready)
    verify(instance)


BEGIN = """
from itertools import count
from types import SimpleNamespace
from uuid import UUID
from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import Ruleset
from tables.services import batch, matches
seeds = count({first_seed})
batch.secrets = SimpleNamespace(token_bytes=lambda size: next(seeds).to_bytes(size, "big"))
matches.start_match(
    kind=MatchKind.PARTY, ruleset=Ruleset(), player_ids=[UUID({anna!r}), UUID({bert!r})]
)
"""


def seed_of_a_split() -> int:
    """The first seed that deals seat 1 of two a pair, and hits it after the split."""
    for first_seed in count(1, 2):
        seeds = count(first_seed)
        step = engine.start(Ruleset(), 2, lambda seeds=seeds: next(seeds).to_bytes(32, "big"))
        script = [Action(1, ActionName.BET, 10), Action(2, ActionName.BET, 10)]
        for action in [*script, Action(1, ActionName.SPLIT)]:
            turn = engine.turn(step.state)
            legal = {offer.action for offer in turn.legal}
            if turn.seat != action.seat or action.action not in legal:
                break
            step = engine.apply(step.state, action, lambda: bytes(32))
        else:
            hands = step.state.seats[0].hands
            if engine.turn(step.state).seat == 1 and all(hand.total < 10 for hand in hands):
                return first_seed
    raise AssertionError("no seed deals a pair")


def test_a_split_hand_goes_to_the_cpu_and_comes_back(instance: Instance) -> None:
    """The CPU has decided once when the player is there again, with the same cards (CK-10)."""
    instance.wait(instance.is_ready)
    anna, bert = Guest(instance.url, "Anna"), Guest(instance.url, "Bert")
    with closing(anna), closing(bert):
        for guest in (anna, bert):
            guest.open()
        begin = BEGIN.format(first_seed=seed_of_a_split(), anna=anna.id, bert=bert.id)
        manage(instance, "shell", "--no-imports", "-c", begin)
        for guest in (anna, bert):
            guest.wait_for("snapshot")
        bet = {"action": "bet", "amount": 10}
        for guest in (anna, bert):
            guest.wait_until(lambda guest=guest: guest.my_turn)
            guest.act({**bet, "version": guest.view["version"]})
        anna.wait_until(lambda: anna.my_turn)
        anna.act({"action": "split", "version": anna.view["version"]})
        anna.wait_until(lambda: len(anna.view["seats"][0]["hands"]) == 2)
        anna.drop()
        bert.wait_until(lambda: bert.view["seats"][0]["controller"] == "cpu")
        bert.wait_until(lambda: bert.events[-1].get("by") == "cpu")
        anna.open(resume=True)
        anna.wait_until(lambda: anna.view["seats"][0]["controller"] == "human")
        assert anna.my_turn
        assert len(anna.view["seats"][0]["hands"]) == 2
        anna.act({"action": "stand", "version": anna.view["version"]})
        bert.wait_until(lambda: "stood" in [event["type"] for event in bert.events[-4:]])
        own = [event["by"] for event in bert.events if event["type"] in {"hit", "stood", "split"}]
        assert own == ["player", "cpu", "player"]
        changes = [event for event in bert.events if event["type"] == "control_changed"]
        assert [(change["controller"], change["reason"]) for change in changes] == [
            ("cpu", "absent"),
            ("human", None),
        ]
        play_together((anna, bert), 3)
    verify(instance)
