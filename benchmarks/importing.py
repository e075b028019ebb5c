"""How long ``import seams_core`` takes beside ``import numpy``, each in a process of its own."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from harness import record

ROUNDS = 15
CANDIDATES = {
    "python, nothing imported": "pass",
    "import numpy": "import numpy",
    "import seams_core": "import seams_core",
    "import seams_langchain": "import seams_langchain",
    "import seams_llamaindex": "import seams_llamaindex",
}


def seconds(code: str) -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - begun


def main() -> None:
    times: dict[str, list[float]] = {name: [] for name in CANDIDATES}
    for code in CANDIDATES.values():  # a warm-up that is not counted
        seconds(code)
    for _ in range(ROUNDS):
        for name, code in CANDIDATES.items():
            times[name].append(seconds(code))
    lines = ["| | median, s | more than numpy, s |", "| --- | ---: | ---: |"]
    for name, spent in times.items():
        more = statistics.median(a - b for a, b in zip(spent, times["import numpy"], strict=True))
        lines.append(f"| {name} | {statistics.median(spent):.3f} | {more:+.3f} |")
    how = "each import in a process of its own, by the clock, the candidates in turns"
    record("Importing", "\n".join(lines), how)


if __name__ == "__main__":
    main()
