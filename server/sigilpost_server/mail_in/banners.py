"""The warning that a mail gateway puts above a mail from outside: ``[EXTERNAL]``, ``CAUTION: …``;
and the label of how secret a mail is: ``[Public]``, ``Classification: …``.

It is no word of the person who wrote, so it is taken away before a reply is read; nothing but the
top of a text is looked at. What is taken is a line that says so itself (that a mail or its sender
is from outside, in many languages), what goes on from it, and a frame around it with all that it
holds. Whatever is not surely a banner is left, and is then judged as the person's own line: so the
worst that can happen is that a reply is refused. A line that begins as a command does is none,
whatever else it says: somebody may be called External-Mail, and a banner may have no full stop. Nor
is a line that begins a quote: what stands below it is somebody else's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from .extract import ATTRIBUTION_END, ends_words

LINES_MAX = 30
"""Lines of a text in which a banner is looked for."""
FRAME_MAX = 10
"""Lines inside a frame."""
LINE_MAX = 1000

_SPACES = re.compile(r"[\s\u200b-\u200f\u2060\ufeff]+")
_RULE = re.compile(r"(?:[-*=_~#+|\u2500-\u257f\u2014\u2013] ?){3,}")
# The sides of a frame, and what makes words bold in plain text.
_DRESS = "|*\u2502\u2503\u2551 "
# A tag before words of the person's own in the same line.
_TAG = re.compile(
    r"[\[(<{*]{1,3} ?(?:ext|external|extern[aeo]?|externe[rs]?)"
    r"(?:[ -](?:e-?mail|mail|sender|message|source))? ?[\])>}*]{1,3}:? ?",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[^\W\d_]+")

_OUTSIDE = re.compile(
    r"\b(?:external|extern|outside|untrusted|außerhalb|ausserhalb|extérieur|exterior|fuera de"
    r"|esterno|esterna|all'esterno|fora d[aoe]|buiten|ekstern|udefra|utenfor|uden for|utanför"
    r"|zewnętrzn|spoza|mimo|ulkopuol|külső|kívülről|dış |harici|внешн|извне|зовнішн|ззовні"
    r"|външ|извън|εξωτερικ|εκτός)"
    r"|外部|社外|外來|外来|외부|خارج|חיצוני|מחוץ|ภายนอก|bên ngoài"
)
_MAIL = re.compile(
    r"\b(?:e-?mail|mail|message|sender|source|organi[sz]ation|company|nachricht|absender|courriel"
    r"|expéditeur|organisation|correo|mensaje|remitente|organización|messaggio|mittente|mensagem"
    r"|remetente|bericht|afzender|besked|afsender|avsender|melding|meddelande|avsändar|wiadomo"
    r"|nadawc|zpráv|odesílatel|viesti|lähettäj|üzenet|levél|feladó|mesaj|gönder|письм|сообщен"
    r"|отправител|лист|повідомлен|съобщени|подател|μήνυμα|αποστολέ|ηλεκτρονικ|thư)"
    r"|メール|送信|電子郵件|邮件|郵件|发件人|메일|발신|رسالة|البريد|הודע|דוא|อีเมล"
)
# What stands in such a warning besides: two of them make a line of it, where it has begun.
_ADVICE = re.compile(
    r"\b(?:click|links?|open|attachments?|sender|recogni[sz]e|content|safe|suspicious|phishing"
    r"|report|caution|trust|verify|passwords?|credentials|klick\w*|anhänge?|anlagen|öffnen"
    r"|vorsicht|absender|clique[rz]?|liens?|pièces? jointes?|ouvr\w+|prudence|clic|enlaces?"
    r"|adjuntos?|abr\w+|allegat\w|apri\w*|anexos?|bijlagen?|openen|klik)\b"
)
_ALONE = re.compile(
    r"ext|external|extern[aeo]?|externe[rs]|estern[ao]|ekstern|e|email|mail|message|sender|source"
    r"|caution|warning|attention|notice|alert|achtung|vorsicht|hinweis|avertissement|attenzione"
    r"|advertencia|aviso|atención|atenção"
)
_MARKS = ("ext", "estern", "ekstern")
# No command of any game begins with a bracket, or has a colon.
_LABEL = re.compile(
    r"\[[^\[\]\d]{2,60}\]|(?:(?:data |document )?classification|sensitivity|einstufung"
    r"|clasificación|tlp) ?: ?[^\d]{2,60}"
)
# Outlook's, in every language; it stands on top of what somebody writes for the first time.
_FIRST_CONTACT = "aka.ms/learnaboutsenderidentification"
# Proofpoint's own marks around what it put there.
_BEGIN, _END = "pfptbannerstart", "pfptbannerend"

_SENTENCE_ENDS = (".", "!", "?", ":", ";", "。", "！")
_WRAPPED = range(50, 81)
"""Characters of a line that may go on in the next one."""


def without(text: str) -> str:
    """The text without the banners on its top; the same text where there is none."""
    lines = text.split("\n", LINES_MAX)
    shown = [_SPACES.sub(" ", line[:LINE_MAX]).strip() for line in lines[:LINES_MAX]]
    at = end = 0
    while at < len(shown):
        size = _size(shown, at, begun=end) if shown[at] else 1
        if not size:
            break
        at += size
        end = at if shown[at - 1] else end
    return _untagged("\n".join(lines[end:]))


def _untagged(text: str) -> str:
    """The text without a tag before its first words."""
    bare = text.lstrip()
    tag = _TAG.match(bare)
    return bare[tag.end() :] if tag else text


def _size(lines: Sequence[str], at: int, *, begun: int) -> int:
    """How many lines from this one on are a banner; 0 if it begins none, and goes on with none
    that ``begun`` lines are."""
    line = lines[at].casefold()
    if _BEGIN in line:
        return _up_to_end_mark(lines, at)
    if _RULE.fullmatch(line):
        # One rule alone is a banner's only right below it: else what follows may be a quote.
        return _frame(lines, at) or int(begun == at > 0 and "_" not in line)
    if _says_so(line) or (begun and len(set(_ADVICE.findall(line))) > 1):
        own = _orders(line) or _begins_quote(lines, at)
        return 0 if own else 1 + _going_on(lines, at)
    return 0


def _begins_quote(lines: Sequence[str], at: int) -> bool:
    """Whether a line is quoted, or introduces what is: "On Monday External Mail wrote:"."""
    line = lines[at]
    introduces = line.endswith(ATTRIBUTION_END) or ends_words(lines, at)
    return line.startswith(">") or (introduces and not _is_mark(line.casefold()))


def _orders(line: str) -> bool:
    """Whether a line begins with the word of a command, perhaps behind a tag or a list's mark."""
    tag = _TAG.match(line)
    word = _WORDS.search(line, tag.end() if tag else 0)
    return word is not None and word[0].casefold() in _commands()


