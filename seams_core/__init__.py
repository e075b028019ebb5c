"""Seams: one small search vector over every cut between two chunks, linked to both."""

from seams_core._version import __version__
from seams_core.anchored import AnchoredFireTest
from seams_core.calibration import (
    Calibration,
    CalibrationMismatchWarning,
    acalibrate_margin,
    calibrate_margin,
)
from seams_core.cutting import split_text
from seams_core.errors import SeamsError
from seams_core.fire import CalibratableFireTest, FireTest, Firing, MarginFireTest, Verdict
from seams_core.fusion import FusedRanking, convex_combination, reciprocal_rank_fusion
from seams_core.index import IndexStatus, SeamedIndex
from seams_core.keywords import KeywordIndex
from seams_core.locate import Locator
from seams_core.ratio import ScoreRatioFireTest
from seams_core.retrieval import Retrieval, Retrieved
from seams_core.selection import Selection, SelectionPlan, select_chunks
from seams_core.sides import DropSideFireTest
from seams_core.sources import DenseSource, KeywordSource, Source
from seams_core.store import Hit, Row, Store
from seams_core.sync import SyncReport, async_sync, sync
from seams_core.tokens import Tokenizer
from seams_core.trace import Trace
from seams_core.types import Chunk, Entry, Seam
from seams_core.windows import build_seams

__all__ = [
    "AnchoredFireTest",
    "CalibratableFireTest",
    "Calibration",
    "CalibrationMismatchWarning",
    "Chunk",
    "DenseSource",
    "DropSideFireTest",
    "Entry",
    "FireTest",
    "Firing",
    "FusedRanking",
    "Hit",
    "IndexStatus",
    "KeywordIndex",
    "KeywordSource",
    "Locator",
    "MarginFireTest",
    "Retrieval",
    "Retrieved",
    "Row",
    "ScoreRatioFireTest",
    "Seam",
    "SeamedIndex",
    "SeamsError",
    "Selection",
    "SelectionPlan",
    "Source",
    "Store",
    "SyncReport",
    "Tokenizer",
    "Trace",
    "Verdict",
    "__version__",
    "acalibrate_margin",
    "async_sync",
    "build_seams",
    "calibrate_margin",
    "convex_combination",
    "reciprocal_rank_fusion",
    "select_chunks",
    "split_text",
    "sync",
]
