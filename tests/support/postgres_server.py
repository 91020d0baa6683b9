"""A PostgreSQL server of the tests' own: made in a temporary folder, started, stopped, gone."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text


def find_binaries() -> Path | None:
    """Return the folder of initdb and pg_ctl: the newest installed, else what is on the path."""
    # What is on the path may be a wrapper that finds the real one only for some users.
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name.split(".")[0]))
    folders += [Path(found).parent for found in [shutil.which("initdb")] if found]
    for folder in reversed(folders):
        if (folder / "initdb").exists() and (folder / "pg_ctl").exists():
            return folder
    return None


@contextlib.contextmanager
def running(binaries: Path) -> Iterator[str]:
    """Return a server's URL, for as long as it runs."""
    folder = Path(tempfile.mkdtemp(prefix="gamesman-postgres-"))
    run_as: dict[str, object] = {}
    if os.geteuid() == 0:  # the server refuses to run as root
        user = next(u for u in (_user("postgres"), _user("nobody")) if u)
        os.chown(folder, user.pw_uid, user.pw_gid)
        run_as = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def run(program: str, *arguments: str) -> None:
        command = [str(binaries / program), "-D", str(folder / "data"), *arguments]
        with (folder / "said").open("a") as said:
            done = subprocess.run(command, stdout=said, stderr=said, cwd=folder, **run_as)  # type: ignore[call-overload]
        if done.returncode:
            raise RuntimeError(f"{program} failed:\n{(folder / 'said').read_text()}")

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    try:
        run("initdb", "-U", "gamesman", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories={folder} -c fsync=off"
        run("pg_ctl", "-w", "-t", "60", "-o", options, "-l", str(folder / "log"), "start")
        try:
            yield f"postgresql+psycopg://gamesman@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _user(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


@pytest.fixture(scope="module")
def server():
    pytest.importorskip("psycopg", reason="NOT TESTED: PostgreSQL; run: pip install 'gamesman[postgres]'")
    binaries = find_binaries()
    if binaries is None:
        note = "NOT TESTED: PostgreSQL, for want of a server's programs; run: apt install postgresql"
        print(f"\n{note}", file=sys.__stderr__)
        pytest.skip(note)
    with running(binaries) as url:
        yield url


@pytest.fixture
def place(server, request):
    """Return the URL of an empty database."""
    name = f"t{abs(hash(request.node.name))}"
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return server.rsplit("/", 1)[0] + f"/{name}"
