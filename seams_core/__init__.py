"""Seams: one small search vector over every cut between two chunks, linked to both."""

from seams_core._version import __version__
from seams_core.types import Chunk, Entry, Seam

__all__ = ["Chunk", "Entry", "Seam", "__version__"]
