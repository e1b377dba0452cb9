"""Mail going out: what a letter says (``letter``, ``letters``) and its bytes (``compose``)."""
