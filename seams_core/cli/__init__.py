"""The command line, ``seams``: attach to a collection, search it, see whether Seams helps it."""

from __future__ import annotations

import sys


def main() -> None:
    """Run ``seams``; says which extra to install where typer or rich is missing."""
    try:
        from seams_core.cli.app import run
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        print(
            f'the command line needs {error.name}: pip install "chunk-seams[cli]"', file=sys.stderr
        )
        sys.exit(2)
    sys.exit(run())
