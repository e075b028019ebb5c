"""What the benchmarks share: the texts, interleaved timing, and a recorded table.

These machines are noisy, so candidates take turns within one run and ratios are quoted: the
median over the rounds of a candidate's time over the baseline's time in the same round.
"""

from __future__ import annotations

import argparse
import gzip
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
PEPS = HERE.parent.parent / "shared" / "data" / "peps" / "corpus.jsonl.gz"


def texts() -> tuple[str, dict[str, str]]:
    """The span-annotated PEPs where they are at hand, the language reference elsewhere."""
    if PEPS.is_file():
        with gzip.open(PEPS, "rt", encoding="utf-8") as lines:
            documents = (json.loads(line) for line in lines)
            return "peps", {d["document_id"]: d["text"] for d in documents}
    from pydoc_data.topics import topics

    return "the Python language reference", dict(topics)


def compare(
    candidates: dict[str, Callable[[], object]], *, rounds: int
) -> dict[str, tuple[float, float]]:
    """For each candidate its median seconds and its median ratio to the first one."""
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for run in candidates.values():  # a warm-up that is not counted
        run()
    for _ in range(rounds):
        for name, run in candidates.items():
            begun = time.process_time()
            run()
            times[name].append(time.process_time() - begun)
    base = times[next(iter(candidates))]
    return {
        name: (
            statistics.median(spent),
            statistics.median(a / b for a, b in zip(spent, base, strict=True)),
        )
        for name, spent in times.items()
    }


def table(results: dict[str, tuple[float, float]], unit: float = 1.0, name: str = "s") -> str:
    """A Markdown table of medians and ratios."""
    lines = [f"| | median CPU {name} | ratio |", "| --- | ---: | ---: |"]
    lines += [f"| {k} | {s * unit:.3g} | {ratio:.2f} |" for k, (s, ratio) in results.items()]
    return "\n".join(lines)


TURNS = "the ratio is the median over rounds in which the candidates took turns"


def record(title: str, body: str, how: str = TURNS) -> None:
    """Print a result and write it where ``--out`` says, with the command that made it."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--out", type=Path, help="where to record the result (Markdown)")
    out = parser.parse_args().out
    command = " ".join(["python", f"benchmarks/{Path(sys.argv[0]).name}"])
    text = (
        f"# {title}\n\n{body}\n\nMade by `{command}` on Python {platform.python_version()}, "
        f"{platform.machine()}, in one run; {how}.\n"
    )
    print(text)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
