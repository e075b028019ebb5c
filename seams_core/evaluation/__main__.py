"""``python -m seams_core.evaluation``: measure Seams on your own corpus and questions.

Example, for sets in the format of :mod:`seams_core.evaluation.data`::

    python -m seams_core.evaluation DATA --sets mine --model mymodule:make_embed --out results
"""

from __future__ import annotations

import argparse
import importlib
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from seams_core.errors import SeamsError
from seams_core.evaluation.data import EvaluationSet, load_set
from seams_core.evaluation.embedding import CachedEmbedder, Embed
from seams_core.evaluation.experiments import EXPERIMENTS, Place


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiments that are asked for and write their tables."""
    parser = argparse.ArgumentParser(
        prog="python -m seams_core.evaluation", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("data", type=Path, help="folder that holds the sets' folders")
    parser.add_argument("--sets", nargs="+", required=True, metavar="SET", help="folder[:half]")
    parser.add_argument(
        "--model",
        required=True,
        metavar="MODULE:FUNCTION",
        help="a function without arguments that returns the embedding function",
    )
    parser.add_argument("--name", help="short name of the model; its function's name if none")
    parser.add_argument("--out", type=Path, required=True, help="where results are written")
    parser.add_argument("--cache", type=Path, default=Path(".cache/evaluation"))
    parser.add_argument(
        "--experiments", nargs="+", choices=list(EXPERIMENTS), default=list(EXPERIMENTS)
    )
    parser.add_argument(
        "--skip",
        nargs="+",
        default=(),
        metavar="PATTERN",
        help="names of methods that the main table leaves out, such as 'windows*'",
    )
    options = parser.parse_args(arguments)
    given = sys.argv[1:] if arguments is None else arguments
    command = shlex.join(["python", "-m", "seams_core.evaluation", *given])
    try:
        sets = [_load(options.data, name) for name in options.sets]
        name = options.name or options.model.rpartition(":")[2]
        embedder = CachedEmbedder(_function(options.model), options.cache / "vectors", name)
        place = Place(options.out, options.cache / "state", name, command, tuple(options.skip))
        for experiment in options.experiments:
            EXPERIMENTS[experiment](sets, embedder, place)
    except (SeamsError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for path in place.written:
        print(path)
    return 0


def _load(folder: Path, name: str) -> EvaluationSet:
    name, _, half = name.partition(":")
    return load_set(folder / name).half(half or "all")  # type: ignore[arg-type]


def _function(name: str) -> Embed:
    module, _, function = name.partition(":")
    if not module or not function:
        raise ValueError(f"--model {name!r} is not allowed: give MODULE:FUNCTION")
    embed: Embed = getattr(importlib.import_module(module), function)()
    return embed


if __name__ == "__main__":
    sys.exit(main())
