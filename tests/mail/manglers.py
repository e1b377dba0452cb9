"""What mailers do to a text and to a mail: each a function, for hypothesis to compose."""

from __future__ import annotations

import base64
import html
import quopri
import random
import re
from collections.abc import Callable

from .samples import joined, mail, part

TextMangler = Callable[[str, random.Random], str]
Packer = Callable[[str, random.Random], bytes]
MailMangler = Callable[[bytes, random.Random], bytes]

# ---- text to text --------------------------------------------------------------------------


def quote(text: str, chance: random.Random) -> str:
    """Quoted, in one of the usual ways."""
    prefix = chance.choice(["> ", ">", ">> ", "> > ", " > "])
    return "\n".join(prefix + line for line in text.split("\n"))


def rewrap(text: str, chance: random.Random) -> str:
    """Set anew at another width, paragraphs and quotes lost."""
    width = chance.randint(20, 120)
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


def narrow(text: str, chance: random.Random) -> str:
    """Long words cut hard."""
    width = chance.randint(12, 60)
    return re.sub(rf"\w{{{width}}}", lambda word: word[0] + "\n", text)


def flow(text: str, chance: random.Random) -> str:
    """format=flowed: a space at the ends of lines."""
    return text.replace("\n", " \n")


def double(text: str, chance: random.Random) -> str:
    """Line breaks doubled."""
    return text.replace("\n", "\n\n")


def flatten(text: str, chance: random.Random) -> str:
    """All in one line."""
    return text.replace("\n", " ")


def dashes(text: str, chance: random.Random) -> str:
    """Dashes made beautiful."""
    return "".join(
        chance.choice("–—‐‑‒−―") if char == "-" and chance.random() < 0.5 else char for char in text
    )


def one_dash(text: str, chance: random.Random) -> str:
    """Rows of dashes made one."""
    return text.replace("-----", chance.choice(["—", "--", "–", "----------"]))


def no_break_spaces(text: str, chance: random.Random) -> str:
    """Spaces that do not break."""
    return text.replace(" ", chance.choice(["\u00a0", "\u202f", "\u2007", "\u3000"]))


def zero_width(text: str, chance: random.Random) -> str:
    """Invisible characters strewn in."""
    return "".join(
        char + (chance.choice("\u200b\u200c\u200d\u2060\ufeff\u00ad") if char.isalnum() else "")
        if chance.random() < 0.05
        else char
        for char in text
    )


def case(text: str, chance: random.Random) -> str:
    """Another case."""
    return chance.choice([str.lower, str.upper, str.swapcase])(text)


def words_above(text: str, chance: random.Random) -> str:
    """A greeting."""
    return (
        chance.choice(["Hi,\n\nhere you are -- good luck!\n\n", "Grüße –\n", "-" * 70 + "\n"])
        + text
    )


def footer(text: str, chance: random.Random) -> str:
    """A footer of a list, a company or a scanner."""
    return text + chance.choice(
        [
            "\n-- \nAlice\nGood Example Ltd\n",
            "\n_______________________\nCards mailing list\nhttps://lists.example/cards\n",
            "\n***\nThis e-mail is confidential. BEGIN by deleting it -- END of notice.\n",
            "\n-----BEGIN PGP SIGNATURE-----\nABCDEFGH\n-----END PGP SIGNATURE-----\n",
        ]
    )


def history(text: str, chance: random.Random) -> str:
    """An older mail quoted below, with a block that was cut."""
    quoted = "> Your move, Alice.\n> -----BEGIN SIGIL ORDERS-----\n> MFRGG\n"
    return f"{text}\n\nOn Tue, Sigilpost wrote:\n{quoted}"


TEXT_MANGLERS: list[TextMangler] = [
    quote,
    rewrap,
    narrow,
    flow,
    double,
    flatten,
    dashes,
    one_dash,
    no_break_spaces,
    zero_width,
    case,
    words_above,
    footer,
    history,
]

# ---- text to mail --------------------------------------------------------------------------


def plain(text: str, chance: random.Random) -> bytes:
    """UTF-8 as it is."""
    return mail(text)


def quoted_printable(text: str, chance: random.Random) -> bytes:
    """Quoted-printable, line ends of either kind."""
    data = quopri.encodestring(text.encode(), quotetabs=chance.random() < 0.5)
    if chance.random() < 0.5:
        data = data.replace(b"\n", b"\r\n")
    return mail(data, encoding="quoted-printable")


def in_base64(text: str, chance: random.Random) -> bytes:
    """Base64, in lines of some width, with a footer in clear perhaps."""
    data = base64.b64encode(text.encode()).decode()
    width = chance.choice([60, 64, 76, 998])
    lines = "\r\n".join(data[at : at + width] for at in range(0, len(data), width))
    return mail(lines + chance.choice(["", "\r\n\r\n-- \r\nscanned\r\n"]), encoding="base64")


def other_charset(text: str, chance: random.Random) -> bytes:
    """A charset that can hold the text, told or not, rightly or not."""
    usable = ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-7", "gb18030"]
    for name in ("iso-2022-jp", "windows-1252", "koi8-r", "shift_jis", "euc-kr", "iso-8859-1"):
        try:
            text.encode(name)
        except UnicodeError:
            continue
        usable.append(name)
    name = chance.choice(usable)
    label = chance.choice([name, name, "x-unknown", "", "us-ascii", "utf-8"])
    if name in ("utf-7",):
        label = name
    data = base64.encodebytes(text.encode(name))
    return mail(data, kind=f'text/plain; charset="{label}"', encoding="base64")


