"""The kernel: what every game stands on.

Pure and deterministic: no clock, no files, no global randomness.
"""
