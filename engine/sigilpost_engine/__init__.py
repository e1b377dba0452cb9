"""The games of sigilpost and what client and server agree on: pure and deterministic."""
