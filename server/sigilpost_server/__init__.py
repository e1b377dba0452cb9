"""The host's side of sigilpost: the command ``sigilpost`` and the daemon behind it."""
