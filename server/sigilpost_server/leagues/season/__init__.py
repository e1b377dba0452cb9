"""A season, from entry to its end: what may happen to it, one function for each.

``entry``, ``beginning`` and ``drawing``; ``starting``, ``results``, ``challenges`` and ``rounds``;
``leaving``, ``rulings``, ``ending`` and ``promotion``; ``news`` is what players are told of it.

All functions change the :class:`~sigilpost_server.leagues.state.Season` that they are given and
nothing else; the moment is always an argument. Done again, each finds its work done: a result
counts once, a round is drawn once. They return what somebody has to act on: games to end, news to
tell.
"""
