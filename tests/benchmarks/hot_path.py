"""How many actions one web process takes over sockets, and how fast: prints JSON.

`python tests/benchmarks/hot_path.py --tables 30 --members 6 [--seconds 20]` starts an instance,
seats members at tables, has whoever is on turn act at once, and kills the web process with
`kill -9` under this load. Clients share the machine, so look at `per_web_cpu_second` too.
"""

import argparse
import asyncio
import itertools
import json
import os
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from uuid import UUID

import httpx
import msgspec
import psutil
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.instances import Instance

WARM_UP = 3.0
ROUNDS = 100


class Offer(msgspec.Struct):
    action: str
    min: int | None = None


class ToAct(msgspec.Struct):
    seat: int
    legal: list[Offer]


class View(msgspec.Struct):
    version: int
    to_act: ToAct | None


class Told(msgspec.Struct):
    """What a client reads of a message."""

    type: str
    id: str | None = None
    code: str | None = None
    view: View | None = None


read = msgspec.json.Decoder(Told).decode


class Load:
    """What the members of all tables have done."""

    def __init__(self) -> None:
        self.sent: dict[str, float] = {}
        self.acked: dict[str, float] = {}
        self.took: list[float] = []
        self.refused = 0
        self.measuring = False
        self.ids = itertools.count()

    def begin(self) -> None:
        """Count from now on."""
        self.took.clear()
        self.measuring = True


def decision(view: View) -> dict[str, object]:
    """Something legal that keeps the match going."""
    assert view.to_act is not None
    legal = {offer.action: offer for offer in view.to_act.legal}
    name = next(name for name in ("bet", "decline", "stand", "hit") if name in legal)
    chosen: dict[str, object] = {"action": name, "version": view.version}
    if name == "bet":
        chosen["amount"] = legal[name].min
    return chosen


async def play(socket: ClientConnection, match: str, seat: int, load: Load) -> None:
    """Act whenever it is this seat's turn, until the connection is gone."""
    acted = -1
    try:
        async for text in socket:
            told = read(text)
            if told.type == "ack" and told.id in load.sent:
                now = time.perf_counter()
                load.acked[told.id] = now
                if load.measuring:
                    load.took.append(now - load.sent[told.id])
            elif told.type == "error":
                load.refused += 1
            view = told.view
            if view is None or view.to_act is None or view.to_act.seat != seat:
                continue
            if view.version <= acted:
                continue
            acted = view.version
            action_id = f"load-{next(load.ids)}"
            frame = {"type": "action", "match": match, "id": action_id, **decision(view)}
            load.sent[action_id] = time.perf_counter()
            await socket.send(json.dumps(frame))
    except ConnectionClosed:
        return


async def run(instance: Instance, tables: int, members: int, seconds: float) -> dict[str, object]:
    """Play for `seconds`, kill the web process, and look for what was acknowledged."""
    from tables.blackjack.events import MatchKind
    from tables.blackjack.ruleset import Ruleset
    from tables.services.matches import start_match

    load = Load()
    kind = MatchKind.PARTY if members > 1 else MatchKind.SOLO
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(
            httpx.AsyncClient(base_url=f"{instance.url}/api/v1/", timeout=60)
        )
        seats = []
        for _ in range(tables):
            made = [(await http.post("players/", json={})).json() for _ in range(members)]
            match = await asyncio.to_thread(
                start_match,
                kind=kind,
                ruleset=Ruleset(rounds=ROUNDS),
                player_ids=[UUID(one["player"]["id"]) for one in made],
                watchable=False,
            )
            for seat, one in enumerate(made, start=1):
                socket = await stack.enter_async_context(
                    connect(
                        f"{instance.url.replace('http', 'ws')}/ws/v1/",
                        additional_headers={"Authorization": f"Bearer {one['token']}"},
                        compression=None,
                        max_queue=None,
                    )
                )
                seats.append((socket, str(match.pk), seat))
        plays = [asyncio.create_task(play(*seat, load)) for seat in seats]
        web = instance.child("manage.py", "web")
        await asyncio.sleep(WARM_UP)
        print(f"measuring process {web.pid}", file=sys.stderr, flush=True)
        load.begin()
        cpu, began = sum(web.cpu_times()[:2]), time.perf_counter()
        await asyncio.sleep(seconds)
        took, cpu = sorted(load.took), sum(web.cpu_times()[:2]) - cpu
        lasted = time.perf_counter() - began
        web.kill()
        await asyncio.gather(*plays)
    lost = await asyncio.to_thread(missing, set(load.acked))
    return {
        "tables": tables,
        "members": members,
        "seconds": round(lasted, 1),
        "actions_per_second": round(len(took) / lasted),
        "per_web_cpu_second": round(len(took) / cpu),
        "web_cores": round(cpu / lasted, 2),
        "p50_ms": round(1000 * took[len(took) // 2], 1),
        "p99_ms": round(1000 * took[len(took) * 99 // 100], 1),
        "refused": load.refused,
        "acknowledged": len(load.acked),
        "in_flight_at_kill": len(load.sent) - len(load.acked),
        "lost": lost,
        "load_average": round(psutil.getloadavg()[0], 1),
    }


def missing(acked: set[str]) -> int:
    """How many acknowledged actions are not stored."""
    from tables.models import MatchStep

    stored = MatchStep.objects.filter(action_id__startswith="load-")
    return len(acked - set(stored.values_list("action_id", flat=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=30)
    parser.add_argument("--members", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    os.environ |= {"RATE_ACCOUNTS_BURST": "100000", "RATE_FRAMES": "100000"}
    with tempfile.TemporaryDirectory(prefix="taku-hot-path-") as folder:
        Path(folder).chmod(0o711)
        instance = Instance(Path(folder) / "one")
        instance.start()
        os.environ["DATA_DIR"] = str(instance.layout.root)
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        import django

        django.setup()
        try:
            result = asyncio.run(run(instance, options.tables, options.members, options.seconds))
            print(json.dumps(result))
        finally:
            instance.kill()


if __name__ == "__main__":
    main()
