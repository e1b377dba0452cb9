"""The public pages: static files without scripts, from what everybody may know.

Of a game that runs they tell who plays it and nothing else; a game that is over is shown step by
step from its transcript, after the transcript was verified.
"""
