"""Which game is meant when the player did not say, or said it with other words."""

from __future__ import annotations

from collections.abc import Sequence

from sigilpost_client.errors import NoGame
from sigilpost_client.store import GameRecord, State
from sigilpost_engine.core.messages import say


def one_game(state: State, given: str) -> GameRecord:
    """The game that ``given`` names; without it the only one that asks, or the only one at all.

    Raises NoGame.
    """
    if given:
        return state.game(given)
    for found in (state.asked(), state.going(), list(state.games.values())):
        if len(found) == 1:
            return found[0]
        if found:
            raise NoGame(
                say("client.error.which-game", games=[game.id for game in found]),
                say("client.remedy.which-game", game=found[0].id),
            )
    raise NoGame(say("client.error.no-games"), say("client.remedy.create"))


def asking_game(state: State, given: str) -> GameRecord:
    """The game to answer in. Raises NoGame."""
    if given:
        return state.game(given)
    found = state.asked()
    if len(found) == 1:
        return found[0]
    if found:
        raise NoGame(
            say("client.error.which-game", games=[game.id for game in found]),
            say("client.remedy.which-game", game=found[0].id),
        )
    answered = [game for game in state.going() if game.prompt is not None]
    if len(answered) == 1:
        return answered[0]
    raise NoGame(say("client.error.nothing-asked"), say("client.remedy.sync"))


def game_and_words(state: State, words: Sequence[str], named: str) -> tuple[GameRecord, list[str]]:
    """Part ``[GAME] LINE…``: the first word is a game if it fits one and something follows it."""
    rest = list(words)
    if not named and len(rest) > 1 and names_a_game(state, rest[0]):
        named = rest.pop(0)
    return asking_game(state, named), rest


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
