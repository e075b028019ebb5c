"""Runs with the extra ``all``: everything that the other extras' tests do, in one environment."""

import runpy
from pathlib import Path

for name in ("langchain", "llamaindex", "chroma", "eval", "cli"):
    runpy.run_path(str(Path(__file__).with_name(f"with_{name}.py")))
print("all ok")
