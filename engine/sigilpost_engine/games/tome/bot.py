"""Simple reckoning: try each answer on the position as the seat knows it, and rate what it gives.

A position is worth the chance of winning the chapter (survival: of not being the Weakest) in
points, and what the spells still in hand may bring.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from operator import attrgetter

from sigilpost_engine.core.game import Document
from sigilpost_engine.core.prompts import Answer, Prompt
from sigilpost_engine.core.table import Table
from sigilpost_engine.games.tome import rules
from sigilpost_engine.games.tome.looking import state_of
from sigilpost_engine.games.tome.spells import F
from sigilpost_engine.games.tome.state import CHAPTERS, ON_A_CHAPTER, Played, State, is_in, side_of
from sigilpost_engine.games.tome.strength import AHEAD, TRUMP, Chapter, Seen

KEEP = {1: 0.04, 2: 0.07, 3: 0.11, 4: 0.16, 5: 0.22}
"""What a spell in hand may bring in a later chapter, by Power."""

KEEP_FLUX = 0.34
KEEP_SPECIAL = 0.05
"""More for a Special Spell, which breaks no Chain."""

DEEPEST = 3
"""Questions of one effect that are followed up."""

values_of = attrgetter(*(field.name for field in fields(State)))


def greedy(view: Document, prompt: Prompt) -> Answer:
    """The answer after which the position is worth most; the first where nothing can be told."""
    s = state_of(view)
    return next(iter(prompt.answers())) if s is None else hunch(s, prompt)


def hunch(s: State, prompt: Prompt) -> Answer:
    """The greedy answer of who is asked: it looks at no hand but the own one."""
    found = worths(s, prompt)
    return max(found, key=found.__getitem__)


def worths(s: State, prompt: Prompt) -> dict[Answer, float]:
    """The worth of each answer for who is asked, if the effects that follow are used as well as
    can be."""
    seat = prompt.seat
    found = dict.fromkeys(prompt.answers(), 0.0)
    if prompt.topic == "play":
        for answer in found:
            trial = tried(s)
            rules.put(Table(trial, quiet=True), seat, answer.picks[0])
            found[answer] = best(trial, seat)
        return found
    for given, after in outcomes(s):
        value = best(after, seat)
        for asked, answer in given:
            if asked == prompt:
                found[answer] = max(found[answer], value)
    return found


def best(s: State, seat: int) -> float:
    """The worth once the effects that are due have had their turns."""
    if s.due and s.phase == "play":
        return max(best(after, seat) for _, after in outcomes(s))
    return worth(s, seat)


def tried(s: State) -> State:
    """A copy for trying out plays and effects: what they cannot change is shared."""
    other = State(*values_of(s))
    other.hands = list(map(list, s.hands))
    other.played = [Played(p.by, p.spell, p.power, p.element, p.silenced) for p in s.played]
    other.due = list(s.due)
    other.pile = list(s.pile)
    return other


Given = tuple[tuple[Prompt, Answer], ...]


def outcomes(s: State, given: Given = ()) -> Iterator[tuple[Given, State]]:
    """The positions that the first due effect can lead to, and what was answered on the way."""
    trial = tried(s)
    step = rules.activate(Table(trial, quiet=True))
    answers = iter(given)
    try:
        asked = next(step)
        while True:
            assert isinstance(asked, Prompt), "an effect asks one seat at a time"
            answer = asked.only()
            if answer is None:
                _, answer = next(answers, (None, None))
            if answer is None:
                break
            asked = step.send(answer)
    except StopIteration:
        yield given, trial
        return
    if len(given) < DEEPEST:
        for answer in asked.answers():
            yield from outcomes(s, (*given, (asked, answer)))


def worth(s: State, seat: int) -> float:
    """What the position is worth for ``seat``, in points."""
    hand = 0.0 if s.chapter == CHAPTERS else sum(keep(s, name) for name in s.hands[seat])
    if s.phase == "score":
        return hand
    chapter = as_judged(s)
    if not chapter.spells:
        return hand
    chance = not_weakest(s, chapter, seat) if s.health else winning(s, chapter, seat)
    stake = rules.FINAL_POINTS if s.chapter == CHAPTERS else 1
    return stake * chance + hand


def keep(s: State, name: str) -> float:
    """What a spell in hand may bring."""
    spell = s.book.spells.get(name)
    if spell is None:
        return 0.0
    base = KEEP_FLUX if spell.power == F else KEEP[min(spell.power, 5)]
    return base + (KEEP_SPECIAL if spell.element in s.book.special else 0.0)


def as_judged(s: State) -> Chapter:
    """The chapter as it would be judged now: effects before judging that ask nothing are in it."""
    names = s.book.timed["before_judging"]
    if not any(spell.spell in names for spell in s.played):
        return Chapter(s)
    trial = tried(s)
    trial.due = rules.timed(trial, "before_judging")
    table = Table(trial, quiet=True)
    while trial.due:
        step = rules.activate(table)
        try:
            next(step)
        except StopIteration:
            continue
        del trial.due[0]
    return Chapter(trial)


def winning(s: State, chapter: Chapter, seat: int) -> float:
    """The chance that the side of ``seat`` wins the chapter."""
    leader = chapter.strongest()
    assert leader is not None, "there is a spell on the chapter"
    side = side_of(s, seat)
    stands = 1.0
    falls = 1.0
    for other in still_to_play(s):
        beaten = 1.0 - holds(chapter, leader)
        if side_of(s, other) == leader.side:
            falls *= 1.0 - beaten
        else:
            stands *= 1.0 - beaten
    chance = stands + (1.0 - stands) * (1.0 - falls) * 0.5
    return chance if leader.side == side else 1.0 - chance


def holds(chapter: Chapter, spell: Seen) -> float:
    """The chance that the next spell does not beat this one."""
    group, _, _ = chapter.rank(spell)
    power = min(spell.power, 12)
    if spell.power == F:
        return (1.0, 0.78, 0.72)[group]
    if group == TRUMP:
        return 0.8 + 0.015 * power
    if group == AHEAD:
        return 0.66 + 0.01 * power
    return 0.22 + 0.055 * min(power, 9)


def not_weakest(s: State, chapter: Chapter, seat: int) -> float:
    """The chance that ``seat`` does not end with the Weakest spell."""
    worst = chapter.weakest()
    assert worst is not None, "there is a spell on the chapter"
    mine = [spell for spell in chapter.spells if spell.by == seat]
    left = len(still_to_play(s))
    if not mine:
        return 0.5
    above = sum(chapter.rank(spell) > chapter.rank(mine[0]) for spell in chapter.spells)
    if above:
        return 1.0 - 0.05 * left / above
    return 1.0 - (1.0 - holds(chapter, mine[0])) ** left if left else 0.0


def still_to_play(s: State) -> list[int]:
    """The seats that have plays left on this chapter, once for each play."""
    plays = [0] * len(s.seats)
    for spell in s.played:
        plays[spell.by] += 1
    each = ON_A_CHAPTER[s.mode]
    return [
        seat
        for seat in range(len(s.seats))
        if is_in(s, seat)
        for _ in range(min(each - plays[seat], len(s.hands[seat])))
    ]
