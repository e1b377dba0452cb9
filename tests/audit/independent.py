"""Another verifier, written from docs/transcript.md alone: it returns, or an assertion fails.

Nothing of the project's own is used but the rules of games and standing orders, as the page says.
"""

import base64
import hashlib
import hmac
import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from sigilpost_engine.core import standing
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.prompts import Answer

GIVEN_UP = {"resign": "resigned", "forfeit": "forfeited"}
STOPPED = ("abandoned", "left", "ruling")
BY = {"ORDERS": "orders", "RESIGN": "orders", "STANDING": "standing", "REQUEST": "substitute"}


def j(value: Any) -> bytes:  # keys are ASCII here, so that code points sort as UTF-16 does
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def h(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def fingerprint(key: str) -> str:
    return base64.b32encode(hashlib.sha256(bytes.fromhex(key)).digest()[:15]).decode()


def signed(key: str, kind: str, message: bytes, signature: str) -> None:
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
    public.verify(bytes.fromhex(signature), f"sigilpost {kind.lower()} v1\n".encode() + message)


class Verifier:
    def __init__(self, data: bytes, find: Any) -> None:
        raw = data.splitlines(keepends=True)
        lines: list[Any] = [json.loads(line) for line in raw]
        assert [j(line) + b"\n" for line in lines] == raw
        (self.game, *body, end), seal = lines[:-1], lines[-1]
        assert (self.game["line"], self.game["v"], seal["line"]) == ("game", 1, "seal")
        assert (seal["digest"], seal["key"]) == (h(b"".join(raw[:-1])), self.game["server"])
        signed(seal["key"], "transcript", seal["digest"].encode(), seal["signature"])
        self.tag, self.roster = self.game["game"], self.game["roster"]
        self.rules: Any = find(self.game["kind"])
        assert j(self.rules.read_options(self.game["options"])) == j(self.game["options"])
        self.codes = self.roster[0].get("credentials") == "code"
        self.servers = [line["old"] for line in body if line["line"] == "handover"]
        self.servers.append(self.game["server"])
        self.keys: dict[int, list[str]] = {}  # of each seat, the newest last
        self.taking: dict[int, str] = {}
        self.blocks: dict[str, tuple[int, str, Any]] = {}
        self.nonces: dict[int, str] = {}
        self.used: set[Any] = set()
        self.newest: dict[int, Any] = {}
        self.heads: list[str] = []
        self.late: list[int] = []  # the seats that have forfeited
        self.result: Any = None
        self.league = not any(line.get("kind") == "CREATE" for line in body)
        for line in body:
            getattr(self, f"read_{line['line']}")(line, line.get("seat", 1) - 1)
        why = end["result"].get("stopped") if self.result is None else ""
        whys = STOPPED if self.league else STOPPED[:1]
        stopped = {"stopped": why, "winners": []} if why in whys else self.result
        assert (end["line"], end["result"]) == ("end", stopped)
        assert (end["n"], end["hash"]) == (len(self.heads) - 1, self.heads[-1])
        gave = {digest for digest, block in self.blocks.items() if block[1] in BY}
        assert gave == {digest for digest, _ in self.used}

    def read_handover(self, line: Any, seat: int) -> None:
        message = j({name: line[name] for name in ("old", "new", "made")})
        signed(line["old"], "handover", message, line["by_old"])
        signed(line["new"], "handover-proof", message, line["by_new"])
        assert line["new"] == self.servers[self.servers.index(line["old"]) + 1]

    def read_key(self, line: Any, seat: int) -> None:
        assert self.roster[seat]["key"] in ("", fingerprint(line["public"]))
        assert self.keys.setdefault(seat, [line["public"]]) == [line["public"]]

    def read_substitute(self, line: Any, seat: int) -> None:
        self.taking[seat] = line["public"]

    def read_block(self, line: Any, seat: int) -> None:
        said, kind, digest = json.loads(line["payload"]), line["kind"], h(line["payload"].encode())
        own = {"RECOVER": said.get("public"), "REQUEST": self.taking.get(seat)}.get(kind)
        keys = [own] if own else self.keys[seat] if kind == "STANDING" else self.keys[seat][-1:]
        (key,) = (each for each in keys if fingerprint(each) == said["key"])
        signed(key, kind, line["payload"].encode(), line["signature"])
        assert said["server"] in ["", *map(fingerprint, self.servers)]
        assert said.get("seat", 0) in (0, seat + 1)
        assert said.get("game", self.tag) == (self.game["kind"] if kind == "CREATE" else self.tag)
        assert self.blocks.setdefault(digest, (seat, kind, said))[2] is said
        if kind == "CREATE":
            assert (seat, len(self.blocks)) == (0, 1)
            assert self.rules.read_options(said["options"]) == self.game["options"]
        elif kind == "JOIN":
            assert said["commitment"] in ("", self.game["commitment"])
            assert (seat not in self.nonces, self.heads) == (self.roster[seat]["key"] != "", [])
            self.nonces[seat] = said["nonce"]
        elif kind == "ROTATE":
            proof = j({name: said[name] for name in said if name != "proof"})
            signed(said["public"], "rotate-proof", proof, said["proof"])
            self.keys[seat].append(said["public"])
        elif kind == "RECOVER":
            self.keys[seat] = [key]

    def read_secret(self, line: Any, seat: int) -> None:
        self.secret = bytes.fromhex(line["secret"])
        assert h(self.secret) == self.game["commitment"]

    def read_start(self, line: Any, seat: int) -> None:
        agreed = {name: self.game[name] for name in ("game", "options", "roster")}
        keys = [entry["key"] for entry in self.roster]
        committed = self.game["commitment"]
        for each, entry in enumerate(self.roster):
            if self.codes and not entry["key"]:
                told = b"sigilpost nonce v1\n" + j([self.tag, committed, each])
                self.nonces[each] = h(told)[:32]
        nonces = [nonce for _, nonce in sorted(self.nonces.items())]
        parts = {"game": self.tag, "options": self.game["options"], "keys": keys, "nonces": nonces}
        self.game_key = hmac.digest(self.secret, j(parts), "sha256")
        names = [entry["name"] for entry in self.roster]
        self.match: Any = Match.begin(self.rules, names, self.game["options"], self.game_key)
        told = b"sigilpost chain v1\n" + j(
            {**agreed, "kind": self.game["kind"], "commitment": committed}
        )
        self.link(line, h(told))

    def link(self, line: Any, head: str) -> None:
        assert line["events"] == [event.to_json() for event in self.match.take_events()]
        assert line["hash"] == head
        self.heads.append(head)

    def read_answer(self, line: Any, seat: int) -> None:
        n, answer, by, use = line["n"], line["answer"], line["by"], (line["block"], line["index"])
        late = (by, answer[0]) == ("clock", "forfeit") and seat > max(self.late, default=seat)
        assert (n, self.result is None or late) == (len(self.heads), True)
        if line["block"]:
            assert answer == self.meaning(seat, by, use)
            self.used.add(use)
        else:
            assert by in ("bot", "clock", *["host"] * self.league, *(["code"] * self.codes))
            assert (answer[0] == "forfeit") == (by in ("clock", "host"))
            assert answer[0] not in ("substitute", *(["resign"] * (by == "bot")))
        self.newest[seat] = use
        if answer[0] in GIVEN_UP:
            self.late += [seat] if answer[0] == "forfeit" else []
            gone = self.late or [seat]
            named = [self.roster[each]["name"] for each in gone]
            without = [self.rules.winners_without(self.match.state, each) for each in gone]
            winners = [w for w in without[0] if all(w in others for others in without)]
            self.result = {
                GIVEN_UP[answer[0]]: named if named[1:] else named[0],
                "winners": winners,
            }
        elif answer[0] != "substitute":
            self.match.apply(seat, Answer.from_json(answer))
            if self.match.result is not None:
                self.result = json.loads(j(self.match.result.document()))
        salt = hmac.digest(self.game_key, b"sigilpost salt v1\n%d" % n, "sha256").hex()
        outcome = h(j([salt, answer, line["events"]]))
        self.link(line, h(j([n, self.heads[-1], seat, *use, outcome])))

    def meaning(self, seat: int, by: str, use: tuple[str, int]) -> Any:
        signer, kind, said = self.blocks[use[0]]
        assert (signer, by) == (seat, BY[kind])
        if kind == "STANDING":
            read, rules = standing.read, self.rules
            orders = [read(text, rules.topics, rules.fact_names) for text in said["add"]]
            order, place = [(o, place) for o in orders for place in range(len(o.commands))][use[1]]
            facts = rules.facts(self.match.view(seat))
            topics = rules.topics_of(self.match.prompt(seat))
            assert place or any(order.fits(topic, facts) for topic in topics)
            assert place or not (order.once and use in self.used)
            command = order.commands[place]
        else:
            assert use not in self.used
            place, command = use[1], said["lines"][use[1]] if kind == "ORDERS" else ""
            assert place or said.get("prompt") in (None, self.match.prompt_id(seat))
        assert place == 0 or self.newest[seat] == (use[0], use[1] - 1)
        if kind == "REQUEST":
            assert (said["what"], said["args"][:2]) == ("substitute", ["take", self.tag])
            self.keys[seat] = [self.taking.pop(seat)]
        own = {"RESIGN": ["resign", "", []], "REQUEST": ["substitute", "", []]}.get(kind)
        return own or self.match.read(seat, command).to_json()
