"""Positions as documents: setting up, dumping, what a seat may see, and what it can imagine.

Documents have the top of a deck first; the state has it last.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from sigilpost_engine.core import codec
from sigilpost_engine.core.errors import BadSetup
from sigilpost_engine.core.game import Document, Options
from sigilpost_engine.core.position import (
    at,
    bad,
    conflict,
    list_at,
    number_at,
    only_keys,
    seat_of,
    seat_tables,
    table_at,
)
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games.wizards import rules
from sigilpost_engine.games.wizards.book import STANDING, whole_name
from sigilpost_engine.games.wizards.state import (
    BOTH,
    DECK,
    MOST_SPELLS,
    NOBODY,
    Attack,
    Cast,
    Slot,
    State,
    Wizard,
    in_use,
    spells_of,
)

DOC_KEYS = frozenset(
    [
        "turn",
        "phase",
        "pool",
        "spell_deck",
        "removed",
        "mana_deck",
        "mana_discard",
        "casts",
        "discounts",
        "unused_spells",
        "unused_mana",
        "result",
    ]
)
KEYS = DOC_KEYS | {"you", "options"}
"""What no seat may be named like: the document's keys, and those that a view has besides."""

SEAT_KEYS = ("health", "hand", "spells", "last_attack")
PHASES = ("opening", "discard", "choose", "cooldown", "cast", "attack")
UNKNOWN = "?"
BLANK = 0
"""An unknown mana, in a state read from a view."""

TRIES = 300
"""How often the unknown is dealt again to agree with what a seat can tell."""


# --- seen -----------------------------------------------------------------------------------------


def dump(s: State) -> Document:
    """The whole position: what an eye that sees everything sees."""
    doc = _document(s, eyes=BOTH, all_seeing=True)
    doc["spell_deck"] = s.spell_deck[::-1]
    doc["mana_deck"] = s.mana_deck[::-1]
    return doc


def view(s: State, seat: int | None) -> Document:
    """The own hand, and the mana on spells that the seat knows (ruling 16); decks are nobody's.

    A spectator sees the mana that both players know. ``options`` are those of the game.
    """
    if seat is None:
        return {**_document(s, eyes=BOTH, all_seeing=False), "options": _options(s)}
    doc = _document(s, eyes=1 << seat, all_seeing=False)
    doc[s.seats[seat]]["hand"] = list(s.wizards[seat].hand)
    return {"you": s.seats[seat], **doc, "options": _options(s)}


def _options(s: State) -> Document:
    return {
        "sets": list(s.sets),
        "beginner": s.beginner,
        "ban": list(s.ban),
        "hand_limit": s.hand_limit,
    }


def _document(s: State, eyes: int, all_seeing: bool) -> Document:
    """What all of ``eyes`` (bits of seats) know, without the decks."""
    doc: Document = {
        "turn": s.seats[s.turn],
        "phase": s.phase,
        "pool": list(s.pool),
        "spell_deck": [UNKNOWN] * len(s.spell_deck),
        "removed": list(s.removed),
        "mana_deck": [UNKNOWN] * len(s.mana_deck),
        "mana_discard": list(s.mana_discard),
        "casts": [cast._asdict() for cast in s.casts],
        "discounts": {"any": s.any_less, "attack": s.attack_less},
    }
    if s.unused_spells:
        doc["unused_spells"] = list(s.unused_spells)
    if s.unused_mana:
        doc["unused_mana"] = list(s.unused_mana)
    for name, wizard in zip(s.seats, s.wizards, strict=True):
        doc[name] = _wizard(s, wizard, eyes, all_seeing)
    result = rules.result(s)
    if result is not None:
        doc["result"] = result.document()
    return doc


def _wizard(s: State, wizard: Wizard, eyes: int, all_seeing: bool) -> Document:
    table: Document = {
        "health": wizard.health,
        "hand": list(wizard.hand) if all_seeing else [UNKNOWN] * len(wizard.hand),
        "spells": [
            {
                "name": slot.name,
                "mana": [
                    mana if all_seeing or known & eyes == eyes else UNKNOWN
                    for mana, known in zip(slot.mana, slot.known, strict=True)
                ],
                "known": [
                    [name for seat, name in enumerate(s.seats) if known >> seat & 1]
                    for known in slot.known
                ],
            }
            for slot in wizard.spells
        ],
    }
    if wizard.attack is not None:
        table["last_attack"] = wizard.attack._asdict()
    return table


# --- set up ---------------------------------------------------------------------------------------


