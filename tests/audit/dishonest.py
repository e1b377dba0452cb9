"""A server that can be honest or not: plays whole games with real keys, and writes transcripts.

An attack changes what the server says; the helpers here make the rest consistent again (chain,
seal), as a clever cheat would.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from sigilpost_engine.audit import transcript
from sigilpost_engine.audit.verify import Receipt, Report, verify
from sigilpost_engine.bots import Bot, GreedyBot, RandomBot
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games import find
from sigilpost_engine.wire import chain, fair, payloads
from sigilpost_engine.wire.chain import Head
from sigilpost_engine.wire.keys import PrivateKey
from sigilpost_engine.wire.payloads import Create, Join, Orders, Payload

Lines = list[dict[str, Any]]

TAG = "weaver-7k2q"
NAMES = ("alice", "bob", "carol")
SERVER = PrivateKey.from_seed(b"s" * 32)
KEYS = [PrivateKey.from_seed(name.encode().ljust(32, b".")) for name in NAMES]
SECRET = bytes(range(32))
GAME = find("weaver")
OPTIONS = GAME.read_options({})


def nonce(*words: object) -> str:
    return Rng(repr(words).encode()).word().to_bytes(4, "big").hex() * 4


def common(seat: int, *words: object) -> dict[str, Any]:
    return {
        "server": SERVER.fingerprint,
        "key": KEYS[seat].fingerprint,
        "nonce": nonce(seat, *words),
        "made": 1_800_000_000,
    }


def signed(seat: int, payload: Payload) -> dict[str, Any]:
    return transcript.block_line(seat + 1, payloads.sign(payload, KEYS[seat]))


class Play:
    """One honest game as it is written down, line by line."""

    def __init__(self, secret: bytes = SECRET, *, deck_of: bytes | None = None) -> None:
        roster = [
            {"name": name, "key": key.fingerprint} for name, key in zip(NAMES, KEYS, strict=True)
        ]
        committed = fair.commitment(SECRET)
        nonces = [nonce(seat, "join") for seat in range(3)]
        self.key = fair.game_key(secret, TAG, OPTIONS, roster, nonces)
        self.match = Match.begin(GAME, NAMES, OPTIONS, deck_of or self.key)
        self.lines: Lines = [
            transcript.line(
                "game",
                v=1,
                game=TAG,
                kind="weaver",
                schema=GAME.schema,
                program="0.1.0",
                options=OPTIONS,
                roster=roster,
                commitment=committed,
                server=SERVER.public.hex,
            )
        ]
        for seat, key in enumerate(KEYS):
            self.lines.append(transcript.line("key", seat=seat + 1, public=key.public.hex))
        create = Create(
            game="weaver", options={}, opponents=NAMES[1:], rules={}, **common(0, "join")
        )
        self.lines.append(signed(0, create))
        for seat in (1, 2):
            join = Join(game=TAG, commitment=committed, **common(seat, "join"))
            self.lines.append(signed(seat, join))
        self.lines.append(transcript.line("secret", secret=secret.hex()))
        self.head = chain.start(TAG, "weaver", OPTIONS, roster, committed)
        events = [event.to_json() for event in self.match.take_events()]
        self.lines.append(
            transcript.line("start", events=events, hash=self.head.hash, made=1_800_000_000)
        )
        self.receipts = [Receipt(0, self.head.hash)]

    def move(self, *commands: str) -> None:
        """The seat that is asked sends these commands in one mail."""
        seat = self.match.open[0].seat
        orders = Orders(
            game=TAG,
            seat=seat + 1,
            prompt=self.match.prompt_id(seat),
            lines=commands,
            **common(seat, self.head.number),
        )
        block = payloads.sign(orders, KEYS[seat])
        self.lines.append(transcript.block_line(seat + 1, block))
        for index, command in enumerate(commands):
            answer = self.match.submit(seat, command)
            events = [event.to_json() for event in self.match.take_events()]
            self._link(seat, block.digest.hex(), index, answer.to_json(), events)

    def _link(
        self, seat: int, block: str, index: int, answer: list[Any], events: list[Any]
    ) -> None:
        salt = chain.salt(self.key, self.head.number + 1)
        outcome = chain.outcome_digest(salt, answer, events)
        self.head = chain.extend(self.head, seat, block, index, outcome)
        self.receipts.append(Receipt(self.head.number, self.head.hash))
        self.lines.append(
            transcript.line(
                "answer",
                n=self.head.number,
                seat=seat + 1,
                by="orders",
                block=block,
                index=index,
                answer=answer,
                events=events,
                hash=self.head.hash,
                made=1_800_000_000,
            )
        )

    def to_the_end(self) -> Play:
        """Play on: the first exchange and claim come in one mail, the rest by bots."""
        bots: list[Bot] = [RandomBot(Rng(b"one")), GreedyBot(Rng(b"two")), RandomBot(Rng(b"three"))]
        first = self.match.open[0].moves[0]
        assert first.pick is not None
        self.move(f"exchange {first.pick.items[0]}", f"hide {first.pick.items[1]}")
        while self.match.open:
            prompt = self.match.open[0]
            answer = bots[prompt.seat].choose(GAME, self.match.view(prompt.seat), prompt)
            self.move(GAME.phrase(answer))
        result = self.match.result
        assert result is not None
        self.lines.append(
            transcript.line(
                "end",
                n=self.head.number,
                hash=self.head.hash,
                result={**result.detail, "winners": list(result.winners)},
            )
        )
        return self


def whole_game() -> Play:
    """An honest game, played to its end."""
    return Play().to_the_end()


def rechained(lines: Lines, key: bytes) -> Lines:
    """The lines with numbers and hashes made consistent again."""
    head = Head(-1, "")
    for each in lines:
        if each["line"] == "start":
            head = Head(0, each["hash"])
        elif each["line"] == "answer":
            outcome = chain.outcome_digest(
                chain.salt(key, head.number + 1), each["answer"], each["events"]
            )
            head = chain.extend(head, each["seat"] - 1, each["block"], each["index"], outcome)
            each |= {"n": head.number, "hash": head.hash}
        elif each["line"] == "end":
            each |= {"n": head.number, "hash": head.hash}
    return lines


def attacked(play: Play, attack: Callable[[Lines], None], *, rechain: bool = True) -> bytes:
    """The transcript after an attack, sealed by the server as if nothing had happened."""
    lines = copy.deepcopy(play.lines)
    attack(lines)
    if rechain:
        rechained(lines, play.key)
    return transcript.write(lines, SERVER)


def checked(data: bytes, receipts: list[Receipt] | None = None) -> Report:
    return verify(data, find, receipts or [], [SERVER.public.raw])


def places(lines: Lines, kind: str) -> list[int]:
    """Where lines of a kind stand."""
    return [place for place, each in enumerate(lines) if each["line"] == kind]
