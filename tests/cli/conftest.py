"""A made collection in each store that the command line opens, and the command as a process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import chromadb
import pytest

from seams_core import split_text
from tests.conformance.servers import Servers
from tests.stores import HashEmbedding

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = 4

#: The embedding that the commands are given, in a module of the folder that they run in.
EMBEDDING = """
import sys, time
from tests.stores import HashEmbedding

embed = HashEmbedding()

def made():
    return embed

def slow(texts):
    print("embedding", flush=True, file=sys.stderr)
    time.sleep(0.3)
    return embed(texts)

def broken(texts):
    raise RuntimeError("the model is away")

number = 7
"""


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Commands:
    """Runs ``seams`` in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "mine.py").write_text(EMBEDDING, encoding="utf-8")
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "seams_core.cli", *words]

    def __call__(self, *words: str) -> Done:
        done = subprocess.run(
            self.command(*words),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def seams(tmp_path) -> Commands:
    return Commands(tmp_path)


def chunks(documents: int = DOCUMENTS, chunk_size: int = 128) -> Iterator[Any]:
    for d in range(documents):
        text = " ".join(
            f"Fact {n} of document {d} says that part w{n * 7 + d} is kept in store s{n % 13}."
            for n in range(120)
        )
        yield from split_text(text, document_id=f"d{d}", chunk_size=chunk_size)


def fill_chroma(client: Any, name: str = "docs", **settings: Any) -> int:
    """Chunks of made documents in a collection; how many cuts they have."""
    made = list(chunks(**settings))
    client.create_collection(name, embedding_function=None).add(
        ids=[chunk.id for chunk in made],
        documents=[chunk.text for chunk in made],
        embeddings=HashEmbedding()([chunk.text for chunk in made]),
        metadatas=[{"document_id": c.document_id, "start_index": c.start} for c in made],
    )
    return len(made) - len({chunk.document_id for chunk in made})


@pytest.fixture(scope="session")
def servers(tmp_path_factory) -> Iterator[Servers]:
    running = Servers(tmp_path_factory.mktemp("servers"))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def filled(tmp_path_factory) -> Path:
    """A Chroma folder, filled by a process that has ended, as a user's has."""
    run = (
        "import chromadb, sys; from tests.cli.conftest import fill_chroma; "
        "print(fill_chroma(chromadb.PersistentClient(sys.argv[1])))"
    )
    path = tmp_path_factory.mktemp("filled") / "db"
    subprocess.run([sys.executable, "-c", run, str(path)], cwd=ROOT, check=True)
    return path


@pytest.fixture
def folder(tmp_path, filled) -> Path:
    """A copy of it."""
    shutil.copytree(filled, tmp_path / "db")
    return tmp_path / "db"


@pytest.fixture
def server(servers) -> str:
    """A Chroma server with a filled collection."""
    url = servers.url("chroma")
    host, port = url.split(":")
    client = chromadb.HttpClient(host=host, port=int(port))
    for collection in client.list_collections():
        client.delete_collection(collection.name)
    fill_chroma(client)
    return f"http://{url}"