class _Box:
    """What the document has not yet named of the spells and the mana of the game."""

    def __init__(self, spells: Sequence[str]) -> None:
        self.spells = list(spells)
        self.mana = Counter(DECK)
        self.where: dict[str | int, list[str]] = defaultdict(list)  # the keys that named each
        self._where: dict[str | int, list[str]] = {}

    def spell(self, name: Any, path: str) -> str:
        """Take a spell out. Refused if it is none of this game, or is somewhere already."""
        whole = spell_at(name, path)
        where = self._where.setdefault(whole, [])
        if whole not in self.spells:
            raise conflict(path, where, "wizards.setup.spell-not-there", spell=whole)
        self.spells.remove(whole)
        where.append(path)
        return whole

    def spell_list(self, table: Document, key: str, path: str = "") -> list[str]:
        """Take the spells of a list out."""
        return [self.spell(name, at(path, key)) for name in list_at(table, key, path) or []]

    def one(self, mana: Any, path: str) -> int:
        """Take a mana out. Refused if it is none, or if all of its power are taken."""
        if not isinstance(mana, int) or isinstance(mana, bool) or mana not in DECK:
            raise bad(path, "wizards.setup.no-mana", mana=str(mana))
        where = self._where.setdefault(mana, [])
        if not self.mana[mana]:
            raise conflict(path, where, "wizards.setup.too-much-mana", mana=mana, count=DECK[mana])
        self.mana[mana] -= 1
        where.append(path)
        return mana

    def mana_list(self, table: Document, key: str, path: str = "") -> list[int]:
        """Take the mana of a list out."""
        return [self.one(mana, at(path, key)) for mana in list_at(table, key, path) or []]


def spell_at(name: Any, path: str) -> str:
    """The spell called ``name``, of any set."""
    whole = whole_name(name) if isinstance(name, str) else None
    if whole is None:
        raise bad(path, "core.setup.no-card", name=str(name))
    return whole


def setup(doc: Document, seats: Sequence[str], options: Options, key: bytes) -> State:
    """The state of a position document. Raises BadSetup.

    A list of ``pool`` or ``mana_deck`` is completed by what is named nowhere; an empty one is
    empty, and a list of ``spell_deck`` is whole. What then lies nowhere is out of the game.
    """
    s = State.new(seats, options, key)
    only_keys(doc, {*DOC_KEYS, *seats})
    tables = seat_tables(doc, seats, KEYS)
    box = _Box(spells_of(options))
    for name, table, wizard in zip(seats, tables, s.wizards, strict=True):
        _read_wizard(table, name, seats, wizard, box)
    s.removed = box.spell_list(doc, "removed")
    s.unused_spells = box.spell_list(doc, "unused_spells")
    s.mana_discard = box.mana_list(doc, "mana_discard")
    s.unused_mana = box.mana_list(doc, "unused_mana")
    _read_turn(s, doc, seats)
    _deal_spells(s, doc, box)
    _deal_mana(s, doc, box)
    _check_result(s, doc)
    return s


def _read_wizard(
    table: Document, name: str, seats: Sequence[str], wizard: Wizard, box: _Box
) -> None:
    only_keys(table, SEAT_KEYS, name)
    wizard.health = number_at(table, "health", wizard.health, name)
    wizard.hand = sorted(box.mana_list(table, "hand", name))
    path = at(name, "spells")
    rows = list_at(table, "spells", name) or []
    if len(rows) > MOST_SPELLS:
        raise bad(path, "wizards.setup.too-many-spells", count=MOST_SPELLS)
    wizard.spells = [_read_slot(row, path, seats, seats.index(name), box) for row in rows]
    if "last_attack" in table:
        wizard.attack = _read_attack(table_at(table, "last_attack", name), at(name, "last_attack"))


def _read_slot(row: Any, path: str, seats: Sequence[str], owner: int, box: _Box) -> Slot:
    """One entry of a row; whatever is wrong in it, the row is named (an entry has no path)."""
    if isinstance(row, str):
        row = {"name": row}
    if not isinstance(row, dict) or not set(row) <= {"name", "mana", "known"}:
        raise bad(path, "wizards.setup.no-slot")
    try:
        spell = box.spell(row.get("name"), path)
        mana = [box.one(one, path) for one in list_at(row, "mana") or []]
        known = list_at(row, "known")
        masks = [1 << owner] * len(mana) if known is None else [_mask(who, seats) for who in known]
    except BadSetup as fault:
        raise BadSetup(path, fault.message, fault.others) from None
    if len(masks) != len(mana):
        raise bad(path, "wizards.setup.known-length", spell=spell)
    return Slot(spell, tuple(mana), tuple(masks))


def _mask(who: Any, seats: Sequence[str]) -> int:
    if not isinstance(who, list):
        raise bad("known", "core.setup.not-list")
    mask = NOBODY
    for name in who:
        mask |= 1 << seat_of(name, seats, "known")
    return mask


