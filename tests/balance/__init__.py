"""How often a chapter is won by the side that played each spell: self-play, counted."""
