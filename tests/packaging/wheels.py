"""Build the wheel, install it in an empty environment per extra, run that extra's smoke test there.

    python tests/packaging/wheels.py [EXTRA ...] [--python PYTHON ...]

``bare`` stands for no extra. Every environment is made anew in a temporary folder.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SMOKE = Path(__file__).resolve().parent / "smoke"
EXTRAS = ("bare", "langchain", "llamaindex", "chroma", "postgres", "eval", "cli", "all")


def build(folder: Path) -> tuple[Path, Path]:
    """The wheel, and the source archive that it is made from."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    (archive,) = folder.glob("*.tar.gz")
    return wheel, archive


def environment(folder: Path, python: str, wheel: Path, extra: str) -> Path:
    """An empty environment with the wheel and one extra; its Python."""
    subprocess.run([python, "-m", "venv", str(folder)], check=True)
    inside = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    wanted = str(wheel) if extra == "bare" else f"{wheel}[{extra}]"
    pip = [str(inside), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted]
    subprocess.run(pip, check=True, cwd=folder)
    return inside


def tokenizer_cache() -> dict[str, str]:
    """Where tiktoken finds the file it would load once; the smoke tests run without a network."""
    from seams_core._tiktoken import shipped_folder

    folder = shipped_folder("tiktoken_cache")
    return {} if folder is None else {"TIKTOKEN_CACHE_DIR": str(folder)}


def smoke(inside: Path, extra: str, folder: Path) -> str:
    """What the smoke test prints; it runs outside the repository, so only the wheel is found."""
    script = SMOKE / ("bare.py" if extra == "bare" else f"with_{extra}.py")
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(
        [str(inside), str(script)],
        cwd=folder,
        env={**kept, **tokenizer_cache()},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{extra}: {done.stdout}{done.stderr}")
    return done.stdout


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("extras", nargs="*", metavar="EXTRA", help=f"of {', '.join(EXTRAS)}")
    parser.add_argument("--python", nargs="+", default=[sys.executable], help="interpreters")
    options = parser.parse_args(arguments)
    unknown = set(options.extras) - set(EXTRAS)
    if unknown:
        parser.error(f"no extra {', '.join(sorted(unknown))}: give some of {', '.join(EXTRAS)}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel, _ = build(folder / "dist")
        print(f"built {wheel.name}")
        for python in options.python:
            version = [python, "-c", "import platform; print(platform.python_version())"]
            shown = subprocess.run(version, check=True, capture_output=True, text=True).stdout
            for extra in options.extras or EXTRAS:
                begun = time.monotonic()
                place = folder / f"{shown.strip()}-{extra}"
                inside = environment(place, python, wheel, extra)
                last = smoke(inside, extra, folder).strip().splitlines()[-1]
                print(f"{shown.strip()}  {last}  {time.monotonic() - begun:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
