"""What client and server agree on: canonical bytes, keys, blocks in mails, turn documents, chains.

========== ==========================================================================
module      what it has
========== ==========================================================================
canonical   RFC 8785 JSON: ``encode``, ``decode``
keys        Ed25519: ``PrivateKey``, ``PublicKey``, ``fingerprint``, ``grouped``
blocks      the signed block in a mail's text: ``armour``, ``find``
checks      what a field may hold: ``text``, ``match``, ``integer``, ``items``
payloads    what a block of each kind says: ``sign``, ``read``, ``verify``
sealed      a signed document encrypted to one player: ``close``, ``open_sealed``
handover    a server's change of key: ``Handover``, ``follow``
turn        the signed attachment ``turn.sigil``: ``seal``, ``open_turn``
chain       the hash chain of a game's accepted answers
fair        commitment, game key
maildir     the order of delivery, by the names of files: ``delivery``
errors      ``WireError`` and its kinds, each with the slug of its reason
========== ==========================================================================
"""
