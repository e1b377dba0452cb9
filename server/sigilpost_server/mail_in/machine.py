"""Is a mail from a machine, and what follows from that (protocol.md, *What the server sends*).

The rule against loops is RFC 3834's: automatic mail is never answered. What is no mark:
``X-Auto-Response-Suppress`` (Outlook puts it into people's mail) and a foreign ``List-Id``.
"""

import re
import unicodedata
from collections.abc import Collection
from enum import Enum
from typing import NamedTuple

from . import addresses
from .door import Mail


class Effect(Enum):
    """What a mark takes away."""

    NOTHING_COUNTS = "nothing counts"
    """No effect and no answer, whatever the mail says."""

    NO_ANSWER = "no answer"
    """A fresh valid block counts all the same; there is no answer in any case."""

    UNLESS_FRESH = "unless fresh"
    """Counts only where there is no fresh valid block; with one it is a person's mail."""


class Mark(NamedTuple):
    """A mark of machine-made mail: the reason's slug and what it takes away."""

    reason: str
    effect: Effect


class Ours(NamedTuple):
    """What our own mail can be known by: our addresses (normal form) and our List-Ids."""

    addresses: frozenset[str] = frozenset()
    list_ids: frozenset[str] = frozenset()

    @classmethod
    def of(cls, addresses_: Collection[str], list_ids: Collection[str] = ()) -> "Ours":
        """Make it from spelled addresses and the List-Ids' names, without angle brackets."""
        return cls(
            frozenset(addresses.parse_address(each).normal for each in addresses_),
            frozenset(each.lower() for each in list_ids),
        )

    def include(self, address: str) -> bool:
        """Whether mail to an address, as it is spelled, arrives at one of ours."""
        return addresses.mailbox_of(_bare(address)) in self.addresses


_REPORTS = {
    "delivery-status": "delivery-report",
    "disposition-notification": "read-receipt",
}
_ROBOTS = frozenset(("mailer-daemon", "postmaster", ""))
_PRECEDENCE = {
    "bulk": Mark("bulk", Effect.NO_ANSWER),
    "list": Mark("bulk", Effect.NO_ANSWER),
    "junk": Mark("bulk", Effect.NOTHING_COUNTS),
    "auto_reply": Mark("auto-reply", Effect.NOTHING_COUNTS),
}
_COMMENT = re.compile(r"\([^()]*\)")


def machine_made(mail: Mail, ours: Ours, envelope_from: str | None = None) -> Mark | None:
    """Return the first mark of machine-made mail, strongest first, or None for a person's.

    ``envelope_from`` is SMTP's reverse-path where the source knows it ("" or "<>" is the
    null one); else the topmost Return-Path header says it.
    """
    return (
        _own(mail, ours)
        or _report(mail)
        or _auto_submitted(mail)
        or _null_return_path(mail, envelope_from)
        or _robot_sender(mail)
        or _auto_headers(mail)
        or _precedence(mail)
        or _out_of_office(mail)
    )


def list_ids(mail: Mail) -> tuple[str, ...]:
    """The List-Ids of a mail (RFC 2919), in lower case and without angle brackets."""
    return tuple(_list_id(value) for value in mail.headers("List-Id"))


def _nothing_counts(reason: str) -> Mark:
    return Mark(reason, Effect.NOTHING_COUNTS)


OWN_MAIL = _nothing_counts("own-mail")
"""What marks our own mail that comes back."""


def _own(mail: Mail, ours: Ours) -> Mark | None:
    loops = {_bare(value) for value in mail.headers("X-Loop")}
    senders = {_bare(value) for value in mail.headers("From")}
    senders |= {addresses.mailbox_of(sender) for sender in senders}
    if (senders | loops) & ours.addresses or ours.list_ids.intersection(list_ids(mail)):
        return OWN_MAIL
    return None


def _report(mail: Mail) -> Mark | None:
    # The mail's own type only: a forwarded report is a person's mail.
    kind = mail.root.get_content_type()
    if kind == "multipart/report":
        given = str(mail.root.get_param("report-type", "")).lower()
        return _nothing_counts(_REPORTS.get(given, "machine-report"))
    if kind == "message/disposition-notification":
        return _nothing_counts("read-receipt")
    if kind == "message/delivery-status":
        return _nothing_counts("delivery-report")
    return None


def _auto_submitted(mail: Mail) -> Mark | None:
    # RFC 3834 section 5: a keyword, then perhaps parameters; comments are allowed.
    for value in mail.headers("Auto-Submitted"):
        if _keyword(value) not in ("no", ""):
            return _nothing_counts("auto-submitted")
    return None


def _null_return_path(mail: Mail, envelope_from: str | None) -> Mark | None:
    if envelope_from is None:
        paths = mail.headers("Return-Path")
        if not paths:
            return None
        envelope_from = paths[0]
    return _nothing_counts("null-return-path") if envelope_from.strip() in ("", "<>") else None


def _robot_sender(mail: Mail) -> Mark | None:
    for value in mail.headers("From"):
        if _bare(value).partition("@")[0] in _ROBOTS:
            return _nothing_counts("robot-sender")
    return None


def _auto_headers(mail: Mail) -> Mark | None:
    for name in ("X-Autoreply", "X-Autorespond"):
        for value in mail.headers(name):
            if _keyword(value) != "no":
                return _nothing_counts("auto-reply")
    return None


def _precedence(mail: Mail) -> Mark | None:
    marks = [_PRECEDENCE.get(_keyword(value)) for value in mail.headers("Precedence")]
    found = [mark for mark in marks if mark]
    strong = [mark for mark in found if mark.effect is Effect.NOTHING_COUNTS]
    return next(iter(strong + found), None)


