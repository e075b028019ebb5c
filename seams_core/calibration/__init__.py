"""Calibrating the fire test for a deployment (paper 3.2)."""

from seams_core.calibration.result import Calibration, CalibrationMismatchWarning
from seams_core.calibration.run import acalibrate_margin, calibrate_margin
from seams_core.calibration.sampling import fingerprint
from seams_core.calibration.use import CalibrationCheck, chosen_fire_test, deployment
from seams_core.calibration.writing import RareWords

__all__ = [
    "Calibration",
    "CalibrationCheck",
    "CalibrationMismatchWarning",
    "RareWords",
    "acalibrate_margin",
    "calibrate_margin",
    "chosen_fire_test",
    "deployment",
    "fingerprint",
]