def _read_attack(table: Document, path: str) -> Attack:
    only_keys(table, ("power", "damage"), path)
    made = Attack(number_at(table, "power", 0, path), number_at(table, "damage", 0, path))
    if not 1 <= made.power <= max(DECK) + 1:
        raise bad(at(path, "power"), "wizards.setup.no-mana", mana=str(made.power))
    if made.damage < 0:
        raise bad(at(path, "damage"), "wizards.setup.negative")
    return made


def _read_turn(s: State, doc: Document, seats: Sequence[str]) -> None:
    """Whose turn it is, and what has happened in it."""
    rows = [len(wizard.spells) for wizard in s.wizards]
    s.phase = doc.get("phase", "cast" if any(rows) else "opening")
    if s.phase not in PHASES:
        raise bad("phase", "wizards.setup.no-phase", phase=str(s.phase), known=list(PHASES))
    if "turn" in doc:
        s.turn = seat_of(doc["turn"], seats, "turn")
    elif s.phase == "opening":
        s.turn = s.rng.below(2) if not any(rows) else rows.index(min(rows))
    if s.phase == "opening" and (rows[s.turn], rows[s.other]) not in ((0, 0), (0, 1), (1, 1)):
        keys = ["turn", "phase", *(at(name, "spells") for name in seats)]
        first = "turn" if sorted(rows) == [0, 1] else "phase"
        raise conflict(first, keys, "wizards.setup.not-opening")
    s.casts = [_read_cast(entry) for entry in list_at(doc, "casts") or []]
    discounts = table_at(doc, "discounts")
    only_keys(discounts, ("any", "attack"), "discounts")
    s.any_less = _natural(discounts, "any", "discounts")
    s.attack_less = _natural(discounts, "attack", "discounts")


def _read_cast(entry: Any) -> Cast:
    if not isinstance(entry, dict) or not set(entry) <= {"spell", "paid", "damage"}:
        raise bad("casts", "wizards.setup.no-cast")
    try:
        spell = spell_at(entry.get("spell"), "casts")
        return Cast(spell, _natural(entry, "paid", ""), _natural(entry, "damage", ""))
    except BadSetup as fault:
        raise BadSetup("casts", fault.message) from None


def _natural(table: Document, key: str, path: str) -> int:
    number = number_at(table, key, 0, path)
    if number < 0:
        raise bad(at(path, key), "wizards.setup.negative")
    return number


def _deal_spells(s: State, doc: Document, box: _Box) -> None:
    s.pool = box.spell_list(doc, "pool")
    if len(s.pool) > s.pool_size:
        raise bad("pool", "wizards.setup.pool-too-large", count=s.pool_size)
    s.spell_deck = box.spell_list(doc, "spell_deck")[::-1]
    rest = box.spells
    s.rng.shuffle(rest)
    if doc.get("pool") != []:
        while rest and len(s.pool) < s.pool_size:
            s.pool.append(rest.pop())
    if "spell_deck" in doc:
        s.unused_spells += sorted(rest)
    else:
        s.spell_deck = rest


def _deal_mana(s: State, doc: Document, box: _Box) -> None:
    top = box.mana_list(doc, "mana_deck")
    rest = sorted(box.mana.elements())
    if doc.get("mana_deck") == []:
        s.unused_mana = sorted(s.unused_mana + rest)
    else:
        s.rng.shuffle(rest)
        s.mana_deck = rest + top[::-1]


def _check_result(s: State, doc: Document) -> None:
    """A finished position shows who has lost; nobody else can have won."""
    lost = [name for name, wizard in zip(s.seats, s.wizards, strict=True) if wizard.health <= 0]
    if len(lost) > 1:
        keys = [at(name, "health") for name in lost]
        raise conflict(keys[0], keys, "wizards.setup.both-lost")
    result = rules.result(s)
    if "result" in doc and doc["result"] != (result.document() if result else None):
        keys = [at(name, "health") for name in s.seats]
        raise conflict("result", keys, "wizards.setup.result")


# --- what a seat cannot tell apart ----------------------------------------------------------------


def blur(s: State, seat: int | None, rng: Rng) -> State:
    """The same position with all that ``seat`` may not know dealt again among its places.

    An ongoing spell that is not due would have shown what it waits for: what is due stays so.
    """
    blank = codec.copy(s)
    hidden = _blank_out(blank, seat)
    rng.shuffle(blank.spell_deck)
    return _deal_hidden(blank, hidden, rng, _due(s)) or codec.copy(s)


