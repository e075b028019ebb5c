"""Runs with the extra ``cli``: the command is there and says what it can do."""

import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

names = [e.name for e in distribution("chunk-seams").entry_points if e.group == "console_scripts"]
assert names == ["seams"], names
command = Path(sys.executable).parent / "seams"
done = subprocess.run([command, "--help"], capture_output=True, text=True)
assert done.returncode == 0, done.stderr
print(done.stdout)
print("cli ok")
