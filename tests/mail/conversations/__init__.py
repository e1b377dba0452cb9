"""Whole conversations between players and the server, each a folder of mails.

``01-alice.eml`` is a mail as it came in; ``01-alice.txt`` is all that came of it: the verdict and
every mail of the server's. ``scripts`` says what the players send; ``python -m
tests.mail.conversations.write`` writes the folders again.
"""
