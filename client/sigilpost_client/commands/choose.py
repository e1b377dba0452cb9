"""Which game is meant when the player did not say, or said it with other words."""

from __future__ import annotations

from collections.abc import Sequence

from sigilpost_client.errors import NoGame
from sigilpost_client.store import GameRecord, State, tag_as_typed
from sigilpost_engine.core.messages import Msg, say


def one_game(state: State, given: str) -> GameRecord:
    """The game that ``given`` names; without it the only one that asks, or the only one at all.

    Raises NoGame.
    """
    return state.game(given) if given else _only((state.asked(), *_all(state)))


def one_table(state: State, given: str) -> GameRecord:
    """The game that ``given`` names; without it the only one that is not over, or the only one at
    all. For what is said or done to others and cannot be taken back: that a game asks something
    makes it no more likely to be the one that is meant.

    Raises NoGame.
    """
    return state.game(given) if given else _only(_all(state))


def _all(state: State) -> tuple[list[GameRecord], list[GameRecord]]:
    return state.going(), list(state.games.values())


def _only(likely: Sequence[Sequence[GameRecord]]) -> GameRecord:
    """The one game of the first group in which there are any. Raises NoGame."""
    found: Sequence[GameRecord] = next((group for group in likely if group), ())
    if not found:
        raise NoGame(say("client.error.no-games"), say("client.remedy.create"))
    return only_one(found)


def only_one(found: Sequence[GameRecord]) -> GameRecord:
    """The one game that was found, of one at least. Raises NoGame if it must be said which."""
    if len(found) > 1:
        raise NoGame(
            say("client.error.which-game", games=[game.id for game in found]),
            say("client.remedy.which-game", game=found[0].id),
        )
    return found[0]


def whole_tag(typed: str, remedy: Msg) -> str:
    """The tag of a game that need not be known here. Raises NoGame for what cannot be one."""
    from sigilpost_engine.wire.checks import GAME

    tag = tag_as_typed(typed)
    if not GAME.fullmatch(tag):
        raise NoGame(say("client.error.game-unknown", given=typed), remedy)
    return tag


def asking_game(state: State, given: str) -> GameRecord:
    """The game to answer in. Raises NoGame."""
    if given:
        return state.game(given)
    if found := state.asked():
        return only_one(found)
    answered = [game for game in state.going() if game.prompt is not None]
    if len(answered) == 1:
        return answered[0]
    raise NoGame(say("client.error.nothing-asked"), say("client.remedy.sync"))


def game_and_words(state: State, words: Sequence[str], named: str) -> tuple[GameRecord, list[str]]:
    """Part ``[GAME] LINE…``: the first word is a game if it fits one and something follows it."""
    rest = list(words)
    if not named and len(rest) > 1 and begins_with_game(state, rest[0]):
        named = rest.pop(0)
    return asking_game(state, named), rest


def begins_with_game(state: State, word: str) -> bool:
    """Whether the word before lines of a game is the game: :func:`names_a_game`, or the name of a
    kind, which no line begins with."""
    from sigilpost_engine import games

    kind = word.casefold() in games.names() and bool(state.fitting(word))
    return kind or names_a_game(state, word)


def names_a_game(state: State, word: str) -> bool:
    """Whether a word is a tag or its beginning up to the dash at least: ``weaver-7``.

    Shorter ones could be a command of the game. A mistyped tag of a game's kind is one all the
    same, so that it is not taken for a command.
    """
    from sigilpost_engine import games

    if state.fitting(word):
        return "-" in word or word in state.games
    kind, dash, _ = word.partition("-")
    return bool(dash) and kind.casefold() in games.names()
