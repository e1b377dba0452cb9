"""A server that can be honest or not: plays whole games with real keys, and writes transcripts.

An attack changes what the server says; the helpers here make the rest consistent again (chain,
seal), as a clever cheat would.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from sigilpost_engine.audit import transcript
from sigilpost_engine.audit.verify import Receipt, Report, verify
from sigilpost_engine.bots import GreedyBot, RandomBot
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.prompts import Answer
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games import find
from sigilpost_engine.wire import chain, fair, payloads
from sigilpost_engine.wire.chain import Head
from sigilpost_engine.wire.keys import PrivateKey
from sigilpost_engine.wire.payloads import Create, Join, Orders, Payload

Lines = list[dict[str, Any]]

TAGS = {"weaver": "weaver-7k2q", "wizards": "wizards-7k2q", "tome": "tome-7k2q"}
NAMES = ("alice", "bob", "carol")
SEATS = {"weaver": 3, "wizards": 2, "tome": 2}
CHOICES: dict[str, dict[str, Any]] = {"weaver": {}, "wizards": {}, "tome": {"mode": "duel"}}
TAG = TAGS["weaver"]
SERVER = PrivateKey.from_seed(b"s" * 32)
KEYS = [PrivateKey.from_seed(name.encode().ljust(32, b".")) for name in NAMES]
SECRET = bytes(range(32))
MADE = 1_800_000_000


def nonce(*words: object) -> str:
    return Rng(repr(words).encode()).word().to_bytes(4, "big").hex() * 4


def common(seat: int, *words: object, key: PrivateKey | None = None) -> dict[str, Any]:
    return {
        "server": SERVER.fingerprint,
        "key": (key or KEYS[seat]).fingerprint,
        "nonce": nonce(seat, *words),
        "made": MADE,
    }


def signed(seat: int, payload: Payload, key: PrivateKey | None = None) -> dict[str, Any]:
    return transcript.block_line(seat + 1, payloads.sign(payload, key or KEYS[seat]))


class Play:
    """One honest game as it is written down, line by line."""

    def __init__(
        self,
        kind: str = "weaver",
        secret: bytes = SECRET,
        *,
        deck_of: bytes | None = None,
        options: dict[str, Any] | None = None,
        blind: bool = False,
        by_code: bool = False,
        chosen: bool = False,
        league: bool = False,
        order: Sequence[int] = (1, 2, 3, 4, 5),
    ) -> None:
        """``order``: the seats that were told to those who join. ``options``: spelled so.
        ``blind``: nobody's join names commitment and seat. ``by_code``: the
        last seat joined by a reply code; ``chosen``: with a key and a nonce of the server's.
        ``league``: a league set the game up, and no player proposed it."""
        self.game, self.tag = find(kind), TAGS[kind]
        self.names = NAMES[: SEATS[kind]]
        self.keys = list(KEYS[: SEATS[kind]])
        if options is None:
            options = self.game.read_options(CHOICES[kind])
        roster = [
            {"name": name, "key": key.fingerprint, **({"credentials": "code"} if by_code else {})}
            for name, key in zip(self.names, self.keys, strict=True)
        ]
        committed = fair.commitment(SECRET)
        nonces = [nonce(seat, "join") for seat in range(len(self.names))]
        last = len(self.names) - 1
        signing = len(self.names) - (by_code and not chosen)
        if by_code:
            roster[last]["key"] = ""
        if by_code and not chosen:
            nonces[last] = fair.unsigned_nonce(self.tag, committed, last)
        keys = [str(entry["key"]) for entry in roster]
        self.key = fair.game_key(secret, self.tag, options, keys, nonces)
        self.match = Match.begin(self.game, self.names, options, deck_of or self.key)
        self.lines: Lines = [
            transcript.line(
                "game",
                v=1,
                game=self.tag,
                kind=kind,
                schema=self.game.schema,
                program="0.1.0",
                options=options,
                roster=roster,
                commitment=committed,
                server=SERVER.public.hex,
            )
        ]
        for seat, key in enumerate(self.keys[:signing]):
            self.lines.append(transcript.line("key", seat=seat + 1, public=key.public.hex))
        create = Create(
            game=kind,
            options=CHOICES[kind],
            opponents=self.names[1:],
            rules={"credentials": "code"} if by_code else {},
            **common(0, "create"),
        )
        if not league:
            self.lines.append(signed(0, create))
        for seat in range(signing):
            told = "" if blind else committed
            place = 0 if blind else order[seat]
            join = Join(game=self.tag, seat=place, commitment=told, **common(seat, "join"))
            self.lines.append(signed(seat, join))
        self.lines.append(transcript.line("secret", secret=secret.hex()))
        self.head = chain.start(self.tag, kind, options, roster, committed)
        events = [event.to_json() for event in self.match.take_events()]
        self.lines.append(transcript.line("start", events=events, hash=self.head.hash, made=MADE))
        self.receipts = [Receipt(0, self.head.hash)]
        self.ended: dict[str, Any] | None = None

    @property
    def asked(self) -> int:
        """The seat that is asked something."""
        return self.match.open[0].seat

    def block(self, seat: int, payload: Payload, key: PrivateKey | None = None) -> str:
        """Somebody's signed block is received; its digest."""
        block = payloads.sign(payload, key or self.keys[seat])
        self.lines.append(transcript.block_line(seat + 1, block))
        return block.digest.hex()

    def common(self, seat: int, *words: object) -> dict[str, Any]:
        return common(seat, self.head.number, len(self.lines), *words, key=self.keys[seat])

    def move(self, *commands: str) -> None:
        """The seat that is asked sends these commands in one mail."""
        seat = self.asked
        orders = Orders(
            game=self.tag,
            seat=seat + 1,
            prompt=self.match.prompt_id(seat),
            lines=commands,
            **self.common(seat),
        )
        digest = self.block(seat, orders)
        for index, command in enumerate(commands):
            self.answer(seat, self.match.read(seat, command), "orders", digest, index)

    def answer(self, seat: int, answer: Answer, by: str, block: str = "", index: int = 0) -> None:
        """An answer is given, of whatever origin."""
        self.match.apply(seat, answer)
        events = [event.to_json() for event in self.match.take_events()]
        self.link(seat, answer, by, block, index, events)

    def link(
        self,
        seat: int,
        answer: Answer,
        by: str,
        block: str = "",
        index: int = 0,
        events: Sequence[Any] = (),
    ) -> None:
        """The chain grows by an answer, which the rules need not know."""
        salt = chain.salt(self.key, self.head.number + 1)
        outcome = chain.outcome_digest(salt, answer.to_json(), list(events))
        self.head = chain.extend(self.head, seat, block, index, outcome)
        self.receipts.append(Receipt(self.head.number, self.head.hash))
        self.lines.append(
            transcript.line(
                "answer",
                n=self.head.number,
                seat=seat + 1,
                by=by,
                block=block,
                index=index,
                answer=answer.to_json(),
                events=list(events),
                hash=self.head.hash,
                made=MADE,
            )
        )

    def choose(self) -> Answer:
        """What a bot would answer now."""
        prompt = self.match.open[0]
        bot = GreedyBot(Rng(b"two")) if prompt.seat == 1 else RandomBot(self._rng(prompt.seat))
        return bot.choose(self.game, self.match.view(prompt.seat), prompt)

    def _rng(self, seat: int) -> Rng:
        return Rng(f"{seat} {self.head.number}".encode())

    def play(self, answers: int) -> Play:
        """Play on by orders, so many answers."""
        for _ in range(answers):
            self.move(self.game.phrase(self.choose()))
        return self

    def to_the_end(self) -> Play:
        """Play on by orders. At Weaver the first exchange and claim come in one mail."""
        if self.game.name == "weaver":
            first = self.match.open[0].moves[0]
            assert first.pick is not None
            self.move(f"exchange {first.pick.items[0]}", f"hide {first.pick.items[1]}")
        while self.match.open:
            self.play(1)
        return self.over()

    def gives_up(self, how: str, *seats: int) -> Play:
        """The game ends without these seats, which ``resigned`` or ``forfeited``."""
        without = [self.game.winners_without(self.match.state, seat) for seat in seats]
        winners = [name for name in without[0] if all(name in each for each in without)]
        names = [self.names[seat] for seat in seats]
        self.ended = {how: names[0] if len(names) == 1 else names, "winners": winners}
        return self.over()

    def over(self) -> Play:
        """Write the end."""
        result = self.ended
        if result is None:
            found = self.match.result
            assert found is not None
            result = json.loads(json.dumps(found.document()))
        self.lines.append(
            transcript.line("end", n=self.head.number, hash=self.head.hash, result=result)
        )
        return self


@cache
def whole_game(kind: str = "weaver") -> Play:
    """An honest game, played to its end. Not to be changed."""
    return Play(kind).to_the_end()


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
