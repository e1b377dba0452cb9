"""The service: what happens to one mail, from its bytes to the committed answer."""

from sigilpost_server.errors import MailFailed, NotReady, TryLater
from sigilpost_server.service.service import Service, Verdict

__all__ = ["MailFailed", "NotReady", "Service", "TryLater", "Verdict"]
