"""Whole instances, as `make run` starts them: up, through what kills them, and down."""

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import psycopg
import pytest

from tests.instances import READY_WITHIN, STOP_WITHIN, Instance, free_port, launch

pytestmark = [pytest.mark.slow_start, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Short, since sockets have short names, and open to PostgreSQL's account."""
    path = Path(tempfile.mkdtemp(prefix="taku-run-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def instance(folder: Path) -> Iterator[Instance]:
    """One instance for the whole module; a test leaves it running."""
    instance = Instance(folder / "one")
    instance.start()
    with psycopg.connect(connection(instance), autocommit=True) as database:
        database.execute("CREATE TABLE kept (word text)")
        database.execute("INSERT INTO kept VALUES ('still here')")
    yield instance
    instance.kill()


def connection(instance: Instance) -> str:
    return f"host={instance.layout.sockets} user=taku dbname=taku"


def kept(instance: Instance) -> list[tuple[str]]:
    with psycopg.connect(connection(instance)) as database:
        return database.execute("SELECT word FROM kept").fetchall()


def refused(data_dir: Path, port: int, **more: str) -> str:
    """What an instance says that refuses to start: one line, and a failing exit code."""
    process = launch(data_dir, port, **more)
    try:
        output, _ = process.communicate(timeout=READY_WITHIN)
    finally:
        process.kill()
    assert process.returncode not in (0, None)
    assert len(output.splitlines()) == 1, output
    return output


def test_says_ready_in_one_line(instance: Instance) -> None:
    assert instance.lines.count(instance.ready_line) == 1
    assert instance.is_ready()


def test_the_first_start_makes_a_staff_login_that_works(instance: Instance) -> None:
    instance.wait(lambda: any(line.startswith("Staff pages: ") for line in instance.lines))
    [login] = [line for line in instance.lines if line.startswith("Staff login: ")]
    assert f"Staff pages: {instance.url}/admin/" in instance.lines
    name, _, password = login.removeprefix("Staff login: ").partition(" / ")
    with httpx.Client(base_url=instance.url, follow_redirects=True) as client:
        page = client.get("/admin/")
        token = client.cookies["csrftoken"]
        assert page.status_code == 200
        page = client.post(
            "/admin/login/?next=/admin/live/",
            data={"username": name, "password": password, "csrfmiddlewaretoken": token},
        )
        assert page.url.path == "/admin/live/"
        assert page.status_code == 200


def test_makes_a_secret_key_that_only_its_user_reads(instance: Instance) -> None:
    assert len(instance.layout.secret_key.read_text()) >= 50
    assert instance.layout.secret_key.stat().st_mode & 0o077 == 0


def test_static_files_have_hashed_names(instance: Instance) -> None:
    page = httpx.get(instance.url + "/admin/login/")
    name = page.text.split('href="/static/admin/css/base.')[1].split('"')[0]
    answer = httpx.get(f"{instance.url}/static/admin/css/base.{name}")
    assert answer.status_code == 200
    assert "immutable" in answer.headers["cache-control"]


@pytest.mark.parametrize(
    "words",
    [("manage.py", "web"), ("valkey-server",), ("postgres", "-D"), ("celery", "beat")],
    ids=["web", "valkey", "postgresql", "beat"],
)
def test_killed_child_is_started_again(instance: Instance, words: tuple[str, ...]) -> None:
    instance.wait(lambda: _has(instance, words))
    killed = instance.child(*words)
    killed.kill()
    instance.wait(lambda: _has(instance, words, other_than=killed.pid))
    instance.wait(instance.is_ready)


def _has(instance: Instance, words: tuple[str, ...], other_than: int = 0) -> bool:
    with contextlib.suppress(LookupError, psutil.NoSuchProcess):
        child = instance.child(*words)
        return child.is_running() and child.pid != other_than
    return False


def test_taken_port_is_told_in_one_sentence(instance: Instance, folder: Path) -> None:
    assert f"127.0.0.1:{instance.port}" in refused(folder / "other", instance.port)


def test_taken_data_folder_is_told_in_one_sentence(instance: Instance) -> None:
    assert "in use" in refused(instance.layout.root, free_port())


def test_data_folder_of_another_version_is_told_in_one_sentence(folder: Path) -> None:
    cluster = folder / "old" / "postgres"
    cluster.mkdir(parents=True)
    (cluster / "PG_VERSION").write_text("17\n")
    assert "PostgreSQL 17" in refused(folder / "old", free_port())


def test_absent_database_is_told_in_one_sentence(folder: Path) -> None:
    url = f"postgres://nobody@127.0.0.1:{free_port()}/absent"
    assert "PostgreSQL" in refused(folder / "absent", free_port(), DATABASE_URL=url)


def test_two_instances_run_side_by_side(instance: Instance, folder: Path) -> None:
    second = Instance(folder / ("its-path-is-too-long-for-a-socket-" * 4))
    try:
        second.start()
        assert instance.is_ready()
        assert second.is_ready()
        code, took, left = second.stop(signal.SIGINT)
        assert (code, left) == (0, 0)
        assert took < STOP_WITHIN
    finally:
        second.kill()
    assert instance.is_ready()


def _names(supervisor: psutil.Process) -> set[str]:
    names = set()
    for child in supervisor.children():
        with contextlib.suppress(psutil.NoSuchProcess):  # some live for a moment only
            names.add(child.name())
    return names


def test_sigterm_during_the_start_ends_all(folder: Path) -> None:
    process = launch(folder / "hasty", free_port())
    supervisor = psutil.Process(process.pid)
    until = time.monotonic() + READY_WITHIN
    while "postgres" not in _names(supervisor) and time.monotonic() < until:
        time.sleep(0.01)
    family = supervisor.children(recursive=True)
    began = time.monotonic()
    process.terminate()
    try:
        output, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0, output
    assert time.monotonic() - began < STOP_WITHIN
    assert psutil.wait_procs(family, timeout=0)[1] == []


def test_sigterm_ends_all_and_the_next_start_goes_on(instance: Instance) -> None:
    code, took, left = instance.stop(signal.SIGTERM)
    assert (code, left) == (0, 0)
    assert took < STOP_WITHIN
    instance.start()
    assert kept(instance) == [("still here",)]
    assert not any("Staff login" in line for line in instance.lines)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children of it")
def test_killed_supervisor_leaves_no_children_and_the_next_start_goes_on(
    instance: Instance,
) -> None:
    family = instance.family()
    instance.process.kill()
    instance.process.wait()
    _, alive = psutil.wait_procs(family, timeout=STOP_WITHIN)
    assert alive == []
    instance.start()
    assert kept(instance) == [("still here",)]


def test_start_after_kill_of_everything_goes_on(instance: Instance) -> None:
    instance.kill()
    pid_file = instance.layout.cluster / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    pid_file.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")  # reused by another
    instance.start()
    assert kept(instance) == [("still here",)]
