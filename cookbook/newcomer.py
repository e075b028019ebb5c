"""What a newcomer sees: a fresh clone, the README's two commands, each page of the cookbook.

Everything runs in an empty temporary folder; times are by the clock.

    python cookbook/newcomer.py [--out docs/newcomer.md]
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
_SHOWN = 12  # lines of what a step printed


class Step(NamedTuple):
    """One command with what came of it."""

    command: str
    seconds: float
    code: int
    output: str


def run(command: str, folder: Path) -> Step:
    """Run a command as a newcomer's shell would: nothing of this process's environment leads to
    packages that are installed elsewhere."""
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    begun = time.monotonic()
    done = subprocess.run(
        command, shell=True, cwd=folder, env=kept, capture_output=True, text=True, check=False
    )
    seconds = time.monotonic() - begun
    output = done.stdout if done.returncode == 0 else done.stdout + done.stderr
    step = Step(command, seconds, done.returncode, output)
    print(f"{step.seconds:7.0f} s  {'ok' if step.code == 0 else 'FAILED'}  {command}", flush=True)
    return step


def report(steps: list[Step], folder: Path) -> str:
    """The log as a page."""
    lines = [
        "# A newcomer's log",
        "",
        "A fresh clone in an empty folder, the two commands of the README, then each page of the",
        "cookbook. Made by `make newcomer`; times by the clock, the first command's with the",
        f"installation. Python {platform.python_version()}, {os.cpu_count()} cores that other work",
        "shared.",
        "",
        "| command | time | outcome |",
        "| --- | ---: | --- |",
    ]
    for step in steps:
        outcome = "ok" if step.code == 0 else f"**failed with {step.code}**"
        lines.append(f"| `{step.command}` | {step.seconds:.0f} s | {outcome} |")
    lines += ["", "What came out, the last lines of each:"]
    for step in steps[1:]:
        shown = [line[:110] for line in step.output.replace(str(folder), "~").splitlines() if line]
        lines += ["", f"## `{step.command}`", "", "```text", *shown[-_SHOWN:], "```"]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, help="where to write the log")
    options = parser.parse_args()
    pages = sorted(ROOT.glob("cookbook/[0-9][0-9]_*.py"))
    with tempfile.TemporaryDirectory(prefix="newcomer-") as name:
        folder = Path(name)
        first = run(f"git clone --quiet {ROOT} seams", folder)
        steps = [first._replace(command="git clone … seams")]
        clone = folder / "seams"
        for command in (
            "make demo",
            "make test",
            *(f".venv/bin/python cookbook/{p.name}" for p in pages),
        ):
            steps.append(run(command, clone))
        text = report(steps, clone)
    if options.out:
        options.out.write_text(re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE), encoding="utf-8")
    return int(any(step.code for step in steps))


if __name__ == "__main__":
    sys.exit(main())
