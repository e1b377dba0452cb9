"""Real peers for tests, started on free loopback ports: Dovecot, PostgreSQL, Postfix."""
