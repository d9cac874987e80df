"""Run one web process: HTTP and WebSocket by uvicorn."""

import asyncio
import socket
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from api import lifecycle
from config import health


class Server(uvicorn.Server):
    """uvicorn, which tells the application when it starts and before it stops."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await lifecycle.started()
        await super().startup(sockets=sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        health.stop()
        await asyncio.sleep(settings.DRAIN_SECONDS)
        await lifecycle.stopping()
        await super().shutdown(sockets=sockets)


class Command(BaseCommand):
    """`manage.py web`: listens on HOST and PORT, or on an inherited socket."""

    help = "Run one web process in the foreground."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default=settings.HOST)
        parser.add_argument("--port", type=int, default=settings.PORT)
        parser.add_argument("--fd", type=int, help="a listening socket's file descriptor")

    def handle(self, *args: Any, **options: Any) -> None:
        config = uvicorn.Config(
            "config.asgi:application",
            host=options["host"],
            port=options["port"],
            fd=options["fd"],
            loop="uvloop",
            http="httptools",
            ws="websockets-sansio",
            ws_max_size=2 * 1024 * 1024,  # more than a client may send, so that it can be told so
            ws_ping_interval=settings.SOCKET_PING_SECONDS,
            ws_ping_timeout=settings.SOCKET_PING_SECONDS,
            ws_per_message_deflate=False,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=settings.TRUSTED_PROXIES > 0,
            forwarded_allow_ips=settings.FORWARDED_ALLOW_IPS,
            timeout_graceful_shutdown=settings.GRACEFUL_SECONDS,
            timeout_keep_alive=15,
            backlog=2048,
        )
        Server(config).run()
