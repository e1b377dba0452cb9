"""Leagues: the league file, draws, seasons, standings, ratings and reliability.

``file``, ``draws``, ``season``, ``standings``, ``divisions``, ``ratings`` and ``reliability`` are
pure: plain data in, plain data out, no clock, no chance of their own, no database. What stores
them, starts games and writes mails is in ``leagues.running`` and what it imports.
"""
