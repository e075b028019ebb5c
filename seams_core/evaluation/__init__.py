"""Measuring what Seams is worth, on any corpus and questions (paper 3.5); needs the extra eval."""

from seams_core.evaluation.bench import Bench, Settings
from seams_core.evaluation.comparators.base import Answer, Fused, Method
from seams_core.evaluation.comparators.late import LateChunking
from seams_core.evaluation.comparators.neighbours import Adaptive, Neighbours, Smoothed
from seams_core.evaluation.comparators.plain import Contextual, Overlap, Plain
from seams_core.evaluation.comparators.seams import Seams
from seams_core.evaluation.comparators.segments import Segments
from seams_core.evaluation.comparators.sides import SeamsDroppingSides
from seams_core.evaluation.comparators.small import Sentences, Windows
from seams_core.evaluation.data import EvaluationDataError, EvaluationSet, Question, Span, load_set
from seams_core.evaluation.embedding import CachedEmbedder
from seams_core.evaluation.metrics import SpanScores, boundary_risk, precision_omega, span_scores
from seams_core.evaluation.ruler import TokenRuler
from seams_core.evaluation.runner import MethodRun, SetRun, run_methods
from seams_core.evaluation.shifting import shift_grid
from seams_core.evaluation.summary import paired, summarise

__all__ = [
    "Adaptive",
    "Answer",
    "Bench",
    "CachedEmbedder",
    "Contextual",
    "EvaluationDataError",
    "EvaluationSet",
    "Fused",
    "LateChunking",
    "Method",
    "MethodRun",
    "Neighbours",
    "Overlap",
    "Plain",
    "Question",
    "Seams",
    "SeamsDroppingSides",
    "Segments",
    "Sentences",
    "SetRun",
    "Settings",
    "Smoothed",
    "Span",
    "SpanScores",
    "TokenRuler",
    "Windows",
    "boundary_risk",
    "load_set",
    "paired",
    "precision_omega",
    "run_methods",
    "shift_grid",
    "span_scores",
    "summarise",
]
