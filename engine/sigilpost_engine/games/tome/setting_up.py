"""Reading a position document: everything is checked before a game goes on from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sigilpost_engine.core.game import Document, Options
from sigilpost_engine.core.grammar import key
from sigilpost_engine.core.position import (
    at,
    bad,
    conflict,
    flag_at,
    list_at,
    number_at,
    only_keys,
    seat_of,
    seat_tables,
    table_at,
)
from sigilpost_engine.core.prompts import Answer, Prompt
from sigilpost_engine.core.table import Step, Table
from sigilpost_engine.games.tome import rules
from sigilpost_engine.games.tome.documents import KEYS, SEAT_KEYS, TIMING_WORDS, score_keys
from sigilpost_engine.games.tome.spells import F
from sigilpost_engine.games.tome.state import (
    CHAPTERS,
    HAND,
    HEALTH,
    NOBODY,
    ON_A_CHAPTER,
    Due,
    Laid,
    Played,
    State,
    basics_needed,
    is_in,
    next_to_play,
    on_chapter,
    shown,
    those_in,
)
from sigilpost_engine.games.tome.strength import Chapter

ENTRY_KEYS = ("by", "spell", "choose")
RESOLVED_ENTRY_KEYS = ("by", "spell", "power", "element", "silenced", "beneath")
TIMINGS = {key(words): timing for timing, words in TIMING_WORDS.items()}


def setup(doc: Document, seats: Sequence[str], options: Options, seed: bytes) -> State:
    """The state of a position document. Raises BadSetup with the key at fault."""
    tables = seat_tables(doc, seats, KEYS)
    for name, table in zip(seats, tables, strict=True):
        only_keys(table, SEAT_KEYS, name)
    _same_options(doc, options)
    s = State.new(seats, options, seed)
    s.phase = "play"
    s.elements = _elements(doc, s)
    s.chapter = _between(doc, "chapter", 1, CHAPTERS)
    s.round = _between(doc, "round", 1, None)
    _score(doc, s)
    _health(s, tables, finished="result" in doc)
    reader = _Reader(doc, s)
    reader.seats_at_play()
    reader.cards(tables)
    reader.chapter()
    return s


# --- options and plain values ---------------------------------------------------------------------


def document_options(doc: Document) -> dict[str, Any]:
    """The options that a position document states itself, as far as they are well formed."""
    found: dict[str, Any] = {}
    if isinstance(doc.get("mode"), str):
        found["mode"] = doc["mode"]
    if isinstance(doc.get("sets"), list):
        found["sets"] = doc["sets"]
    if isinstance(doc.get("easy"), bool):
        found["easy"] = doc["easy"]
    return found


def _same_options(doc: Document, options: Options) -> None:
    if "mode" in doc and doc["mode"] != options["mode"]:
        raise bad("mode", "tome.setup.other-option", given=options["mode"])
    if "sets" in doc and [key(str(n)) for n in list_at(doc, "sets") or []] != options["sets"]:
        raise bad("sets", "tome.setup.other-option", given=options["sets"])
    if flag_at(doc, "easy") != options["easy"] and "easy" in doc:
        raise bad("easy", "tome.setup.other-option", given=str(options["easy"]).lower())


def _elements(doc: Document, s: State) -> list[str]:
    given = list_at(doc, "elements")
    if given is None:
        if not s.elements:
            raise bad("elements", "tome.setup.elements-needed", known=list(s.book.elements))
        return s.elements
    names = [_element(name, s, "elements") for name in given]
    special = [name for name in names if name in s.book.special]
    basics = basics_needed(len(s.seats))
    if len(set(names)) != len(names) or len(special) != 1 or len(names) != basics + 1:
        raise bad("elements", "tome.setup.elements-number", basics=basics)
    return sorted(names, key=list(s.book.elements).index)


def _element(name: Any, s: State, path: str) -> str:
    found = s.book.element_by_key.get(key(name)) if isinstance(name, str) else None
    if found is None:
        raise bad(path, "tome.setup.no-element", name=str(name), known=list(s.book.elements))
    return found


def _between(table: Document, name: str, low: int, high: int | None, path: str = "") -> int:
    value = number_at(table, name, low, path)
    if high is None and value < low:
        raise bad(at(path, name), "tome.setup.from", low=low)
    if high is not None and not low <= value <= high:
        raise bad(at(path, name), "tome.setup.range", low=low, high=high)
    return value


def _score(doc: Document, s: State) -> None:
    keys = score_keys(s.mode, s.seats)
    table = table_at(doc, "score")
    only_keys(table, keys, "score")
    s.score = [_between(table, name, 0, None, "score") for name in keys]


def _health(s: State, tables: Sequence[Document], *, finished: bool) -> None:
    for seat, (name, table) in enumerate(zip(s.seats, tables, strict=True)):
        if "health" not in table:
            continue
        if not s.health:
            raise bad(f"{name}.health", "tome.setup.no-health")
        health = number_at(table, "health", HEALTH, name)
        if not 0 <= health <= HEALTH:
            raise bad(f"{name}.health", "tome.setup.range", low=0, high=HEALTH)
        s.health[seat] = health
        if health == 0 and list_at(table, "hand", name):
            raise bad(f"{name}.hand", "tome.setup.out")
    if len(those_in(s)) < 2 and not finished:
        raise bad(f"{s.seats[s.health.index(0)]}.health", "tome.setup.all-out")


# --- the table ------------------------------------------------------------------------------------


class _Reader:
    """Reads what depends on each other: seats, cards, and what lies on the chapter."""

    def __init__(self, doc: Document, s: State) -> None:
        self.doc = doc
        self.s = s
        self.resolved = flag_at(doc, "resolved")
        self.entries = [self._entry(entry) for entry in list_at(doc, "played") or []]
        self.by = [seat_of(entry.get("by"), s.seats, "played") for entry in self.entries]
        self.left = set(s.book.deck(s.elements))
        self.where: dict[str, str] = {}

    def _entry(self, entry: Any) -> Document:
        if not isinstance(entry, dict):
            raise bad("played", "core.setup.not-table")
        known = RESOLVED_ENTRY_KEYS if self.resolved else ENTRY_KEYS
        for name in entry:
            if name not in known:
                raise bad("played", "core.setup.unknown-key", key=name)
        return entry

    def _may_have_left(self) -> bool:
        """Once the chapter is judged, spells played may have gone back to hands (Recycle, Quench)
        and be missed in the order of play; at the end of a game a knock-out may have come since."""
        return "judged" in self.doc or "result" in self.doc

    def _seat(self, name: str) -> int | None:
        return seat_of(self.doc[name], self.s.seats, name) if name in self.doc else None

    # --- who ----------------------------------------------------------------------------------

    def seats_at_play(self) -> None:
        """Dealer and leader. What is left out follows from what is given."""
        s = self.s
        dealer, leader = self._seat("dealer"), self._seat("leader")
        if leader is None:
            leader = self._first(dealer)
        elif self.by and self.by[0] != leader and not self._may_have_left():
            first = s.seats[self.by[0]]
            raise conflict("leader", ["played"], "tome.setup.not-leader", seat=first)
        s.leader = leader
        s.dealer = (leader - 1) % len(s.seats) if dealer is None else dealer

    def _first(self, dealer: int | None) -> int:
        if self.by:
            return self.by[0]
        turn = self._seat("turn")
        if turn is not None:
            return turn
        return 0 if dealer is None else (dealer + 1) % len(self.s.seats)

    # --- cards --------------------------------------------------------------------------------

    def cards(self, tables: Sequence[Document]) -> None:
        """Take out of the deck what is named, then deal what is left out."""
        s, doc = self.s, self.doc
        self._title()
        element_deck = self._named("element_deck")
        draw_deck = self._named("draw_deck")
        if draw_deck and s.mode != "duel":
            raise bad("draw_deck", "tome.setup.no-draw-deck")
        self.names = [self._take(entry.get("spell"), "played") for entry in self.entries]
        s.pile = [self._laid(entry) for entry in list_at(doc, "pile") or []]
        aside = self._named("aside") or []
        hands = [
            self._named("hand", table, name) for name, table in zip(s.seats, tables, strict=True)
        ]
        rest = sorted(self.left, key=s.book.order.__getitem__)
        s.rng.shuffle(rest)
        if not s.title and rest:
            s.title = rest.pop()
            s.title_element = s.book.spells[s.title].element
        for seat, hand in enumerate(hands):
            size = self._hand_size(seat)
            s.hands[seat] = _dealt(rest, size) if hand is None else hand
            s.hands[seat].sort(key=s.book.order.__getitem__)
        deck = HAND - s.chapter
        s.element_deck = _dealt(rest, deck) if element_deck is None else element_deck
        if s.mode == "duel":
            draws = 2 * (HAND - s.chapter)
            s.draw_deck = _dealt(rest, draws) if draw_deck is None else draw_deck
        s.aside = aside + rest

    def _hand_size(self, seat: int) -> int:
        s = self.s
        if not is_in(s, seat):
            return 0
        full = HAND + 2 - s.chapter if s.mode == "duel" else HAND + 1 - s.chapter
        return max(0, full - self.by.count(seat))

    def _take(self, name: Any, path: str) -> str:
        book = self.s.book
        found = book.by_key.get(key(name)) if isinstance(name, str) else None
        if found is None:
            raise bad(path, "core.setup.no-card", name=str(name))
        if book.spells[found].element not in self.s.elements:
            raise bad(path, "tome.setup.not-in-deck", name=found)
        if found not in self.left:
            raise conflict(path, [self.where[found]], "core.setup.card-twice", name=found)
        self.left.remove(found)
        self.where[found] = path
        return found

    def _named(self, name: str, table: Document | None = None, path: str = "") -> list[str] | None:
        given = list_at(self.doc if table is None else table, name, path)
        if given is None:
            return None
        return [self._take(spell, at(path, name)) for spell in given]

    def _title(self) -> None:
        title, s = self.doc.get("title"), self.s
        if title is None:
            return
        if isinstance(title, dict):
            only_keys(title, ("spell", "element"), "title")
            s.title = self._take(title.get("spell"), "title.spell")
        else:
            s.title = self._take(title, "title")
        s.title_element = s.book.spells[s.title].element
        if isinstance(title, dict) and "element" in title:
            s.title_element = _element(title["element"], s, "title.element")

    def _laid(self, entry: Any) -> Laid:
        if not isinstance(entry, dict):
            return Laid(self._take(entry, "pile"))
        only_keys(entry, ("spell", "by", "chapter"), "pile")
        by = seat_of(entry["by"], self.s.seats, "pile") if "by" in entry else NOBODY
        chapter = _between(entry, "chapter", 0, CHAPTERS, "pile")
        return Laid(self._take(entry.get("spell"), "pile"), by, chapter)

    # --- the chapter --------------------------------------------------------------------------

    def chapter(self) -> None:
        """The spells played, what has become of them, and what comes next."""
        self._play_order()
        if self.resolved:
            self._take_as_given()
        else:
            for name in ("chain", "due", "judged"):
                if name in self.doc:
                    raise bad(name, "tome.setup.only-resolved")
            self._play_out()
        self._go_on()

    def _play_order(self) -> None:
        """Clockwise from the leader, passing over only those who could not play."""
        last, counts = self.s.leader - 1, [0] * len(self.s.seats)
        for seat in self.by:
            if not self._may_have_left():
                self._follows(seat, last, counts, "played")
            counts[seat] += 1
            last = seat
        self.last, self.counts = last, counts

    def _follows(self, seat: int, last: int, counts: list[int], path: str) -> None:
        s = self.s
        each = ON_A_CHAPTER[s.mode]
        for step in range(1, len(s.seats) + 1):
            other = (last + step) % len(s.seats)
            can = is_in(s, other) and counts[other] < each
            if other == seat and can:
                return
            if other == seat or (can and s.hands[other]):
                break
        raise bad(path, "tome.setup.not-in-order", seat=s.seats[seat])

    def _take_as_given(self) -> None:
        s = self.s
        for entry, by, name in zip(self.entries, self.by, self.names, strict=True):
            s.played.append(self._played(entry, by, name))
        for spell, now, entry in zip(s.played, Chapter(s).spells, self.entries, strict=True):
            given = entry.get("power", shown(now.power)), entry.get("element", now.element)
            if "beneath" in entry and not _alike(given, (shown(now.power), now.element)):
                raise bad("played", "tome.setup.beneath", spell=spell.spell)
        chain = table_at(self.doc, "chain")
        only_keys(chain, ("element", "broken"), "chain")
        if chain:
            s.chain = _element(chain.get("element"), s, "chain.element")
            s.chain_broken = flag_at(chain, "broken", "chain")
            if s.chain in s.book.special:
                raise bad("chain.element", "tome.setup.special-chain", name=s.chain)

    def _played(self, entry: Document, by: int, name: str) -> Played:
        s = self.s
        printed = s.book.spells[name]
        beneath = entry.get("beneath", {})
        if not isinstance(beneath, dict):
            raise bad("played", "core.setup.not-table")
        for unknown in set(beneath) - {"power", "element"}:
            raise bad("played", "core.setup.unknown-key", key=unknown)
        values = {"power": shown(printed.power), "element": printed.element, **entry, **beneath}
        spell = Played(
            by, name, _power(values["power"]), _element(values["element"], s, "played"),
        )  # fmt: skip
        _power(entry.get("power", "F"))
        _element(entry.get("element", printed.element), s, "played")
        silenced = entry.get("silenced", False)
        if not isinstance(silenced, bool):
            raise bad("played", "core.setup.not-flag")
        if silenced and not printed.can_be_silenced:
            raise bad("played", "tome.setup.cannot-be-silenced", spell=name)
        spell.silenced = silenced
        return spell

    def _play_out(self) -> None:
        """Resolve the spells played, with the choices given."""
        s = self.s
        table = Table(s, quiet=True)
        choices = {
            name: _choices(entry) for name, entry in zip(self.names, self.entries, strict=True)
        }
        for seat, name in zip(self.by, self.names, strict=True):
            s.hands[seat].append(name)
            rules.put(table, seat, name)
            while s.due:
                _answer(rules.activate(table), choices)
        for name, left in choices.items():
            if left:
                raise bad("played", "tome.setup.choice-too-many", spell=name, choice=left[0])

    def _go_on(self) -> None:
        s = self.s
        decided = s.mode != "survival" and rules.decided(s)
        if "result" in self.doc or decided:
            self._over()
            return
        self._due()
        if "judged" in self.doc:
            self._judged()
        elif s.due and s.due[0].timing == "before_judging":
            s.phase = "judge"
        elif s.due:
            s.turn = self.last % len(s.seats)
        else:
            self._turn()
            return
        if s.phase != "play" and "turn" in self.doc:
            raise bad("turn", "tome.setup.all-played")

    def _over(self) -> None:
        s = self.s
        result = table_at(self.doc, "result")
        only_keys(result, ("winners",), "result")
        if not rules.decided(s):
            raise bad("result", "tome.setup.not-over")
        winners = list(rules.winners(s))
        if list_at(result, "winners", "result") not in (None, winners):
            raise bad("result.winners", "tome.setup.other-winners", seats=winners)
        if "turn" in self.doc:
            raise bad("turn", "tome.setup.over")
        s.phase = "over"

    def _due(self) -> None:
        for entry in list_at(self.doc, "due") or []:
            if not isinstance(entry, dict):
                raise bad("due", "core.setup.not-table")
            only_keys(entry, ("spell", "timing"), "due")
            self.s.due.append(self._one_due(entry))

    def _one_due(self, entry: Document) -> Due:
        s = self.s
        name = s.book.by_key.get(key(str(entry.get("spell"))), "")
        timing = TIMINGS.get(key(str(entry.get("timing"))), "")
        after = timing == "after_judging"
        mixed = (
            bool(s.due)
            and (s.due[0].timing in LATE or timing in LATE)
            and (s.due[0].timing != timing)
        )
        if (
            not timing
            or mixed
            or after != ("judged" in self.doc)
            or on_chapter(s, name) is None
            or name not in s.book.timed[timing]
        ):
            raise bad("due", "tome.setup.not-due", spell=str(entry.get("spell")))
        return Due(name, timing)

    def _judged(self) -> None:
        s = self.s
        table = table_at(self.doc, "judged")
        only_keys(table, ("strongest", "weakest"), "judged")
        s.strongest = seat_of(table.get("strongest"), s.seats, "judged.strongest")
        s.weakest = seat_of(table.get("weakest"), s.seats, "judged.weakest")
        s.phase = "score"

    def _turn(self) -> None:
        """Who is to play; if nobody is, judging begins."""
        s = self.s
        turn = self._seat("turn")
        if turn is not None:
            self._follows(turn, self.last, self.counts, "turn")
            s.turn = turn
        following = next_to_play(s, self.last)
        if following == NOBODY:
            rules.begin_judging(Table(s, quiet=True))
        else:
            s.turn = following


LATE = ("before_judging", "after_judging")


def _dealt(rest: list[str], number: int) -> list[str]:
    dealt = rest[:number]
    del rest[:number]
    return dealt


def _alike(given: tuple[Any, Any], found: tuple[Any, Any]) -> bool:
    return all(key(str(one)) == key(str(two)) for one, two in zip(given, found, strict=True))


def _power(value: Any) -> int:
    if isinstance(value, str) and key(value) == "f":
        return F
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value < F:
        return value
    raise bad("played", "tome.setup.power", value=str(value))


# --- choices --------------------------------------------------------------------------------------


def _choices(entry: Document) -> list[str]:
    given = entry.get("choose", [])
    choices = given if isinstance(given, list) else [given]
    if not all(isinstance(choice, str) for choice in choices):
        raise bad("played", "tome.setup.choice-words", spell=str(entry.get("spell")))
    return list(choices)


def _answer(step: Step[None], choices: dict[str, list[str]]) -> None:
    """Run an effect to its end, answering what it asks."""
    try:
        asked = next(step)
        while True:
            assert isinstance(asked, Prompt), "an effect asks one seat at a time"
            asked = step.send(_choose(asked, choices[str(asked.values["spell"])]))
    except StopIteration:
        pass


def _choose(prompt: Prompt, left: list[str]) -> Answer:
    """The choice given, or the forced one, which may be given too."""
    forced = prompt.only()
    if left:
        chosen = _chosen(prompt, left[0])
        if chosen is not None and (forced is None or forced == chosen):
            del left[0]
            return chosen
    if forced is not None:
        return forced
    spell = str(prompt.values["spell"])
    if left:
        raise bad("played", "tome.setup.choice-cannot-be", spell=spell, choice=left[0])
    raise bad("played", "tome.setup.choice-missing", spell=spell)


def _chosen(prompt: Prompt, words: str) -> Answer | None:
    wanted = key(words)
    for answer in prompt.answers():
        said = (
            answer.picks[0] if answer.picks else "none" if answer.verb == "choose" else answer.verb
        )
        if key(said) == wanted:
            return answer
    return None
