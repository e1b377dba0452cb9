"""The player's side of sigilpost: the command ``sigil``."""
