"""The course of the game: the draft of Elements, rounds, chapters, judging, points.

Each step is small: one play, or one effect. So whatever is asked, it is asked at the start of a
step or right after the play that the step began with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sigilpost_engine.core.game import Result
from sigilpost_engine.core.messages import NOTHING
from sigilpost_engine.core.prompts import Move, Pick, Prompt
from sigilpost_engine.core.table import Step, Table, ask
from sigilpost_engine.games.tome import atoms
from sigilpost_engine.games.tome.effects import Now
from sigilpost_engine.games.tome.state import (
    CHAPTERS,
    NOBODY,
    Due,
    Played,
    State,
    basics_needed,
    is_in,
    members,
    next_to_play,
    on_chapter,
    side_of,
    those_in,
)
from sigilpost_engine.games.tome.strength import Chapter

T = Table[State]

ENOUGH = 15
"""Points that win in team and duel, with a lead of AHEAD."""

AHEAD = 2
SURVIVOR_ENOUGH = 10
"""Points that win in survival at the end of a round, if nobody else has as many."""

FINAL_POINTS = 2


def step(t: T) -> Step[None]:
    """One effect that is due; else what the phase says.

    Raises UnknownVersion if the sets are not those that the game was begun with.
    """
    s = t.state
    s.bind()
    if s.due:
        yield from resolve(t)
    elif s.phase == "play":
        yield from play(t)
    else:
        PHASES[s.phase](t)


# --- a round --------------------------------------------------------------------------------------


def draft(t: T) -> None:
    """Several sets: players in seat order flip a Flux each until there are Elements enough; then
    one Special Element."""
    s = t.state
    for fluxes, needed in ((s.book.basics, basics_needed(len(s.seats))), (s.book.specials, 1)):
        if len(fluxes) == needed:
            atoms.include(t, fluxes)
            continue
        shuffled = list(fluxes)
        s.rng.shuffle(shuffled)
        for number in range(needed):
            atoms.flip(t, number % len(s.seats), shuffled[number])
    atoms.enter(t, "deal")


def deal(t: T) -> None:
    """The first dealer is drawn by lot; then the deal passes to the left."""
    s = t.state
    seats = len(s.seats)
    dealer = s.rng.below(seats) if s.dealer == NOBODY else (s.dealer + 1) % seats
    atoms.deal(t, dealer)


def open_chapter(t: T) -> None:
    """Duel: both draw, the dealer first. Then the Title Spell is revealed. Who won the chapter
    before leads; on the first one, who sits left of the dealer."""
    s = t.state
    if s.mode == "duel":
        for number in range(len(s.seats)):
            atoms.draw(t, (s.dealer + number) % len(s.seats))
    first = s.leader if s.strongest == NOBODY else s.strongest
    atoms.open_chapter(t)
    leader = next_to_play(s, first - 1)
    if leader == NOBODY:
        begin_judging(t)
    else:
        atoms.lead(t, leader)


# --- a play ---------------------------------------------------------------------------------------


def play(t: T) -> Step[None]:
    """The seat whose turn it is plays a spell; what that sets off comes due."""
    answer = yield from ask(question(t.state))
    put(t, t.state.turn, answer.picks[0])
    if not t.state.due:
        move_on(t)


def question(s: State) -> Prompt:
    """Which spell of the hand to play."""
    moves = (Move("play", "", Pick(tuple(s.hands[s.turn]))),)
    return Prompt(s.turn, "play", moves, NOTHING, True)


def put(t: T, seat: int, name: str) -> None:
    """Lay a spell on the chapter: the Chain first, then effects on play and at each play."""
    s = t.state
    link(t, atoms.lay(t, seat, name))
    each, on = s.book.timed["each_play"], s.book.timed["on_play"]
    due = [Due(spell.spell, "each_play") for spell in s.played if spell.spell in each]
    if name in on:
        due.append(Due(name, "on_play"))
    atoms.enter(t, "play", due)


def link(t: T, played: Played) -> None:
    """Chain: the first Basic Spell begins it; the first of another Element breaks it and is
    Silenced. Only printed Elements count."""
    s = t.state
    spell = s.book.spells[played.spell]
    if spell.element in s.book.special or s.chain_broken:
        return
    if not s.chain:
        atoms.begin_chain(t, spell.element)
    elif spell.element != s.chain and spell.can_break_chain:
        atoms.break_chain(t, played)
        atoms.silence(t, played)


def resolve(t: T) -> Step[None]:
    """The first effect that is due has its turn."""
    yield from activate(t)
    if not t.state.due and t.state.phase == "play":
        move_on(t)


def activate(t: T) -> Step[None]:
    """The first effect that is due activates if its spell still lies there and is not Silenced."""
    s = t.state
    due = s.due[0]
    spell = on_chapter(s, due.spell)
    if spell is not None and not spell.silenced:
        effect = s.book.spells[due.spell].effect(due.timing)
        assert effect is not None, "only what has an effect comes due"
        asking = effect(Now(t, spell, s.played[-1]))
        if asking is not None:
            yield from asking
    atoms.done(t)


def move_on(t: T) -> None:
    """The next seat is to play; if all have played, judging begins."""
    following = next_to_play(t.state, t.state.turn)
    if following == NOBODY:
        begin_judging(t)
    else:
        atoms.pass_turn(t, following)


# --- judging --------------------------------------------------------------------------------------


def begin_judging(t: T) -> None:
    """All spells are played: effects before judging come due."""
    atoms.enter(t, "judge", timed(t.state, "before_judging"))


def timed(s: State, timing: str) -> list[Due]:
    """The effects of this timing on the chapter, in play order."""
    names = s.book.timed[timing]
    return [Due(spell.spell, timing) for spell in s.played if spell.spell in names]


def judge(t: T) -> None:
    """The Strongest and the Weakest are determined; effects after judging come due."""
    chapter = Chapter(t.state)
    best = chapter.strongest()
    trump = best is not None and chapter.is_trump(best)
    atoms.judge(t, best, chapter.weakest(), trump)
    atoms.enter(t, "score", timed(t.state, "after_judging"))


def score(t: T) -> None:
    """The points of the chapter; then the next one, the next round, or the end."""
    if t.state.mode == "survival":
        score_survival(t)
    else:
        score_sides(t)


def score_sides(t: T) -> None:
    """1 point for the side of the Strongest, 2 on the final chapter; over at once when decided."""
    s = t.state
    if s.strongest != NOBODY:
        points = FINAL_POINTS if s.chapter == CHAPTERS else 1
        atoms.score(t, side_of(s, s.strongest), points)
    if decided(s):
        atoms.finish(t, winners(s))
    else:
        close_chapter(t, last=is_last(s))


def score_survival(t: T) -> None:
    """The Weakest costs 1 health. Every knock-out is worth 1 to each who is left, being the last
    1 more, and winning the final chapter 1 in games of four."""
    s = t.state
    if s.weakest != NOBODY:
        atoms.wound(t, s.weakest)
        if not is_in(s, s.weakest):
            atoms.knock_out(t, s.weakest)
            for seat in those_in(s):
                atoms.score(t, seat, 1)
    left = those_in(s)
    if len(left) == 1:
        atoms.score(t, left[0], 1)
    if s.chapter == CHAPTERS and s.strongest != NOBODY and len(s.seats) == 4:
        atoms.score(t, s.strongest, 1)
    last = len(left) <= 1 or is_last(s)
    if last and decided(s):
        atoms.finish(t, winners(s))
    else:
        close_chapter(t, last=last)


def is_last(s: State) -> bool:
    """Whether no chapter of this round can follow: it was the sixth, or nobody holds a spell."""
    return s.chapter >= CHAPTERS or not (any(s.hands) or s.draw_deck)


def close_chapter(t: T, *, last: bool) -> None:
    """The spells are set aside; the next chapter is opened, or a new round dealt."""
    atoms.collect(t)
    if last:
        atoms.discard_hands(t)
        atoms.enter(t, "deal")
        return
    atoms.enter(t, "open")


# --- the end --------------------------------------------------------------------------------------


def decided(s: State) -> bool:
    """Whether these points end the game (in survival: if the round is at its end)."""
    points = sorted(s.score, reverse=True)
    if s.mode == "survival":
        return points[0] >= SURVIVOR_ENOUGH and points[0] > points[1]
    return points[0] >= ENOUGH and points[0] - points[1] >= AHEAD


def winners(s: State) -> Sequence[str]:
    """The names of the winning side, in seat order."""
    best = s.score.index(max(s.score))
    return [s.seats[seat] for seat in members(s, best)]


def result(s: State) -> Result | None:
    """The winners once the game is over."""
    return Result(tuple(winners(s))) if s.phase == "over" else None


PHASES: dict[str, Callable[[T], None]] = {
    "draft": draft,
    "deal": deal,
    "open": open_chapter,
    "judge": judge,
    "score": score,
}