@cache
def _commands() -> frozenset[str]:
    from sigilpost_engine import games  # late: all of them are loaded, which few mails need

    verbs = {verb for kind in games.names() for verb in games.find(kind).verbs}
    return frozenset({verb.partition(" ")[0] for verb in verbs} | {"join", "decline", "resign"})


def _says_so(line: str) -> bool:
    """Whether a line says that a mail or its sender is from outside, or how secret it is."""
    if _LABEL.fullmatch(line):
        return True
    if _OUTSIDE.search(line) and _MAIL.search(line):
        return True
    return _FIRST_CONTACT in line or _is_mark(line)


def _is_mark(line: str) -> bool:
    """Whether a line is nothing but a mark of mail from outside: ``*** EXTERNAL MAIL ***``."""
    words = _WORDS.findall(line)
    marked = any(word.startswith(_MARKS) for word in words)
    return marked and all(map(_ALONE.fullmatch, words))


def _up_to_end_mark(lines: Sequence[str], at: int) -> int:
    for number in range(at, len(lines)):
        if _END in lines[number].casefold():
            return number - at + 1
    return 0


def _frame(lines: Sequence[str], at: int) -> int:
    """The lines of a frame whose upper edge this is, if what it holds is a banner."""
    edge = _drawn_with(lines[at])
    for number in range(at + 1, min(at + FRAME_MAX + 2, len(lines))):
        if _RULE.fullmatch(lines[number]) and _drawn_with(lines[number]) == edge:
            inside = " ".join(line.strip(_DRESS) for line in lines[at + 1 : number])
            return number - at + 1 if _says_so(inside.casefold()) else 0
    return 0


def _drawn_with(rule: str) -> str:
    return max(sorted(set(rule) - {" "}), key=rule.count)


def _going_on(lines: Sequence[str], at: int) -> int:
    """How many lines below go on with this one's sentence, as far as it ends at all."""
    number = at
    while not lines[number].rstrip(_DRESS).endswith(_SENTENCE_ENDS):
        if number + 1 == len(lines) or not _is_wrapped(lines[number], lines[number + 1]):
            return 0
        number += 1
        if _orders(lines[number]) or _begins_quote(lines, number):
            return 0
    return number - at


def _is_wrapped(line: str, below: str) -> bool:
    """Whether a line ends where it does because the first word of the next one had no room."""
    first = below.partition(" ")[0]
    return (
        len(line) in _WRAPPED and bool(first) and len(line) + 1 + len(first) > _WRAPPED.start + 15
    )
