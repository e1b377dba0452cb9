"""A running league: what changes the database, begins and stops games, and writes mails.

``league`` reads and writes it; ``steps`` moves it on; ``invitations``, ``outcomes`` and
``stopping`` are about its games, ``members`` about who comes and goes; ``mails`` tells what
happened (``outlook``: what comes next; ``moments``: when), ``decisions`` what the director decided.
"""
