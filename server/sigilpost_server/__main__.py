"""``python -m sigilpost_server`` is ``sigilpost``."""

from sigilpost_server.cli import main

if __name__ == "__main__":
    main()
