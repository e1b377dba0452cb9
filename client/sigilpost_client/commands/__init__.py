"""The commands of ``sigil``, one file for each group of them; ``cli`` has the table."""
