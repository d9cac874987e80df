"""The processes that journeys play against are real."""

from redis import Redis

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


def test_workers_complete_tasks(workers, valkey: Redis, settings) -> None:
    database = valkey.connection_pool.connection_kwargs["db"]
    channel = f"__keyspace@{database}__:{settings.REDIS_PREFIX}heartbeat"
    with valkey.pubsub() as listener:
        valkey.config_set("notify-keyspace-events", "K$")
        listener.subscribe(channel)
        for _ in range(100):
            message = listener.get_message(ignore_subscribe_messages=True, timeout=0.3)
            if message is not None:
                return
    raise AssertionError(workers.running[Process.WORKER].log.read_text())
