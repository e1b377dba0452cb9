"""Leagues: the league file, draws, seasons, standings, ratings and reliability.

``file`` (with ``faults`` and ``changes``), ``draws``, ``season``, ``standings``, ``divisions``,
``ratings`` and ``reliability`` are pure: plain data in, plain data out, no clock, no chance of
their own, no database. What starts games and writes mails is in ``running``, what stores all of it
in ``store``; ``director`` and ``requests`` are what the host and the players ask of leagues,
``ended`` what games report.
"""
