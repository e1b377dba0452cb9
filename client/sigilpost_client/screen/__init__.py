"""How things look at the terminal: ``plain`` for short answers, ``rich`` for whole positions."""
