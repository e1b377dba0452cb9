"""All spells, one file for each set. Importing this package fills the book."""

from sigilpost_engine.games.wizards.spells import base, lost_pages, shifting_sands

__all__ = ["base", "lost_pages", "shifting_sands"]