def html_only(text: str, chance: random.Random) -> bytes:
    """HTML alone, as several editors write it."""
    source = html.escape(text)
    if chance.random() < 0.5:
        source = source.replace("-", chance.choice(["&#45;", "&#x2D;", "&ndash;", "&mdash;"]))
    if chance.random() < 0.5:
        source = source.replace(" ", chance.choice(["&nbsp;", "&#160;", " &nbsp;"]))
    lines = source.split("\n")
    body = chance.choice(
        [
            "<pre>" + source + "</pre>",
            "<br>\n".join(lines),
            "".join(f"<div>{line}</div>" for line in lines),
            "".join(f'<p class="MsoNormal">{line}<o:p></o:p></p>' for line in lines),
            "<blockquote>" + "<br/>".join(lines) + "</blockquote>",
            "<table>" + "".join(f"<tr><td>{line}</td></tr>" for line in lines) + "</table>",
            " ".join(f"<span style='color:red' title=\"a > b\">{line}</span>" for line in lines),
        ]
    )
    page = f"<html><head><style>p > a {{color: red}}</style></head><body>{body}</body></html>"
    return mail(page, kind="text/html; charset=utf-8")


def alternative_with_empty_text(text: str, chance: random.Random) -> bytes:
    """An empty text beside HTML."""
    body = "<br>".join(html.escape(text).split("\n"))
    both = joined(part("\r\n"), part(body, "text/html; charset=utf-8"))
    return mail(both, kind="multipart/alternative; boundary=b")


def both_alternatives(text: str, chance: random.Random) -> bytes:
    """The same in text and HTML."""
    body = "<br>".join(html.escape(text).split("\n"))
    both = joined(part(text), part(body, "text/html; charset=utf-8"))
    return mail(both, kind="multipart/alternative; boundary=b")


def attached_file(text: str, chance: random.Random) -> bytes:
    """A text file beside an empty text."""
    file = part(
        base64.encodebytes(text.encode()),
        "application/octet-stream; name=move.txt",
        "Content-Transfer-Encoding: base64\r\nContent-Disposition: attachment\r\n",
    )
    return mail(joined(part(""), file), kind="multipart/mixed; boundary=b")


def header_lost(text: str, chance: random.Random) -> bytes:
    """Quoted-printable or base64, and nothing says so."""
    data = chance.choice([quopri.encodestring, base64.encodebytes])(text.encode())
    return mail(data, encoding="7bit")


PACKERS: list[Packer] = [
    plain,
    quoted_printable,
    in_base64,
    other_charset,
    html_only,
    alternative_with_empty_text,
    both_alternatives,
    attached_file,
    header_lost,
]

# ---- mail to mail --------------------------------------------------------------------------


def forwarded(raw: bytes, chance: random.Random) -> bytes:
    """Forwarded as an attachment, in clear or in base64."""
    if chance.random() < 0.5:
        inner = part(raw, "message/rfc822")
    else:
        inner = part(
            base64.encodebytes(raw), "message/rfc822", "Content-Transfer-Encoding: base64\r\n"
        )
    boundary = f"fw{chance.randrange(10**6)}"
    body = joined(part("See below."), inner, boundary=boundary)
    return mail(body, kind=f"multipart/mixed; boundary={boundary}", sender="Bob <bob@good.example>")


def attached_eml(raw: bytes, chance: random.Random) -> bytes:
    """Attached as a file of unknown type."""
    inner = part(
        base64.encodebytes(raw),
        'application/octet-stream; name="move.eml"',
        "Content-Transfer-Encoding: base64\r\n",
    )
    return mail(joined(inner, boundary="eml"), kind="multipart/mixed; boundary=eml")


def listed(raw: bytes, chance: random.Random) -> bytes:
    """Through a mailing list that wraps the body and adds a footer."""
    head, _, body = raw.partition(b"\r\n\r\n")
    kept = [
        line for line in head.split(b"\r\n") if line.lower().startswith((b"content-", b" ", b"\t"))
    ]
    inner = b"\r\n".join(kept) + b"\r\n\r\n" + body
    boundary = f"ml{chance.randrange(10**6)}"
    return mail(
        joined(inner, part("_____\r\nCards mailing list\r\n"), boundary=boundary),
        kind=f"multipart/mixed; boundary={boundary}",
        sender='"Alice via Cards" <cards@lists.example>',
    )


def unix_lines(raw: bytes, chance: random.Random) -> bytes:
    """Lines as Unix ends them, and the envelope's line of an mbox."""
    return b"From alice@good.example Tue Jun 17 09:12:44 2025\n" + raw.replace(b"\r\n", b"\n")


def through_a_gateway(raw: bytes, chance: random.Random) -> bytes:
    """More headers on top."""
    return b"Received: from a by b\r\n\twith ESMTP; today\r\nX-Scanned: =?utf-8?q?=0A?=\r\n" + raw


MAIL_MANGLERS: list[MailMangler] = [
    forwarded,
    attached_eml,
    listed,
    through_a_gateway,
    unix_lines,
]
