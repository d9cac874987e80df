"""The processes that journeys play against are real."""

import time

from redis import Redis

from config.health import worker_is_working
from config.processes import Process


def test_service_answers_over_http(service) -> None:
    with service.client() as client:
        assert client.get("/readyz").json()["status"] == "ok"


def test_service_survives_kill(service) -> None:
    web = service.running[Process.WEB]
    web.kill()
    web.restart()
    service.wait_ready()
    with service.client() as client:
        assert client.get("/healthz").status_code == 200


def test_workers_complete_tasks(workers, valkey: Redis) -> None:
    until = time.monotonic() + 90
    while time.monotonic() < until:
        if worker_is_working("sweep") and worker_is_working("default"):
            return
        time.sleep(0.1)
    raise AssertionError(workers.running[Process.WORKER].log.read_text())
