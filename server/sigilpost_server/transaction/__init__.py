"""The transaction of one mail, in parts that the commands and the service are made of.

========== ===========================================================================
module      what it has
========== ===========================================================================
house       what is the same for every mail: settings, the server's key
incoming    what a mail says by itself
work        what a command is given, and the outcome that it gives back
case        the facts that the acceptance table asks for
actions     what the table's actions do
play        a game: read once, played, written once
marks       who answered where it was no line of the seat's orders
automatic   standing orders and bots answer, until somebody has to
tell        letters about a game, and who gets one
post        letters on their way into the outbox
hold        a game stops for the host to look at
shunt       mails that failed by our own fault
rows        typed rows and prepared statements
========== ===========================================================================
"""
