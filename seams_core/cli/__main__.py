"""``python -m seams_core.cli``."""

from seams_core.cli import main

main()
