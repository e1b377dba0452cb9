"""From a mail's bytes to what it says: the guarded door, texts and blocks, addresses, marks.

========== ===========================================================================
module      what it has
========== ===========================================================================
door        ``admit(raw)``: a parsed mail within all limits, or the reason against it
extract     ``extract(mail)``: all texts of a mail, its blocks, the words above them
addresses   one address, read strictly; what may go into a header that we write
machine     ``machine_made(mail, ours)``: is it from a machine, and what follows
reasons     the published list of reasons
reply       the lines and codes of a reply, where a game takes them
bounces     what delivery reports say (``flufl.bounce``), and whose they are
flowed      text of ``format=flowed`` in its lines
charsets    bytes to text, whatever the label says
markup      HTML to text, in linear time
tnef        the texts in a ``winmail.dat``
========== ===========================================================================
"""
