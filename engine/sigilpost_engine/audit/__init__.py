"""Proofs: the transcript of a finished game, and checking one offline.

``transcript`` is the file (docs/transcript.md), ``verify`` replays it with the engine.
"""