def read(view: Document) -> State:
    """The state that a view tells of, with BLANK for unknown mana; spells of the deck "?".

    A view names the seats in their order.
    """
    seats = [name for name, part in view.items() if is_wizard(part)]
    options = view["options"]
    return State(
        rng=Rng(b""),
        seats=seats,
        sets=options["sets"],
        beginner=options["beginner"],
        ban=options["ban"],
        hand_limit=options["hand_limit"],
        wizards=[_seen_wizard(view[name], seats) for name in seats],
        turn=seats.index(view["turn"]),
        phase=view["phase"],
        pool=list(view["pool"]),
        spell_deck=list(view["spell_deck"]),
        removed=list(view["removed"]),
        mana_deck=[BLANK] * len(view["mana_deck"]),
        mana_discard=list(view["mana_discard"]),
        casts=[Cast(**cast) for cast in view["casts"]],
        any_less=view["discounts"]["any"],
        attack_less=view["discounts"]["attack"],
        unused_spells=list(view.get("unused_spells", [])),
        unused_mana=list(view.get("unused_mana", [])),
    )


def _seen_wizard(table: Document, seats: Sequence[str]) -> Wizard:
    slots = [
        Slot(
            row["name"],
            tuple([BLANK if mana == UNKNOWN else mana for mana in row["mana"]]),
            tuple([_mask(who, seats) for who in row["known"]]),
        )
        for row in table["spells"]
    ]
    hand = [BLANK if mana == UNKNOWN else mana for mana in table["hand"]]
    last = table.get("last_attack")
    return Wizard(table["health"], hand, slots, Attack(**last) if last else None)


def is_wizard(part: Any) -> bool:
    """Whether a part of a view is a seat's table."""
    return isinstance(part, dict) and "hand" in part


def imagine(view: Document, rng: Rng) -> State | None:
    """A whole state that agrees with a view, all that it does not tell dealt by chance."""
    blank = read(view)
    blank.rng = Rng(rng.word().to_bytes(4, "big"))
    seen = [*blank.pool, *blank.removed, *blank.unused_spells]
    seen += [slot.name for wizard in blank.wizards for slot in wizard.spells]
    options = {"sets": blank.sets, "beginner": blank.beginner, "ban": blank.ban}
    blank.spell_deck = [name for name in spells_of(options) if name not in seen]
    rng.shuffle(blank.spell_deck)
    hidden = Counter(DECK)
    for pile in _piles(blank):
        hidden.subtract(pile)
    hidden.pop(BLANK, None)
    return _deal_hidden(blank, list(hidden.elements()), rng, _due(blank))


def _piles(s: State) -> Iterable[Sequence[int]]:
    yield s.mana_deck
    yield s.mana_discard
    yield s.unused_mana
    for wizard in s.wizards:
        yield wizard.hand
        for slot in wizard.spells:
            yield slot.mana


def _blank_out(s: State, seat: int | None) -> list[int]:
    """Blank all mana that ``seat`` may not know, and return them."""
    hidden = list(s.mana_deck)
    s.mana_deck = [BLANK] * len(hidden)
    eyes = BOTH if seat is None else 1 << seat
    for number, wizard in enumerate(s.wizards):
        if number != seat:
            hidden += wizard.hand
            wizard.hand = [BLANK] * len(wizard.hand)
        for place, (name, mana, known) in enumerate(wizard.spells):
            seen = [who & eyes == eyes for who in known]
            hidden += [one for one, sees in zip(mana, seen, strict=True) if not sees]
            kept = tuple(one if sees else BLANK for one, sees in zip(mana, seen, strict=True))
            wizard.spells[place] = Slot(name, kept, known)
    return hidden


def _deal_hidden(blank: State, hidden: list[int], rng: Rng, due: set[str]) -> State | None:
    """``blank`` with the hidden mana dealt to its blanks, so that just ``due`` is due; None if
    that is not found."""
    for _ in range(TRIES):
        rng.shuffle(hidden)
        s = _filled(blank, list(hidden))
        if _due(s) == due:
            return s
    return None


def _filled(blank: State, hidden: list[int]) -> State:
    s = codec.copy(blank)
    for wizard in s.wizards:
        wizard.hand = sorted(mana or hidden.pop() for mana in wizard.hand)
        for place, (name, mana, known) in enumerate(wizard.spells):
            if BLANK in mana:
                whole = tuple([one or hidden.pop() for one in mana])
                wizard.spells[place] = Slot(name, whole, known)
    s.mana_deck = [mana or hidden.pop() for mana in s.mana_deck]
    return s


def _due(s: State) -> set[str]:
    """The ongoing spells that are due."""
    return {
        slot.name
        for seat in range(len(s.wizards))
        for slot in in_use(s, seat)
        if slot.name in STANDING and rules.is_due(s, seat, slot.name)
    }
