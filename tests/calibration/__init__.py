"""Calibrating, on a made corpus in which it is known which facts a cut crosses."""
