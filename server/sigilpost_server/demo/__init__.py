"""``python -m sigilpost_server.demo``: a whole game by real mail, here and now.

It starts the real server, ``sigilpost serve`` with its SMTP listener, and for each player the real
client, ``sigil``, at a mailbox of the player's own. From then on it only looks on: the players'
bots read their mail, sign their moves and send them by SMTP.
"""
