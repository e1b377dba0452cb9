"""The commands of ``sigilpost``, a module for those that belong together."""