def _keyword(value: str) -> str:
    return _COMMENT.sub("", value).partition(";")[0].strip().lower()


def _bare(value: str) -> str:
    """Return the address in a header's value, however badly written, in normal form."""
    try:
        return addresses.parse_address(value).normal
    except addresses.BadAddress:
        inner = value.rpartition("<")[2].partition(">")[0]
        return _COMMENT.sub("", inner).strip().strip('"').lower()


def _list_id(value: str) -> str:
    return value.rpartition("<")[2].partition(">")[0].strip().lower()


# ---- out of office -------------------------------------------------------------------------

# How automatic absence notes begin, in the words of common mailers, by language.
_ABSENT = {
    "ar": ("رد تلقائي", "الرد التلقائي", "خارج المكتب"),
    "bg": ("автоматичен отговор", "извън офиса"),
    "ca": ("resposta automàtica", "fora de l'oficina"),
    "cs": ("automatická odpověď", "mimo kancelář", "nepřítomnost"),
    "da": ("automatisk svar", "autosvar", "ikke til stede", "fraværende"),
    "de": (
        "automatische antwort",
        "abwesenheitsnotiz",
        "abwesenheit",
        "abwesend",
        "autom. antwort",
    ),
    "el": ("αυτόματη απάντηση", "εκτός γραφείου"),
    "en": (
        "automatic reply",
        "automatic response",
        "automated reply",
        "autoreply",
        "auto-reply",
        "auto reply",
        "autoresponse",
        "auto response",
        "out of office",
        "out of the office",
        "out-of-office",
        "on vacation",
        "vacation reply",
        "away from my mail",
        "i am away",
    ),
    "es": ("respuesta automática", "fuera de la oficina", "fuera de oficina"),
    "et": ("automaatvastus", "automaatne vastus"),
    "fi": ("automaattinen vastaus", "poissaoloilmoitus", "poissa toimistosta"),
    "fr": (
        "réponse automatique",
        "absence du bureau",
        "absent du bureau",
        "absente du bureau",
        "message d'absence",
    ),
    "he": ("תשובה אוטומטית", "מענה אוטומטי", "מחוץ למשרד"),
    "hr": ("automatski odgovor", "izvan ureda"),
    "hu": ("automatikus válasz", "házon kívül"),
    "id": ("balasan otomatis", "di luar kantor"),
    "it": ("risposta automatica", "fuori ufficio", "fuori sede"),
    "ja": ("自動応答", "自動返信", "不在通知", "不在のお知らせ"),
    "ko": ("자동 회신", "자동 응답", "자동회신", "부재중"),
    "lt": ("automatinis atsakymas",),
    "lv": ("automātiskā atbilde",),
    "nb": ("automatisk svar", "autosvar", "fraværsmelding", "ikke på kontoret"),
    "nl": ("automatisch antwoord", "afwezigheidsbericht", "afwezig", "niet aanwezig"),
    "pl": ("automatyczna odpowiedź", "odpowiedź automatyczna", "poza biurem", "nieobecność"),
    "pt": ("resposta automática", "fora do escritório", "ausência temporária", "fora da empresa"),
    "ro": ("răspuns automat", "în afara biroului"),
    "ru": ("автоматический ответ", "автоответ", "вне офиса", "нет на месте"),
    "sk": ("automatická odpoveď", "mimo kancelárie"),
    "sl": ("samodejni odgovor", "odsoten"),
    "sr": ("аутоматски одговор", "ван канцеларије"),
    "sv": ("automatiskt svar", "autosvar", "frånvaro", "frånvaromeddelande", "ej på kontoret"),
    "th": ("ตอบกลับอัตโนมัติ", "ไม่อยู่ที่สำนักงาน"),
    "tr": ("otomatik yanıt", "otomatik cevap", "ofis dışında", "iş yeri dışında"),
    "uk": ("автоматична відповідь", "поза офісом"),
    "vi": ("trả lời tự động", "vắng mặt"),
    "zh": ("自动回复", "自動回覆", "自動回復", "自动答复", "外出", "不在办公室"),
}
LANGUAGES = frozenset(_ABSENT)
_SUBJECT_MAX = 400
# What gateways put before the subject of a mail from outside.
_GATEWAY_TAG = re.compile(r"\A[\[(*]+ ?ext(?:ern\w*)?(?:[ -][\w-]+)? ?[\])*]+:? *")
# Thai, and then the scripts of East Asia.
_FIRST_WITHOUT_SPACES = "\u0e00"


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


_ABSENT_STARTS = tuple(sorted({_fold(start) for starts in _ABSENT.values() for start in starts}))


def _out_of_office(mail: Mail) -> Mark | None:
    subject = addresses.clean_subject(mail.header("Subject"), _SUBJECT_MAX)
    if not absent(subject):
        return None
    return Mark("out-of-office", Effect.UNLESS_FRESH)


def absent(subject: str) -> bool:
    """Tell whether a subject begins as automatic absence notes do.

    A subject that begins with a mark of answering ("Re:") is a person's. A gateway's tag for mail
    from outside does not count.
    """
    folded = _GATEWAY_TAG.sub("", _fold(subject)).lstrip("[(*【 ")
    if not folded.startswith(_ABSENT_STARTS):
        return False
    return any(_begins(folded, start) for start in _ABSENT_STARTS)


def _begins(text: str, start: str) -> bool:
    """Tell whether a text begins with whole words; some scripts write no spaces between them."""
    if not text.startswith(start):
        return False
    return start[-1] >= _FIRST_WITHOUT_SPACES or not text[len(start) : len(start) + 1].isalpha()
